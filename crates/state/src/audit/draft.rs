//! An entry that waits to be written. It stays small whatever the size of the call: of a large call
//! it keeps only what the record will contain, so that large calls take no room from others.
use std::sync::Arc;

use overt_layers::audit::{CallArguments, Entry, Kind};

use super::describe::{describe, describe_result};
use super::keys::Keys;
use super::line::Members;
use super::options::Arguments;
use super::recurring::RecurringTexts;

/// The most bytes of an entry that waits unconverted. The writer converts such an entry, so that
/// the caller returns sooner.
const SMALL: usize = 4 << 10;

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
    Entry(Box<Entry>),
    /// The entry without its answer, and the members that describe the answer.
    WithoutResult(Box<Entry>, Members),
    Described(Members),
}

impl Draft {
    /// Creates a draft. An answer of at most `room` bytes waits as it was sent, and the writer
    /// computes its digest while the caller goes on.
    pub(super) fn of(mut entry: Entry, room: usize, keys: &Keys, arguments: Arguments) -> Self {
        let (kind, call) = (entry.kind, Arc::from(entry.call.as_deref().unwrap_or_default()));
        let bytes = size(&entry);
        if bytes > SMALL {
            let mut members = Members::default();
            describe(&entry, &mut members, keys, arguments, &mut RecurringTexts::default());
            return Self { kind, call, bytes: members.bytes(), content: Content::Described(members) };
        }
        let answer = entry.answer.as_ref().map_or(0, |answer| answer.text().len());
        if bytes + answer <= SMALL || answer <= room {
            return Self { kind, call, bytes: bytes + answer, content: Content::Entry(Box::new(entry)) };
        }
        let mut said = Members::default();
        entry.answer.take().iter().for_each(|answer| describe_result(answer, &mut said, keys));
        Self { kind, call, bytes, content: Content::WithoutResult(Box::new(entry), said) }
    }

    /// Adds the members of this record after those that every record begins with.
    pub(super) fn describe(
        &self,
        members: &mut Members,
        keys: &Keys,
        arguments: Arguments,
        recurring: &mut RecurringTexts,
    ) {
        match &self.content {
            Content::Entry(entry) => describe(entry, members, keys, arguments, recurring),
            Content::WithoutResult(entry, said) => {
                describe(entry, members, keys, arguments, recurring);
                members.extend(said);
            }
            Content::Described(described) => members.extend(described),
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
