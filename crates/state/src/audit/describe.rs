//! Writes the members of a record. Digests replace what may be secret, and every text is limited in
//! size.
use std::borrow::Cow;
use std::time::SystemTime;

use overt_layers::audit::Kind;
use overt_policy::word::StringEnum as _;
use overt_secrets::{HIDDEN, Strings, hide, is_secret_name, redact};
use overt_wire::json::Json;
use overt_wire::rfc3339::push_micros;

use super::entry_members::{EntryMember, Form};
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

/// Writes the members that describe an entry.
pub(super) struct Describer<'a> {
    keys: &'a Keys,
    mode: Arguments,
    arguments: Option<Json<'a>>,
    /// The values of arguments that are secret, because other texts may quote them.
    secrets: Vec<String>,
    members: &'a mut Members,
    recurring: &'a mut RecurringTexts,
    list: OpenList,
}

/// The list whose elements are being written.
#[derive(Debug, Default)]
struct OpenList {
    name: &'static str,
    shown: usize,
    bytes: usize,
    /// The number of elements that are too many.
    cut: usize,
}

impl<'a> Describer<'a> {
    pub(super) fn new(
        keys: &'a Keys,
        mode: Arguments,
        arguments: Option<Json<'a>>,
        members: &'a mut Members,
        recurring: &'a mut RecurringTexts,
    ) -> Self {
        let secrets = arguments.map(secrets).unwrap_or_default();
        Self { keys, mode, arguments, secrets, members, recurring, list: OpenList::default() }
    }

    /// Writes the next member, or the next element of a list.
    pub(super) fn add(&mut self, member: EntryMember, text: &str) {
        let (name, form) = (member.as_str(), member.form());
        if form == Form::Element {
            return self.element(member, text);
        }
        self.end_list();
        match form {
            Form::Ours => self.members.string(name, &cut(text, MAX_FIELD)),
            Form::Token => self.members.token(name, text),
            Form::Session => self.members.string(name, &self.recurring.digest(text, self.keys)),
            Form::Arguments => self.add_arguments(name),
            Form::Text | Form::Element => {
                self.members.string(name, &cleaned(member, text, &self.secrets, self.recurring));
            }
        }
    }

    pub(super) fn finish(mut self) {
        self.end_list();
        self.members.sort();
    }

    fn add_arguments(&mut self, name: &'static str) {
        let Some(arguments) = self.arguments else { return };
        self.members.string(name, &self.keys.content_digest(arguments.as_str()));
        if self.mode == Arguments::Redacted {
            self.members.string("args_redacted", &shown(arguments));
        }
    }

    fn element(&mut self, member: EntryMember, text: &str) {
        let name = member.as_str();
        if self.list.name != name {
            self.end_list();
            self.list.name = name;
        }
        if self.list.cut > 0 || self.list.shown == MAX_LIST {
            self.list.cut += 1;
            return;
        }
        let text = cleaned(member, text, &self.secrets, self.recurring);
        self.list.bytes += text.len();
        if self.list.bytes > MAX_FIELD {
            self.list.cut += 1;
            return;
        }
        self.members.element(name, &text);
        self.list.shown += 1;
    }

    fn end_list(&mut self) {
        let list = std::mem::take(&mut self.list);
        if list.cut > 0 {
            self.members.element(list.name, &format!("… [{} cut]", list.cut));
        }
    }
}

/// Returns the text of a member as [`clean`] returns it, from the cache if possible. Only calls
/// without secrets share cleaned texts, because the secrets of one call are not those of another.
fn cleaned<'a>(
    member: EntryMember,
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
