//! Converts an entry to the members of a record. Digests replace what may be secret, and every text
//! is limited in size.
use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::SystemTime;

use overt_layers::audit::{CallArguments, Entry, Kind, Latency};
use overt_policy::secrets::{HIDDEN, Strings, hide, is_secret_name, redact};
use overt_policy::word::StringEnum as _;
use overt_wire::Message;
use overt_wire::json::{Json, push_quoted};
use overt_wire::rfc3339::push_micros;

use super::keys::Keys;
use super::line::Members;
use super::options::Arguments;
use super::recurring::{RecurringTexts, TextKind};

/// The most bytes of a member.
const MAX_FIELD: usize = 4 << 10;
/// The most bytes of a member that are searched for secrets, and the bytes dropped at the end of
/// that part if the text is longer, because a secret may be cut there.
const MAX_CLEANED: usize = 16 << 10;
const UNSURE: usize = 8 << 10;
/// The most elements of a list; the rest is counted.
const MAX_LIST: usize = 64;
/// Arguments with more bytes are not searched for secrets, so they are not shown.
const MAX_SEARCHED: usize = 256 << 10;
/// The value of an argument whose name means a secret is hidden elsewhere if it has at least this
/// many bytes.
const SHORTEST_SECRET: usize = 4;
const MOST_SECRETS: usize = 32;

/// The time of an event.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timestamp {
    pub(super) wall: SystemTime,
    /// Nanoseconds since the log was opened.
    pub(super) nanos: u64,
}

/// Writes the members that every record begins with.
pub(super) fn frame(members: &mut Members, kind: Kind, moment: Timestamp, boot: &str) {
    members.number("v", 1);
    members.add("ts", |tokens| {
        tokens.push('"');
        push_micros(tokens, moment.wall);
        tokens.push('"');
    });
    members.number("mono_ns", moment.nanos);
    members.string("boot", boot);
    members.string("kind", kind.as_str());
}

pub(super) fn describe(
    entry: &Entry,
    members: &mut Members,
    keys: &Keys,
    arguments: Arguments,
    recurring: &mut RecurringTexts,
) {
    let given = entry.arguments.as_ref().and_then(CallArguments::as_json);
    let secrets = given.map(secrets).unwrap_or_default();
    // Overt generates these values.
    let ours = [
        ("call", &entry.call),
        ("principal", &entry.principal),
        ("server_id", &entry.server_id),
        ("tool_digest", &entry.tool_digest),
        ("grant", &entry.grant),
        ("change", &entry.change),
        ("policy_version", &entry.policy_version),
        ("layer", &entry.layer),
    ];
    for (name, value) in ours {
        value.iter().for_each(|value| members.string(name, &cut(value, MAX_FIELD)));
    }
    let names = [
        ("agent", &entry.agent),
        ("server", &entry.server),
        ("project", &entry.project),
        ("target", &entry.target),
        ("method", &entry.method),
    ];
    for (name, value) in names {
        value
            .iter()
            .for_each(|value| members.string(name, &cleaned(value, &secrets, recurring, TextKind::Name)));
    }
    let texts = [("intent", &entry.intent), ("reason", &entry.reason)];
    for (name, value) in texts {
        value
            .iter()
            .for_each(|value| members.string(name, &cleaned(value, &secrets, recurring, TextKind::Text)));
    }
    // These values hardly ever recur.
    for (name, value) in [("trace", &entry.trace), ("plan", &entry.plan)] {
        value.iter().for_each(|value| members.string(name, &clean(value, &secrets)));
    }
    let lists = [
        ("needed", &entry.needed),
        ("requested", &entry.requested),
        ("changes", &entry.changes),
        ("rules", &entry.rules),
        ("rule_errors", &entry.rule_errors),
    ];
    for (name, values) in lists.into_iter().filter(|(_, values)| !values.is_empty()) {
        members.add(name, |tokens| push_list(tokens, values, &secrets, recurring));
    }
    entry.session.iter().for_each(|session| members.string("session", &recurring.digest(session, keys)));
    let words = [
        ("decision", entry.decision),
        ("effect", entry.effect),
        ("basis", entry.basis),
        ("trust", entry.trust),
    ];
    for (name, word) in words {
        word.iter().for_each(|word| members.string(name, word));
    }
    entry.outcome.iter().for_each(|outcome| members.string("outcome", outcome.as_str()));
    if entry.preview {
        members.token("preview", "true");
    }
    if let Some(value) = given {
        members.string("args_digest", &keys.content_digest(value.as_str()));
        if arguments == Arguments::Redacted {
            members.string("args_redacted", &shown(value));
        }
    }
    if let Some(answer) = &entry.answer {
        describe_result(answer, members, keys);
    }
    entry.latency.iter().for_each(|latency| members.add("latency_us", |tokens| push_times(tokens, *latency)));
}

