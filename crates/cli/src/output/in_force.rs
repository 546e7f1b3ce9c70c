//! Formats everything that decides about calls: settings files, trust in servers, and grants.
use std::borrow::Cow;

use overt_layers::grants::{Grant, TrustedServer};
use overt_policy::Trust;
use overt_wire::text::Untrusted;
use serde::Serialize;
use serde_json::{Map, Value};

use super::fold::hanging;
use super::grants::{GrantData, grants_text};
use super::report::Report;
use super::safe::one_line;
use super::style::{TITLE, paint};
use super::trust::{TrustData, trusted_text};
use crate::settings::{FileInForce, ServerTrust};
use overt_operator::words::{extent_words, trust_words};

/// Everything that decides about calls.
#[derive(Debug)]
pub(crate) struct InForce<'a> {
    pub(crate) files: &'a [FileInForce],
    pub(crate) trusted: &'a [TrustedServer],
    pub(crate) grants: &'a [Grant],
}

/// Spaces before an entry, and before its continuation lines.
const INDENT: (usize, usize) = (2, 4);

impl InForce<'_> {
    fn is_empty(&self) -> bool {
        self.files.iter().all(|file| entries(file).is_empty())
            && self.trusted.is_empty()
            && self.grants.is_empty()
    }
}

/// One part for each file, one for trust and one for grants. Empty parts are omitted.
fn in_force_text(all: &InForce<'_>, width: Option<usize>) -> String {
    let mut out = String::new();
    for file in all.files {
        let entries = entries(file);
        if !entries.is_empty() {
            let path = one_line(&file.path.to_string_lossy());
            out.push_str(&format!("{}\n", paint(TITLE, format_args!("File {path}"))));
            entries.iter().for_each(|entry| out.push_str(&hanging(entry, INDENT, width)));
        }
    }
    if !all.trusted.is_empty() {
        out.push_str(&format!("{}\n{}", paint(TITLE, "Trust"), trusted_text(all.trusted, width)));
    }
    if !all.grants.is_empty() {
        out.push_str(&format!("{}\n{}", paint(TITLE, "Grants"), grants_text(all.grants, width)));
    }
    out
}

/// A sentence for each entry of a file.
fn entries(file: &FileInForce) -> Vec<String> {
    let members = |table: &Option<Value>| flat(table.as_ref().and_then(Value::as_object));
    let rules = file.rules.as_ref().and_then(Value::as_array).into_iter().flatten().map(rule);
    let policy = members(&file.policy).into_iter().map(|(name, value)| format!("policy: {name} = {value}"));
    let settings =
        members(&file.settings).into_iter().map(|(name, value)| format!("setting: {name} = {value}"));
    let servers = file.servers.iter().map(server);
    rules.chain(policy).chain(settings).chain(servers).map(|entry| one_line(&entry)).collect()
}

fn rule(rule: &Value) -> String {
    let text = |name: &str| rule.get(name).and_then(Value::as_str).unwrap_or_default();
    let pairs = |table: &str, between: &str| {
        let pairs = flat(rule.get(table).and_then(Value::as_object)).into_iter();
        pairs.map(|(name, value)| format!("{name}{between}{value}")).collect::<Vec<_>>()
    };
    let (when, limit) = (pairs("when", " is "), pairs("limit", " = "));
    let when = match when.is_empty() {
        true => "every call".to_owned(),
        false => format!("calls where {}", when.join(" and ")),
    };
    let limit = if limit.is_empty() { String::new() } else { format!(" to {}", limit.join(", ")) };
    let reason = match text("reason") {
        "" => String::new(),
        reason => format!(" ({reason})"),
    };
    format!("rule {}: {} {when}{limit}{reason}", text("id"), text("action"))
}

fn server(decision: &ServerTrust) -> String {
    let place = extent_words(decision.project.as_deref());
    format!("server {}: {} {place}", Untrusted(&decision.name), trust_words(decision.trust))
}

/// The members of a table. Members of nested tables get a joined name: `tools.deny`.
fn flat(table: Option<&Map<String, Value>>) -> Vec<(String, String)> {
    let mut members = Vec::new();
    for (name, value) in table.into_iter().flatten() {
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                let inner = flat(Some(inner)).into_iter();
                members.extend(inner.map(|(below, value)| (format!("{name}.{below}"), value)));
            }
            value => members.push((name.clone(), words(value))),
        }
    }
    members
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "nothing".to_owned(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// The answer of `overt policy show`.
#[derive(Debug, Serialize)]
pub(crate) struct InForceReport<'a> {
    files: Vec<FileData<'a>>,
    trusted: Vec<TrustData<'a>>,
    grants: Vec<GrantData<'a>>,
    #[serde(skip)]
    all: &'a InForce<'a>,
}

#[derive(Debug, Serialize)]
struct FileData<'a> {
    path: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<&'a Value>,
    servers: Vec<FileServerData<'a>>,
}

#[derive(Debug, Serialize)]
struct FileServerData<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    trust: Trust,
}

impl<'a> InForceReport<'a> {
    pub(crate) fn new(all: &'a InForce<'a>) -> Self {
        Self {
            files: all.files.iter().map(FileData::of).collect(),
            trusted: all.trusted.iter().map(TrustData::of).collect(),
            grants: all.grants.iter().map(GrantData::of).collect(),
            all,
        }
    }
}

impl Report for InForceReport<'_> {
    fn text(&self, width: Option<usize>) -> String {
        in_force_text(self.all, width)
    }

    fn remark(&self) -> Option<String> {
        Some(if self.all.is_empty() { NOTHING } else { REST }.to_owned())
    }
}

impl<'a> FileData<'a> {
    fn of(file: &'a FileInForce) -> Self {
        let server = |one: &'a ServerTrust| FileServerData {
            name: &one.name,
            project: one.project.as_deref(),
            trust: one.trust,
        };
        Self {
            path: file.path.to_string_lossy(),
            settings: file.settings.as_ref(),
            policy: file.policy.as_ref(),
            rules: file.rules.as_ref(),
            servers: file.servers.iter().map(server).collect(),
        }
    }
}

const NOTHING: &str = "you have no rules, and allowed and refused nothing yet; a server's first call asks how far you \
                       trust it";
const REST: &str = "what is not decided here depends on how far you trust the server, and for `overt fs` on its folders; \
                    `overt policy explain` says what is decided about a call";
