//! A record that waits to be written. It stays small whatever the size of the call: of a large call
//! it keeps only what the record will contain, so that large calls take no room from others.
use std::sync::Arc;

use overt_layers::audit::{Entry, Kind};
use overt_wire::Message;

use super::describe::Describer;
use super::entry_members::{PackedEntry, arguments_of, each_member};
use super::keys::Keys;
use super::line::Members;
use super::options::Arguments;
use super::recurring::RecurringTexts;
use super::result_digest::ResultDigest;

/// The most bytes of an entry that waits undescribed. The writer describes such entries one after
/// the other, which takes less time than describing each between two calls.
const SMALL: u16 = 4 << 10;
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
    /// The answer, if the writer digests it.
    answer: Option<Message>,
}

#[derive(Debug)]
enum Content {
    Packed(PackedEntry),
    /// The members of the record, sorted.
    Described(Members),
}

impl Draft {
    /// Creates a draft. `room` returns how many bytes of the answer of a call may wait.
    pub(super) fn of(
        entry: &Entry,
        room: impl FnOnce(Option<&str>) -> usize,
        keys: &Keys,
        arguments: Arguments,
    ) -> Self {
        let length = entry.answer.as_ref().map_or(0, |answer| answer.text().len());
        let waits = length > DIGESTED_AT_ONCE && length <= room(entry.call.as_deref());
        let (answer, waiting) = match waits {
            true => (entry.answer.clone(), length),
            false => (None, 0),
        };
        let digested = entry.answer.as_ref().filter(|_| !waits);
        let result = digested.and_then(|answer| ResultDigest::of(answer, keys));
        let (content, bytes) = match PackedEntry::of(entry, result.as_ref(), SMALL) {
            Some(packed) => {
                let bytes = packed.bytes();
                (Content::Packed(packed), bytes)
            }
            None => {
                let (mut members, mut recurring) = (Members::default(), RecurringTexts::default());
                let given = arguments_of(entry);
                let mut describer = Describer::new(keys, arguments, given, &mut members, &mut recurring);
                each_member(entry, result.as_ref(), |member, text| describer.add(member, text));
                describer.finish();
                let bytes = members.bytes();
                (Content::Described(members), bytes)
            }
        };
        let call = Arc::from(entry.call.as_deref().unwrap_or_default());
        Self { kind: entry.kind, call, bytes: bytes + waiting, content, answer }
    }

    /// Returns the members of the record, sorted. `described` holds them if they are made now.
    pub(super) fn members<'a>(
        &'a self,
        described: &'a mut Members,
        keys: &Keys,
        arguments: Arguments,
        recurring: &mut RecurringTexts,
    ) -> &'a Members {
        described.clear();
        match (&self.content, &self.answer) {
            (Content::Described(members), None) => return members,
            (Content::Described(members), Some(_)) => described.extend(members),
            (Content::Packed(entry), _) => {
                let mut describer = Describer::new(keys, arguments, entry.arguments(), described, recurring);
                entry.each(|member, text| describer.add(member, text));
                describer.finish();
            }
        }
        if let Some(result) = self.answer.as_ref().and_then(|answer| ResultDigest::of(answer, keys)) {
            described.token("result_bytes", &result.length());
            described.string("result_digest", result.as_str());
            described.sort();
        }
        described
    }
}