pub(super) fn describe_result(answer: &Message, members: &mut Members, keys: &Keys) {
    let Some(result) = answer.result_body().value() else { return };
    members.string("result_digest", &keys.content_digest(result.as_str()));
    members.number("result_bytes", result.as_str().len() as u64);
}

/// Appends the times, sorted by name like all members.
fn push_times(tokens: &mut String, Latency { policy, approval, upstream, total }: Latency) {
    // Writing to a string never fails.
    let _ = write!(
        tokens,
        r#"{{"approval":{approval},"policy":{policy},"total":{total},"upstream":{upstream}}}"#
    );
}

/// Returns the text as [`clean`] returns it, from the cache if possible. Only calls without secrets
/// share cleaned texts, because the secrets of one call are not those of another.
fn cleaned<'a>(
    text: &'a str,
    secrets: &[String],
    recurring: &mut RecurringTexts,
    recurs: TextKind,
) -> Cow<'a, str> {
    match secrets {
        [] => recurring.cleaned(recurs, text, |text| clean(text, &[])),
        secrets => clean(text, secrets),
    }
}

/// Returns the text without the given secrets and without anything that looks like a secret,
/// limited in size.
fn clean<'a>(text: &'a str, secrets: &[String]) -> Cow<'a, str> {
    let end = text.floor_char_boundary(MAX_CLEANED);
    let mut shown = Cow::Borrowed(&text[..end]);
    for secret in secrets {
        if shown.contains(secret.as_str()) {
            shown = Cow::Owned(shown.replace(secret.as_str(), HIDDEN));
        }
    }
    if let Cow::Owned(hidden) = hide(&shown) {
        shown = Cow::Owned(hidden);
    }
    if end == text.len() && shown.len() <= MAX_FIELD {
        return shown;
    }
    // A secret that was cut in two might not be recognized.
    let kept = if end < text.len() {
        shown.floor_char_boundary(shown.len().saturating_sub(UNSURE))
    } else {
        shown.len()
    };
    Cow::Owned(cut(&shown[..kept], MAX_FIELD).into_owned())
}

fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(most - 32);
    Cow::Owned(format!("{}… [{} bytes cut]", &text[..end], text.len() - end))
}

/// Appends a list of texts, shortened. The list must not be empty.
fn push_list(tokens: &mut String, values: &[String], secrets: &[String], recurring: &mut RecurringTexts) {
    let (mut shown, mut bytes) = (0, 0);
    for value in values.iter().take(MAX_LIST) {
        let value = cleaned(value, secrets, recurring, TextKind::Text);
        bytes += value.len();
        if bytes > MAX_FIELD {
            break;
        }
        tokens.push(if shown == 0 { '[' } else { ',' });
        push_quoted(tokens, &value);
        shown += 1;
    }
    if shown < values.len() {
        tokens.push(if shown == 0 { '[' } else { ',' });
        push_quoted(tokens, &format!("… [{} cut]", values.len() - shown));
    }
    tokens.push(']');
}

/// Returns the arguments as text without secrets.
fn shown(arguments: Json<'_>) -> String {
    if arguments.as_str().len() > MAX_SEARCHED {
        return format!("[{} bytes cut]", arguments.as_str().len());
    }
    cut(&redact(arguments, Strings::Cut), MAX_FIELD).into_owned()
}

/// Returns the values of arguments whose names mean a secret, because an intent or a scope may
/// quote them.
fn secrets(arguments: Json<'_>) -> Vec<String> {
    let mut found = Vec::new();
    if arguments.as_str().len() <= MAX_SEARCHED {
        collect(arguments, false, &mut found);
    }
    // The longest comes first, because one secret may be part of another.
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
