//! What the record of an entry says, in the order of a line.
use std::fmt::Write as _;

use overt_layers::audit::{CallArguments, CallOutcome, Entry, Latency};
use overt_policy::word::{StringEnum as _, string_enum};
use overt_wire::json::{Json, JsonBuf};

use super::result_digest::ResultDigest;

string_enum! {
    /// A member of a record that an entry determines.
    pub enum EntryMember {
        Agent = "agent",
        ArgsDigest = "args_digest",
        Basis = "basis",
        Call = "call",
        Change = "change",
        Changes = "changes",
        Decision = "decision",
        Effect = "effect",
        Grant = "grant",
        Intent = "intent",
        LatencyUs = "latency_us",
        Layer = "layer",
        Method = "method",
        Needed = "needed",
        Outcome = "outcome",
        Plan = "plan",
        PolicyVersion = "policy_version",
        Preview = "preview",
        Principal = "principal",
        Project = "project",
        Reason = "reason",
        Requested = "requested",
        ResultBytes = "result_bytes",
        ResultDigest = "result_digest",
        RuleErrors = "rule_errors",
        Rules = "rules",
        Server = "server",
        ServerId = "server_id",
        Session = "session",
        Target = "target",
        ToolDigest = "tool_digest",
        Trace = "trace",
        Trust = "trust",
    }
}

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

impl EntryMember {
    pub(super) fn form(self) -> Form {
        match self {
            Self::ArgsDigest => Form::Arguments,
            Self::Session => Form::Session,
            Self::Changes | Self::Needed | Self::Requested | Self::RuleErrors | Self::Rules => Form::Element,
            Self::LatencyUs | Self::Preview | Self::ResultBytes => Form::Token,
            Self::Agent
            | Self::Intent
            | Self::Method
            | Self::Plan
            | Self::Project
            | Self::Reason
            | Self::Server
            | Self::Target
            | Self::Trace => Form::Text,
            Self::Basis
            | Self::Call
            | Self::Change
            | Self::Decision
            | Self::Effect
            | Self::Grant
            | Self::Layer
            | Self::Outcome
            | Self::PolicyVersion
            | Self::Principal
            | Self::ResultDigest
            | Self::ServerId
            | Self::ToolDigest
            | Self::Trust => Form::Ours,
        }
    }
}

/// The members of an entry's record in one buffer. An entry has many small texts; it is cheaper to
/// copy them than to free each of them in another thread. Few bytes cost least, because every one
/// is read by the other thread.
#[derive(Debug)]
pub(super) struct PackedEntry {
    texts: String,
    members: Vec<PackedMember>,
    arguments: Option<JsonBuf>,
}

#[derive(Debug)]
struct PackedMember {
    member: EntryMember,
    /// Where its text ends in the buffer. It begins where the previous one ends.
    end: u16,
}

impl PackedEntry {
    /// Returns `None` if the entry has more than `most` bytes.
    pub(super) fn of(entry: &Entry, result: Option<&ResultDigest>, most: u16) -> Option<Self> {
        let arguments = arguments_of(entry);
        let most =
            usize::from(most).checked_sub(arguments.map_or(0, |arguments| arguments.as_str().len()))?;
        let mut packed = Self {
            texts: String::with_capacity(1 << 10),
            members: Vec::with_capacity(32),
            arguments: arguments.map(Json::to_buf),
        };
        let mut is_too_large = false;
        each_member(entry, result, |member, text| {
            let end = packed.texts.len() + text.len();
            match u16::try_from(end) {
                Ok(end) if !is_too_large && usize::from(end) <= most => {
                    packed.texts.push_str(text);
                    packed.members.push(PackedMember { member, end });
                }
                _ => is_too_large = true,
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

    pub(super) fn each(&self, mut visit: impl FnMut(EntryMember, &str)) {
        let mut start = 0;
        for PackedMember { member, end } in &self.members {
            let end = usize::from(*end);
            visit(*member, &self.texts[start..end]);
            start = end;
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
    mut visit: impl FnMut(EntryMember, &str),
) {
    let mut one = |member, text: Option<&str>| {
        if let Some(text) = text {
            visit(member, text);
        }
    };
    one(EntryMember::Agent, entry.agent.as_deref());
    one(EntryMember::ArgsDigest, entry.arguments.as_ref().map(|_| ""));
    one(EntryMember::Basis, entry.basis);
    one(EntryMember::Call, entry.call.as_deref());
    one(EntryMember::Change, entry.change.as_deref());
    entry.changes.iter().for_each(|change| one(EntryMember::Changes, Some(change)));
    one(EntryMember::Decision, entry.decision);
    one(EntryMember::Effect, entry.effect);
    one(EntryMember::Grant, entry.grant.as_deref());
    one(EntryMember::Intent, entry.intent.as_deref());
    one(EntryMember::LatencyUs, entry.latency.map(times).as_deref());
    one(EntryMember::Layer, entry.layer.as_deref());
    one(EntryMember::Method, entry.method.as_deref());
    entry.needed.iter().for_each(|scope| one(EntryMember::Needed, Some(scope)));
    one(EntryMember::Outcome, entry.outcome.map(CallOutcome::as_str));
    one(EntryMember::Plan, entry.plan.as_deref());
    one(EntryMember::PolicyVersion, entry.policy_version.as_deref());
    one(EntryMember::Preview, entry.preview.then_some("true"));
    one(EntryMember::Principal, entry.principal.as_deref());
    one(EntryMember::Project, entry.project.as_deref());
    one(EntryMember::Reason, entry.reason.as_deref());
    entry.requested.iter().for_each(|scope| one(EntryMember::Requested, Some(scope)));
    one(EntryMember::ResultBytes, result.map(ResultDigest::length).as_deref());
    one(EntryMember::ResultDigest, result.map(ResultDigest::as_str));
    entry.rule_errors.iter().for_each(|error| one(EntryMember::RuleErrors, Some(error)));
    entry.rules.iter().for_each(|rule| one(EntryMember::Rules, Some(rule)));
    one(EntryMember::Server, entry.server.as_deref());
    one(EntryMember::ServerId, entry.server_id.as_deref());
    one(EntryMember::Session, entry.session.as_deref());
    one(EntryMember::Target, entry.target.as_deref());
    one(EntryMember::ToolDigest, entry.tool_digest.as_deref());
    one(EntryMember::Trace, entry.trace.as_deref());
    one(EntryMember::Trust, entry.trust);
}

/// Returns the times as an object, sorted by name like all members.
fn times(Latency { policy, approval, upstream, total }: Latency) -> String {
    let mut text = String::with_capacity(80);
    // Writing to a string never fails.
    let _ =
        write!(text, r#"{{"approval":{approval},"policy":{policy},"total":{total},"upstream":{upstream}}}"#);
    text
}
