//! Adds what is declared to the entries of lists. Clients request the same lists repeatedly, so
//! each decorated entry is cached.
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use overt_documents::card;
use overt_documents::description::{DescribedResource, DescribedTool};
use overt_documents::live::{LiveResource, LiveTool};
use overt_documents::mark::{self, Mark, MarkPlace};
use overt_policy::Severity;
use overt_policy::mark::key;
use overt_wire::Message;
use overt_wire::edit::{self, EditError, Step};
use overt_wire::json::{Json, JsonBuf, Member};
use overt_wire::view::Page;

use super::disclosure::Disclosure;
use super::resources;

/// Decorated entries with the text that the server wrote, one for each declared name.
#[derive(Debug, Default)]
pub(super) struct DecoratedEntries {
    tools: Mutex<HashMap<String, DecoratedEntry>>,
    resources: Mutex<HashMap<String, DecoratedEntry>>,
}

#[derive(Debug)]
struct DecoratedEntry {
    written: JsonBuf,
    /// Whether the caller may use the tool that undoes this one.
    has_reverse: bool,
    decorated: Option<JsonBuf>,
}

/// Who made the claims that an entry already has at the places of our own marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClaimOwner {
    /// One of our own servers, which claims the same.
    Ours,
    Theirs,
}

/// The tools that the caller may use, as far as one page of the list shows them.
struct ListedTools<'a> {
    names: HashSet<Cow<'a, str>>,
    /// `Some` if the list has other pages. Then every tool that the server had when its disclosure
    /// was made counts as listed.
    more: Option<&'a Disclosure>,
}

impl<'a> ListedTools<'a> {
    fn of(reply: &'a Message, from_start: bool, disclosure: &'a Disclosure) -> Self {
        let Some(body) = reply.result_body().value() else {
            return Self { names: HashSet::new(), more: None };
        };
        let names: HashSet<_> =
            Page(body).items("tools").filter_map(|tool| tool.get("name").string()).collect();
        let is_whole = from_start && Page(body).next_cursor().is_none();
        Self { names, more: (!is_whole).then_some(disclosure) }
    }

    fn has(&self, name: &str) -> bool {
        self.names.contains(name)
            || self.more.is_some_and(|first| first.first.tools.iter().any(|tool| tool.live.name == name))
    }
}

impl DecoratedEntries {
    /// Decorates the tools of a list. `from_start` is true if the list was requested without a
    /// cursor.
    pub(super) fn tools(
        &self,
        reply: &Message,
        from_start: bool,
        disclosure: &Disclosure,
    ) -> Result<Message, EditError> {
        let path = [Step::Member("result"), Step::Member("tools")];
        let listed = ListedTools::of(reply, from_start, disclosure);
        edit::rewrite_elements_in(reply, &path, |tool| {
            let name = tool.get("name").string()?;
            // Only declared names are cached, so a server cannot make the cache grow with its
            // lists.
            let record = disclosure.declaration.tools.get(&*name)?;
            let has_reverse = record.reverse_method.as_deref().is_some_and(|reverse| listed.has(reverse));
            let claims = if disclosure.is_prechecked { ClaimOwner::Ours } else { ClaimOwner::Theirs };
            remembered(&self.tools, &name, tool, has_reverse, claims, || {
                marks_of_tool(tool, disclosure, &|other| listed.has(other))
            })
        })
    }

    /// Decorates resources or resource templates.
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
            remembered(&self.resources, &uri, resource, false, ClaimOwner::Theirs, || {
                mark::resource(&described)
            })
        })
    }
}

fn remembered(
    entries: &Mutex<HashMap<String, DecoratedEntry>>,
    name: &str,
    written: Json<'_>,
    has_reverse: bool,
    claims: ClaimOwner,
    marks: impl FnOnce() -> Vec<Mark>,
) -> Option<JsonBuf> {
    let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
    let known =
        |entry: &&DecoratedEntry| entry.written.as_json() == written && entry.has_reverse == has_reverse;
    if let Some(entry) = entries.get(name).filter(known) {
        return entry.decorated.clone();
    }
    let decorated = with_marks(written, claims, marks());
    let entry = DecoratedEntry { written: written.to_buf(), has_reverse, decorated: decorated.clone() };
    entries.insert(name.to_owned(), entry);
    decorated
}

