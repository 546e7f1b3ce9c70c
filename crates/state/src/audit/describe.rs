//! Converts an entry to the members of a record. Digests replace what may be secret, and every text
//! is limited in size.
use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::SystemTime;

use overt_layers::audit::{CallArguments, CallOutcome, Entry, Kind, Latency};
use overt_policy::secrets::{HIDDEN, Strings, hide, is_secret_name, redact};
use overt_policy::word::StringEnum as _;
use overt_wire::Message;
use overt_wire::json::{Json, push_quoted};
use overt_wire::rfc3339::push_micros;

use super::keys::Keys;
use super::line::Members;
use super::options::Arguments;
use super::recurring::RecurringTexts;

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

/// Writes the members that every record has.
pub(super) fn frame(members: &mut Members, kind: Kind, moment: Timestamp, boot: &str, synced: u64) {
    members.string("boot", boot);
    members.string("kind", kind.as_str());
    members.number("mono_ns", moment.nanos);
    members.number("synced", synced);
    members.add("ts", |tokens| {
        tokens.push('"');
        push_micros(tokens, moment.wall);
        tokens.push('"');
    });
    members.number("v", 1);
}

/// Writes the members that describe an entry, in the order in which a line has them.
///
/// `result` is the digest of the answer, if the entry does not have the answer itself.
pub(super) fn describe(
    entry: &Entry,
    result: Option<&ResultDigest>,
    members: &mut Members,
    keys: &Keys,
    arguments: Arguments,
    recurring: &mut RecurringTexts,
) {
    let given = entry.arguments.as_ref().and_then(CallArguments::as_json);
    let secrets = given.map(secrets).unwrap_or_default();
    let mut record = Description { members, secrets: &secrets, recurring };
    record.text("agent", entry.agent.as_deref());
    if let Some(value) = given {
        record.members.string("args_digest", &keys.content_digest(value.as_str()));
        if arguments == Arguments::Redacted {
            record.members.string("args_redacted", &shown(value));
        }
    }
    record.ours("basis", entry.basis);
    record.ours("call", entry.call.as_deref());
    record.ours("change", entry.change.as_deref());
    record.list("changes", &entry.changes);
    record.ours("decision", entry.decision);
    record.ours("effect", entry.effect);
    record.ours("grant", entry.grant.as_deref());
    record.text("intent", entry.intent.as_deref());
    if let Some(latency) = entry.latency {
        record.members.add("latency_us", |tokens| push_times(tokens, latency));
    }
    record.ours("layer", entry.layer.as_deref());
    record.text("method", entry.method.as_deref());
    record.list("needed", &entry.needed);
    record.ours("outcome", entry.outcome.map(CallOutcome::as_str));
    record.rare("plan", entry.plan.as_deref());
    record.ours("policy_version", entry.policy_version.as_deref());
    if entry.preview {
        record.members.token("preview", "true");
    }
    record.ours("principal", entry.principal.as_deref());
    record.text("project", entry.project.as_deref());
    record.text("reason", entry.reason.as_deref());
    record.list("requested", &entry.requested);
    let answered = entry.answer.as_ref().and_then(|answer| ResultDigest::of(answer, keys));
    if let Some(ResultDigest { digest, bytes }) = answered.as_ref().or(result) {
        record.members.number("result_bytes", *bytes);
        record.members.string("result_digest", digest);
    }
    record.list("rule_errors", &entry.rule_errors);
    record.list("rules", &entry.rules);
    record.text("server", entry.server.as_deref());
    record.ours("server_id", entry.server_id.as_deref());
    if let Some(session) = &entry.session {
        record.members.string("session", &record.recurring.digest(session, keys));
    }
    record.text("target", entry.target.as_deref());
    record.ours("tool_digest", entry.tool_digest.as_deref());
    record.rare("trace", entry.trace.as_deref());
    record.ours("trust", entry.trust);
    members.sort();
}

/// The members of a record that is being described.
struct Description<'a> {
    members: &'a mut Members,
    /// The values of arguments that are secret, because other texts may quote them.
    secrets: &'a [String],
    recurring: &'a mut RecurringTexts,
}

impl Description<'_> {
    /// Writes a value that Overt generates.
    fn ours(&mut self, name: &'static str, value: Option<&str>) {
        if let Some(value) = value {
            self.members.string(name, &cut(value, MAX_FIELD));
        }
    }

    /// Writes a text that may recur in the next record.
    fn text(&mut self, name: &'static str, value: Option<&str>) {
        if let Some(value) = value {
            self.members.string(name, &cleaned(name, value, self.secrets, self.recurring));
        }
    }

    /// Writes a value that hardly ever recurs.
    fn rare(&mut self, name: &'static str, value: Option<&str>) {
        if let Some(value) = value {
            self.members.string(name, &clean(value, self.secrets));
        }
    }

    fn list(&mut self, name: &'static str, values: &[String]) {
        if !values.is_empty() {
            self.members.add(name, |tokens| push_list(name, tokens, values, self.secrets, self.recurring));
        }
    }
}

/// The digest of a result, and its length.
#[derive(Debug)]
pub(super) struct ResultDigest {
    digest: String,
    bytes: u64,
}

impl ResultDigest {
    /// Returns `None` for an answer without a result.
    pub(super) fn of(answer: &Message, keys: &Keys) -> Option<Self> {
        let result = answer.result_body().value()?.as_str();
        Some(Self { digest: keys.content_digest(result), bytes: result.len() as u64 })
    }
}

/// Appends the times, sorted by name like all members.
fn push_times(tokens: &mut String, Latency { policy, approval, upstream, total }: Latency) {
    // Writing to a string never fails.
    let _ = write!(
        tokens,
        r#"{{"approval":{approval},"policy":{policy},"total":{total},"upstream":{upstream}}}"#
    );
}

/// Returns the text of a member as [`clean`] returns it, from the cache if possible. Only calls
/// without secrets share cleaned texts, because the secrets of one call are not those of another.
fn cleaned<'a>(
    member: &'static str,
    text: &'a str,
    secrets: &[String],
    recurring: &mut RecurringTexts,
) -> Cow<'a, str> {
    match secrets {
        [] => recurring.cleaned(member, text, |text| clean(text, &[])),
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
fn push_list(
    name: &'static str,
    tokens: &mut String,
    values: &[String],
    secrets: &[String],
    recurring: &mut RecurringTexts,
) {
    let (mut shown, mut bytes) = (0, 0);
    for value in values.iter().take(MAX_LIST) {
        let value = cleaned(name, value, secrets, recurring);
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
