//! A record that waits to be written. It stays small whatever the size of the call: of a large call it
//! keeps only what the record will contain, so that large calls take no room from others.
use std::sync::Arc;

use overt_layers::audit::{CallArguments, Entry, Kind};

use super::describe::{ResultDigest, describe};
use super::keys::Keys;
use super::line::Members;
use super::options::Arguments;
use super::recurring::RecurringTexts;

/// The most bytes of an entry that waits undescribed. The writer describes such entries one after
/// the other, which takes less time than describing each between two calls.
const SMALL: usize = 4 << 10;
/// The most bytes of an answer that the caller digests. The answer is then in the processor's
/// cache, and its memory can be used for the next one. The writer digests a longer one while the
/// caller goes on.
const DIGESTED_AT_ONCE: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Draft {
    pub(super) kind: Kind,
    /// The id of the call; empty if there is none.
    pub(super) call: Arc<str>,
    pub(super) bytes: usize,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// An entry, and the digest of its answer, unless the entry still has the answer.
    Entry(Box<Entry>, Option<ResultDigest>),
    /// The members of the record, sorted.
    Described(Members),
}

impl Draft {
    /// Creates a draft. `room` returns how many bytes of the answer of a call may wait.
    pub(super) fn of(
        mut entry: Entry,
        room: impl FnOnce(Option<&str>) -> usize,
        keys: &Keys,
        arguments: Arguments,
    ) -> Self {
        let (kind, call) = (entry.kind, Arc::from(entry.call.as_deref().unwrap_or_default()));
        let length = entry.answer.as_ref().map_or(0, |answer| answer.text().len());
        let waits = length > DIGESTED_AT_ONCE && length <= room(entry.call.as_deref());
        let result = match waits {
            true => None,
            false => entry.answer.take().and_then(|answer| ResultDigest::of(&answer, keys)),
        };
        let bytes = size(&entry);
        if bytes > SMALL {
            let mut members = Members::default();
            describe(&entry, result.as_ref(), &mut members, keys, arguments, &mut RecurringTexts::default());
            return Self { kind, call, bytes: members.bytes(), content: Content::Described(members) };
        }
        let bytes = bytes + if waits { length } else { 0 };
        Self { kind, call, bytes, content: Content::Entry(Box::new(entry), result) }
    }

    /// Returns the members of the record, sorted. `described` holds them if they are made now.
    pub(super) fn members<'a>(
        &'a self,
        described: &'a mut Members,
        keys: &Keys,
        arguments: Arguments,
        recurring: &mut RecurringTexts,
    ) -> &'a Members {
        match &self.content {
            Content::Described(members) => members,
            Content::Entry(entry, result) => {
                described.clear();
                describe(entry, result.as_ref(), described, keys, arguments, recurring);
                described
            }
        }
    }
}

/// Returns the size in bytes of all texts that a caller can influence, without the answer.
fn size(entry: &Entry) -> usize {
    let texts = [
        &entry.call,
        &entry.trace,
        &entry.session,
        &entry.principal,
        &entry.agent,
        &entry.server,
        &entry.server_id,
        &entry.project,
        &entry.target,
        &entry.method,
        &entry.intent,
        &entry.grant,
        &entry.layer,
        &entry.reason,
        &entry.plan,
        &entry.change,
    ];
    let lists = [&entry.needed, &entry.requested, &entry.rules, &entry.rule_errors, &entry.changes];
    entry.arguments.as_ref().map_or(0, CallArguments::bytes)
        + texts.into_iter().flatten().map(String::len).sum::<usize>()
        + lists.into_iter().flatten().map(String::len).sum::<usize>()
}
