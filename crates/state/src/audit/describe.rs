//! An entry as the members of a record: digests in the place of what may be secret, everything cut to size.
use std::borrow::Cow;
use std::time::SystemTime;

use overt_layers::audit::{Entry, Latency};
use overt_policy::secrets::{HIDDEN, Strings, hide, is_secret_name, redact};
use overt_wire::Message;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::stamp::precise;

use super::keys::Keys;
use super::line::Members;
use super::options::Arguments;

/// Bytes of a member, at most.
const MAX_FIELD: usize = 4 << 10;
/// Bytes of a member that are searched, and what of their end is given up if there were more.
const MAX_CLEANED: usize = 16 << 10;
const UNSURE: usize = 8 << 10;
/// Elements of a list, at most; the rest is counted.
const MAX_LIST: usize = 64;
/// Arguments above this are not searched for secrets, and so not shown.
const MAX_SEARCHED: usize = 256 << 10;
/// A value of an argument that is named as a secret is looked for elsewhere if it has as many bytes as this.
const SHORTEST_SECRET: usize = 4;
const MOST_SECRETS: usize = 32;

/// When something happened.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) wall: SystemTime,
    /// Since the log was opened.
    pub(super) nanos: u64,
}

/// What every record begins with.
pub(super) fn frame(kind: &str, moment: Moment, boot: &str) -> Members {
    let mut members = Members::default();
    members.number("v", 1);
    members.string("ts", &precise(moment.wall));
    members.number("mono_ns", moment.nanos);
    members.string("boot", boot);
    members.string("kind", kind);
    members
}

pub(super) fn describe(entry: &Entry, mut members: Members, keys: &Keys, arguments: Arguments) -> Members {
    let secrets = entry.arguments.as_ref().map(secrets).unwrap_or_default();
    let clean = |text: &str| clean(text, &secrets);
    // Nobody else has a say in these.
    let ours = [
        ("call", &entry.call),
        ("principal", &entry.principal),
        ("tool_digest", &entry.tool_digest),
        ("grant", &entry.grant),
        ("policy_version", &entry.policy_version),
        ("layer", &entry.layer),
    ];
    for (name, value) in ours {
        value.iter().for_each(|value| members.string(name, &cut(value, MAX_FIELD)));
    }
    let theirs = [
        ("trace", &entry.trace),
        ("agent", &entry.agent),
        ("server", &entry.server),
        ("target", &entry.target),
        ("method", &entry.method),
        ("intent", &entry.intent),
        ("reason", &entry.reason),
        ("plan", &entry.plan),
    ];
    for (name, value) in theirs {
        value.iter().for_each(|value| members.string(name, &clean(value)));
    }
    let lists = [
        ("needed", &entry.needed),
        ("requested", &entry.requested),
        ("rules", &entry.rules),
        ("rule_errors", &entry.rule_errors),
    ];
    for (name, values) in lists {
        members.strings(name, &shortened(values, clean));
    }
    entry.session.iter().for_each(|session| members.string("session", &keys.digest(session)));
    entry.decision.iter().for_each(|decision| members.string("decision", decision));
    entry.outcome.iter().for_each(|outcome| members.string("outcome", &outcome.to_string()));
    if entry.preview {
        members.token("preview", "true".to_owned());
    }
    if let Some(value) = &entry.arguments {
        members.string("args_digest", &keys.digest(value.as_str()));
        if arguments == Arguments::Redacted {
            members.string("args_redacted", &shown(value));
        }
    }
    if let Some(answer) = &entry.answer {
        describe_result(answer, &mut members, keys);
    }
    entry.latency.iter().for_each(|latency| members.token("latency_us", times(*latency)));
    members
}

pub(super) fn describe_result(answer: &Message, members: &mut Members, keys: &Keys) {
    let Some(result) = answer.result_body().value() else { return };
    members.string("result_digest", &keys.digest(result.as_str()));
    members.number("result_bytes", result.as_str().len() as u64);
}

fn times(latency: Latency) -> String {
    let mut times = Members::default();
    times.number("policy", latency.policy);
    times.number("approval", latency.approval);
    times.number("upstream", latency.upstream);
    times.number("total", latency.total);
    times.object()
}

/// The text without what looks like a secret or is one of the secrets, cut to size.
fn clean(text: &str, secrets: &[String]) -> String {
    let end = text.floor_char_boundary(MAX_CLEANED);
    let mut shown = Cow::Borrowed(&text[..end]);
    for secret in secrets {
        if shown.contains(secret.as_str()) {
            shown = Cow::Owned(shown.replace(secret.as_str(), HIDDEN));
        }
    }
    let shown = hide(&shown);
    // A secret that was cut in two might not look like one.
    let kept = if end < text.len() {
        shown.floor_char_boundary(shown.len().saturating_sub(UNSURE))
    } else {
        shown.len()
    };
    cut(&shown[..kept], MAX_FIELD)
}

fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most - 32);
    format!("{}… [{} bytes cut]", &text[..end], text.len() - end)
}

fn shortened(values: &[String], clean: impl Fn(&str) -> String) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut bytes = 0;
    for value in values.iter().take(MAX_LIST) {
        let value = clean(value);
        bytes += value.len();
        if bytes > MAX_FIELD {
            break;
        }
        out.push(value);
    }
    if out.len() < values.len() {
        out.push(format!("… [{} cut]", values.len() - out.len()));
    }
    out
}

/// The arguments as text without secrets.
fn shown(arguments: &JsonBuf) -> String {
    if arguments.as_str().len() > MAX_SEARCHED {
        return format!("[{} bytes cut]", arguments.as_str().len());
    }
    cut(&redact(arguments.as_json(), Strings::Cut), MAX_FIELD)
}

/// What the arguments hold under names that mean a secret: an intent or a scope may quote it.
fn secrets(arguments: &JsonBuf) -> Vec<String> {
    let mut found = Vec::new();
    if arguments.as_str().len() <= MAX_SEARCHED {
        collect(arguments.as_json(), false, &mut found);
    }
    // The longest first: one may be a part of another.
    found.sort_unstable_by_key(|secret: &String| std::cmp::Reverse(secret.len()));
    found
}

fn collect(value: Json<'_>, secret: bool, found: &mut Vec<String>) {
    if found.len() >= MOST_SECRETS {
        return;
    }
    value.elements().for_each(|element| collect(element, secret, found));
    value.members().for_each(|(key, value)| collect(value, secret || is_secret_name(&key.name()), found));
    let text = if value.is_number() { Some(Cow::Borrowed(value.as_str())) } else { value.string() };
    found.extend(text.filter(|text| secret && text.len() >= SHORTEST_SECRET).map(Cow::into_owned));
}
