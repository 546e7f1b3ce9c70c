//! What the record of an entry says, in the order of a line.
use std::fmt::Write as _;

use overt_layers::audit::{CallArguments, CallOutcome, Entry, Latency};
use overt_policy::word::StringEnum as _;
use overt_wire::json::{Json, JsonBuf};

use super::result_digest::ResultDigest;

/// How a member of a record is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A value that Overt generates.
    Ours,
    /// A text that may hold a secret.
    Text,
    /// An element of a list of such texts.
    Element,
    /// The id of a session. Only its digest is written.
    Session,
    /// The arguments, which are kept beside the members. Only their digest is written, unless the
    /// operator wants more.
    Arguments,
    /// A token that is canonical already.
    Token,
}

/// The members of an entry's record in one buffer. An entry has many small texts; it is cheaper to
/// copy them than to free each of them in another thread.
#[derive(Debug)]
pub(super) struct PackedEntry {
    texts: String,
    members: Vec<PackedMember>,
    arguments: Option<JsonBuf>,
}

#[derive(Debug)]
struct PackedMember {
    name: &'static str,
    form: Form,
    /// Where its text ends in the buffer. It begins where the previous one ends.
    end: usize,
}

impl PackedEntry {
    /// Returns `None` if the entry has more than `most` bytes.
    pub(super) fn of(entry: &Entry, result: Option<&ResultDigest>, most: usize) -> Option<Self> {
        let arguments = arguments_of(entry);
        let most = most.checked_sub(arguments.map_or(0, |arguments| arguments.as_str().len()))?;
        let mut packed = Self {
            texts: String::with_capacity(1 << 10),
            members: Vec::with_capacity(32),
            arguments: arguments.map(Json::to_buf),
        };
        let mut is_too_large = false;
        each_member(entry, result, |name, form, text| {
            is_too_large |= packed.texts.len() + text.len() > most;
            if !is_too_large {
                packed.texts.push_str(text);
                packed.members.push(PackedMember { name, form, end: packed.texts.len() });
            }
        });
        (!is_too_large).then_some(packed)
    }

    pub(super) fn bytes(&self) -> usize {
        self.texts.len() + self.arguments.as_ref().map_or(0, |arguments| arguments.as_str().len())
    }

    pub(super) fn arguments(&self) -> Option<Json<'_>> {
        self.arguments.as_ref().map(JsonBuf::as_json)
    }

    pub(super) fn each(&self, mut visit: impl FnMut(&'static str, Form, &str)) {
        let mut start = 0;
        for PackedMember { name, form, end } in &self.members {
            visit(name, *form, &self.texts[start..*end]);
            start = *end;
        }
    }
}

pub(super) fn arguments_of(entry: &Entry) -> Option<Json<'_>> {
    entry.arguments.as_ref().and_then(CallArguments::as_json)
}

/// Calls `visit` with each member of an entry's record, sorted by name. A list has a call for each
/// of its elements.
pub(super) fn each_member(
    entry: &Entry,
    result: Option<&ResultDigest>,
    mut visit: impl FnMut(&'static str, Form, &str),
) {
    let mut one = |name, form, text: Option<&str>| {
        if let Some(text) = text {
            visit(name, form, text);
        }
    };
    one("agent", Form::Text, entry.agent.as_deref());
    one("args_digest", Form::Arguments, entry.arguments.as_ref().map(|_| ""));
    one("basis", Form::Ours, entry.basis);
    one("call", Form::Ours, entry.call.as_deref());
    one("change", Form::Ours, entry.change.as_deref());
    entry.changes.iter().for_each(|change| one("changes", Form::Element, Some(change)));
    one("decision", Form::Ours, entry.decision);
    one("effect", Form::Ours, entry.effect);
    one("grant", Form::Ours, entry.grant.as_deref());
    one("intent", Form::Text, entry.intent.as_deref());
    one("latency_us", Form::Token, entry.latency.map(times).as_deref());
    one("layer", Form::Ours, entry.layer.as_deref());
    one("method", Form::Text, entry.method.as_deref());
    entry.needed.iter().for_each(|scope| one("needed", Form::Element, Some(scope)));
    one("outcome", Form::Ours, entry.outcome.map(CallOutcome::as_str));
    one("plan", Form::Text, entry.plan.as_deref());
    one("policy_version", Form::Ours, entry.policy_version.as_deref());
    one("preview", Form::Token, entry.preview.then_some("true"));
    one("principal", Form::Ours, entry.principal.as_deref());
    one("project", Form::Text, entry.project.as_deref());
    one("reason", Form::Text, entry.reason.as_deref());
    entry.requested.iter().for_each(|scope| one("requested", Form::Element, Some(scope)));
    one("result_bytes", Form::Token, result.map(ResultDigest::length).as_deref());
    one("result_digest", Form::Ours, result.map(ResultDigest::as_str));
    entry.rule_errors.iter().for_each(|error| one("rule_errors", Form::Element, Some(error)));
    entry.rules.iter().for_each(|rule| one("rules", Form::Element, Some(rule)));
    one("server", Form::Text, entry.server.as_deref());
    one("server_id", Form::Ours, entry.server_id.as_deref());
    one("session", Form::Session, entry.session.as_deref());
    one("target", Form::Text, entry.target.as_deref());
    one("tool_digest", Form::Ours, entry.tool_digest.as_deref());
    one("trace", Form::Text, entry.trace.as_deref());
    one("trust", Form::Ours, entry.trust);
}

/// Returns the times as an object, sorted by name like all members.
fn times(Latency { policy, approval, upstream, total }: Latency) -> String {
    let mut text = String::with_capacity(80);
    // Writing to a string never fails.
    let _ =
        write!(text, r#"{{"approval":{approval},"policy":{policy},"total":{total},"upstream":{upstream}}}"#);
    text
}
