//! What the entries of lists get. Most lists are asked for again and again, so what an entry became is remembered.
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use overt_spec::description::DescribedResource;
use overt_spec::live::{LiveResource, LiveTool};
use overt_spec::mark::{self, Mark};
use overt_spec::{Severity, card};
use overt_wire::Message;
use overt_wire::edit::{self, EditError, Step};
use overt_wire::json::{Json, JsonBuf};

use super::disclosure::Disclosure;
use super::resources;

/// Entries as the server wrote them, and as they are told. One for each name that something is declared about.
#[derive(Debug, Default)]
pub(super) struct Told {
    tools: Mutex<HashMap<String, Entry>>,
    resources: Mutex<HashMap<String, Entry>>,
}

#[derive(Debug)]
struct Entry {
    written: JsonBuf,
    told: Option<JsonBuf>,
}

impl Told {
    pub(super) fn tools(&self, reply: &Message, disclosure: &Disclosure) -> Result<Message, EditError> {
        let path = [Step::Member("result"), Step::Member("tools")];
        edit::rewrite_elements_in(reply, &path, |tool| {
            let name = tool.get("name").string()?;
            // Only names that the declaration has are remembered: nobody else's list makes this grow.
            disclosure.declaration.tools.get(&*name)?;
            remembered(&self.tools, &name, tool, || marks_of_tool(tool, disclosure))
        })
    }

    /// Resources or templates.
    pub(super) fn resources(
        &self,
        reply: &Message,
        list: &'static str,
        disclosure: &Disclosure,
    ) -> Result<Message, EditError> {
        let path = [Step::Member("result"), Step::Member(list)];
        edit::rewrite_elements_in(reply, &path, |resource| {
            let live = LiveResource::read(resource)?;
            let record = disclosure.declaration.resources.get(&live.uri)?.clone();
            let uri = live.uri.clone();
            let described = DescribedResource { live, record: Some(record) };
            remembered(&self.resources, &uri, resource, || mark::resource(&described))
        })
    }
}

fn remembered(
    entries: &Mutex<HashMap<String, Entry>>,
    name: &str,
    written: Json<'_>,
    marks: impl FnOnce() -> Vec<Mark>,
) -> Option<JsonBuf> {
    let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(entry) = entries.get(name).filter(|entry| entry.written.as_json() == written) {
        return entry.told.clone();
    }
    let told = with_marks(written, &marks());
    entries.insert(name.to_owned(), Entry { written: written.to_buf(), told: told.clone() });
    told
}

/// What is declared about a tool as it is now. What contradicts it is not said.
fn marks_of_tool(tool: Json<'_>, disclosure: &Disclosure) -> Vec<Mark> {
    let Some(live) = LiveTool::read(tool) else { return Vec::new() };
    let name = live.name.clone();
    let (described, wrong) = disclosure.describe_tool(live);
    for finding in wrong.iter().filter(|finding| finding.severity == Severity::Error) {
        tracing::warn!(tool = %name, "nothing is told about it, because the server changed: {finding}");
    }
    let card_uri = card::of(&described, &disclosure.first, &resources::place(disclosure))
        .is_ok()
        .then(|| resources::card_uri(&name, disclosure));
    mark::tool(&described, &disclosure.first, card_uri)
}

fn with_marks(entry: Json<'_>, marks: &[Mark]) -> Option<JsonBuf> {
    let mut told: Option<JsonBuf> = None;
    for mark in marks {
        let path: Vec<Step<'_>> = mark.path.iter().map(|name| Step::Member(name)).collect();
        let value = JsonBuf::of(&mark.value).ok()?;
        let before = told.as_ref().map_or(entry, JsonBuf::as_json);
        // An entry that can't take a mark, because it has something else in its place, is told without it.
        if let Ok(after) = edit::set(before, &path, value.as_json()) {
            told = Some(after);
        }
    }
    told
}
