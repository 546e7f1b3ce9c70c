//! The definition of a tool: its entry in `tools/list`.
use overt_policy::mark::key;
use overt_wire::json::{JsonBuf, Object};

use super::app;
use super::tool::Tool;

impl Tool {
    /// Returns the entry in `tools/list`.
    pub(super) fn definition(&self) -> JsonBuf {
        let object = Object::new()
            .string("name", &self.name)
            .maybe("title", self.title.as_deref())
            .string("description", &self.description);
        let object = self.input.write(object, "inputSchema");
        let object = self.output.iter().fold(object, |object, output| output.write(object, "outputSchema"));
        let (hints, record) = (self.record.hints(), &self.record);
        let scopes = (!record.scopes.is_empty()).then_some(&record.scopes);
        let preview = record.preview.then_some(true);
        let annotations = Object::new()
            .maybe("readOnlyHint", hints.read_only)
            .maybe("destructiveHint", hints.destructive)
            .maybe("idempotentHint", hints.idempotent)
            .maybe("openWorldHint", hints.open_world)
            .maybe("intentTemplate", record.intent_template.as_ref())
            .maybe("preview", preview)
            .maybe("scopes", scopes)
            .finish();
        // Repeat the marks in `_meta`, because typed clients drop unknown members elsewhere.
        let meta = Object::new()
            .maybe(key::INTENT, record.intent_template.as_ref())
            .maybe(key::PREVIEW, preview)
            .maybe(key::SCOPES, scopes);
        let meta = self.app.iter().fold(meta, |meta, uri| app::of_tool(meta, uri)).finish();
        [("annotations", annotations), ("_meta", meta)]
            .into_iter()
            .filter(|(_, members)| *members != JsonBuf::empty_object())
            .fold(object, |object, (name, members)| object.json(name, members.as_json()))
            .finish()
    }
}
