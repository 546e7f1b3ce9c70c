//! An entry that waits to be written, small whatever the call was: of a large one only what the
//! record will say is kept, so that large calls take no room from others.
use std::sync::Arc;

use overt_layers::audit::{CallArguments, Entry, Kind};

use super::describe::{describe, describe_result};
use super::keys::Keys;
use super::line::Members;
use super::options::Arguments;
use super::recurring::RecurringTexts;

/// Bytes of an entry that waits as it came. Describing it is left to the writer, which keeps the
/// caller quick.
const SMALL: usize = 4 << 10;

#[derive(Debug)]
pub(super) struct Draft {
    pub(super) kind: Kind,
    /// The name of the call; empty if there is none.
    pub(super) call: Arc<str>,
    pub(super) bytes: usize,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Entry(Box<Entry>),
    /// What its result was said in few words, and then forgotten.
    WithoutResult(Box<Entry>, Members),
    Described(Members),
}

impl Draft {
    /// An answer waits as it was sent if it has at most `room` bytes, and the writer makes its
    /// digest while the caller goes on.
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

    /// Adds what the record says to what every record begins with.
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

/// Every text that a caller has a say in, without the answer.
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