/// Returns the marks for a tool as it is now. Declarations that contradict the tool are left out.
fn marks_of_tool(tool: Json<'_>, disclosure: &Disclosure, exists: &dyn Fn(&str) -> bool) -> Vec<Mark> {
    if let Some(described) = disclosure.believed_tool(tool, exists) {
        return marks(described, disclosure);
    }
    let Some(live) = LiveTool::read(tool) else { return Vec::new() };
    let name = live.name.clone();
    let (described, wrong) = disclosure.describe_tool(live, exists);
    for finding in wrong.iter().filter(|finding| finding.severity == Severity::Error) {
        tracing::warn!(tool = %name, "nothing is disclosed about it, because the server changed: {finding}");
    }
    marks(&described, disclosure)
}

fn marks(described: &DescribedTool, disclosure: &Disclosure) -> Vec<Mark> {
    let place = resources::place(disclosure, None);
    let has_card = card::has_all_for(described, &disclosure.first, &place);
    mark::tool(described, &disclosure.first, has_card.then(|| mark::uri::card(&described.live.name)))
}

/// Returns the entry with its marks. Values that the server itself put at the same places are
/// removed, because a reader could not tell the two apart.
fn with_marks(entry: Json<'_>, claims: ClaimOwner, marks: Vec<Mark>) -> Option<JsonBuf> {
    let cleaned = match claims {
        ClaimOwner::Ours => None,
        ClaimOwner::Theirs => without_claims(entry),
    };
    let entry = cleaned.as_ref().map_or(entry, JsonBuf::as_json);
    let (mut members, mut annotations, mut meta) = (Vec::new(), Vec::new(), Vec::new());
    for Mark { place, value } in marks {
        match place {
            MarkPlace::Member(name) => members.push((name, value)),
            MarkPlace::Annotation(name) => annotations.push((name, value)),
            MarkPlace::Meta(name) => meta.push((name, value)),
        }
    }
    for (name, marks) in [("annotations", annotations), ("_meta", meta)] {
        members.extend(marked_member(entry, name, &marks).map(|marked| (name, marked)));
    }
    if members.is_empty() {
        return cleaned;
    }
    edit::set_members(entry, &members).ok().or(cleaned)
}

/// Returns a member of the entry with its marks. Returns `None` if there are no marks, or if the
/// member cannot take them because it is not an object.
fn marked_member(entry: Json<'_>, name: &str, marks: &[(&str, JsonBuf)]) -> Option<JsonBuf> {
    if marks.is_empty() {
        return None;
    }
    let empty = JsonBuf::empty_object();
    let written = match entry.get(name) {
        Member::Absent => empty.as_json(),
        Member::Null => return None,
        Member::Value(value) => value,
    };
    edit::set_members(written, marks).ok()
}

/// Returns the entry without claims that only Overt may make; `None` if it has no such claim.
fn without_claims(entry: Json<'_>) -> Option<JsonBuf> {
    let meta = entry.get("_meta").value().into_iter().flat_map(Json::members);
    // The gateway moves the upstream's own marks to `UPSTREAM`, so that member stays.
    let ours = meta.map(|(name, _)| name.name());
    let ours = ours.filter(|name| name.starts_with(key::PREFIX) && name != key::UPSTREAM);
    let mut paths: Vec<Vec<String>> = ours.map(|name| vec!["_meta".to_owned(), name.into_owned()]).collect();
    paths.extend(["dashdash", "intentTemplate", key::CARD_URI].map(|name| vec![name.to_owned()]));
    paths.extend(
        ["intentTemplate", "preview", "scopes"].map(|name| vec!["annotations".to_owned(), name.to_owned()]),
    );
    let mut decorated: Option<JsonBuf> = None;
    for path in &paths {
        let steps: Vec<Step<'_>> = path.iter().map(|name| Step::Member(name)).collect();
        let before = decorated.as_ref().map_or(entry, JsonBuf::as_json);
        if let Ok(after) = edit::remove(before, &steps)
            && after.as_json() != before
        {
            decorated = Some(after);
        }
    }
    decorated
}
