//! A tool as its server listed it, and what follows from its definition.
use std::sync::{Arc, OnceLock};

use overt_intent::Template;
use overt_policy::mark::key;
use overt_policy::record::Hints;
use overt_policy::{ToolFacts, ToolRecord};
use overt_wire::json::{Json, JsonBuf, Member};
use overt_wire::param_headers::HeaderAnnotations;
use serde_json::Value;

use crate::definition::DefinitionDigest;
use crate::schema::Schema;

/// A tool that was listed.
#[derive(Debug)]
pub struct KnownTool {
    pub(crate) facts: ToolFacts,
    /// The template of the declaration.
    pub(crate) intent: Option<Arc<Template>>,
    /// The template that the server wrote itself, if it differs.
    server_intent: Option<Arc<Template>>,
    digest: OnceLock<DefinitionDigest>,
    /// The definition as the server listed it.
    pub(crate) definition: JsonBuf,
    pub(crate) hints: Hints,
    schema: OnceLock<Option<Schema>>,
    header_annotations: OnceLock<HeaderAnnotations>,
}

/// The largest schema that Overt checks, in bytes. The server must check larger ones.
const MAX_SCHEMA_BYTES: usize = 256 << 10;
/// The longest template of a server that is read, in bytes.
const LONGEST_TEMPLATE: usize = 4 << 10;

/// Returns the template of a definition, from all places where servers write it.
fn server_intent(tool: Json<'_>) -> Option<String> {
    let meta = tool.get("_meta");
    let places = [
        meta.get(key::INTENT),
        meta.get(key::UPSTREAM).get(key::INTENT),
        tool.get("annotations").get("intentTemplate"),
        tool.get("intentTemplate"),
    ];
    let text = places.into_iter().find_map(Member::string)?;
    (text.len() <= LONGEST_TEMPLATE).then(|| text.into_owned())
}

/// Returns what is declared about a tool, by its name.
pub type Records<'a> = &'a dyn Fn(&str) -> Option<&'a ToolRecord>;

impl KnownTool {
    /// Returns the digest of the server's definition. It is computed on first use, because most
    /// listed tools are never called.
    pub(crate) fn digest(&self) -> &DefinitionDigest {
        self.digest.get_or_init(|| DefinitionDigest::of(self.definition.as_json()))
    }

    /// Returns which arguments are repeated in HTTP headers. Only the tool's definition says that
    /// (HTTP-08).
    pub fn header_annotations(&self) -> &HeaderAnnotations {
        let schema = || self.definition.as_json().get("inputSchema");
        self.header_annotations.get_or_init(|| HeaderAnnotations::of(schema()))
    }

    /// Returns which arguments do not fit the server's input schema. `None` if they fit, or if the
    /// schema can't be used, because then the server must check.
    pub(crate) fn argument_problems(&self, arguments: &Value) -> Option<String> {
        let schema = self.schema.get_or_init(|| {
            let schema = self.definition.as_json().get("inputSchema").value()?;
            if schema.as_str().len() > MAX_SCHEMA_BYTES {
                return None;
            }
            Schema::compile(&schema.read().ok()?).ok()
        });
        schema.as_ref()?.problems(arguments)
    }

    /// Returns what the server says that a call does: the sentence of its own template. A text that
    /// contains it must say whose words they are (H-06).
    pub(crate) fn server_sentence(&self, arguments: &Value) -> Option<String> {
        self.server_intent.as_ref().map(|template| template.render(arguments)).filter(|text| !text.is_empty())
    }

    /// Makes a tool from its entry in a list. `declared` has what is declared about it.
    pub(crate) fn of(server: &str, declared: Records<'_>, name: &str, tool: Json<'_>) -> Self {
        let annotations = tool.get("annotations");
        let hint = |name: &str| annotations.get(name).value().and_then(Json::bool);
        let hints = Hints {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        };
        let record = declared(name);
        let mut facts = ToolFacts::of(server, name, record, hints).unwrap_or_else(|wrong| {
            // The declaration can't be used, so the tool counts as undeclared.
            tracing::warn!(tool = name, "what is declared about it is not used: {wrong}");
            ToolFacts::undeclared(server, name, hints)
        });
        // A preview needs the same permission as the call, so the server's own claim that it
        // supports previews is enough.
        facts.preview |= {
            let meta = tool.get("_meta");
            // A second Overt behind this one declares it where the gateway moved it.
            let own = meta.get(key::PREVIEW).value().or(meta.get(key::UPSTREAM).get(key::PREVIEW).value());
            let said = own.or_else(|| annotations.get("preview").value());
            said.and_then(Json::bool) == Some(true)
        };
        let server_intent = server_intent(tool).filter(|text| facts.intent.as_deref() != Some(text));
        Self {
            server_intent: server_intent.map(|text| Arc::new(Template::parse(&text))),
            intent: facts.intent.as_deref().map(|text| Arc::new(Template::parse(text))),
            digest: OnceLock::new(),
            definition: tool.to_buf(),
            hints,
            schema: OnceLock::new(),
            header_annotations: OnceLock::new(),
            facts,
        }
    }
}
