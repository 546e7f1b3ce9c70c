//! An entry that waits to be written, small whatever the call was: of a large one only what the record will say is kept, so that large
//! calls take no room from others.
use overt_layers::audit::{Entry, Kind};

use super::describe::{describe, describe_result};
use super::keys::Keys;
use super::line::Members;
use super::options::Arguments;

/// Bytes of an entry that waits as it came. Describing it is left to the writer, which keeps the caller quick.
const SMALL: usize = 4 << 10;

#[derive(Debug)]
pub(super) struct Draft {
    pub(super) kind: Kind,
    pub(super) call: String,
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
    pub(super) fn of(mut entry: Entry, keys: &Keys, arguments: Arguments) -> Self {
        let (kind, call) = (entry.kind, entry.call.clone().unwrap_or_default());
        let bytes = size(&entry);
        if bytes <= SMALL {
            return Self { kind, call, bytes, content: Content::Entry(Box::new(entry)) };
        }
        if let Some(result) = entry.result.take() {
            let bytes = size(&entry);
            if bytes <= SMALL {
                let mut said = Members::default();
                describe_result(&result, &mut said, keys);
                return Self { kind, call, bytes, content: Content::WithoutResult(Box::new(entry), said) };
            }
            entry.result = Some(result);
        }
        let members = describe(&entry, Members::default(), keys, arguments);
        Self { kind, call, bytes: members.bytes(), content: Content::Described(members) }
    }

    /// What the record says, after what every record begins with.
    pub(super) fn describe(&self, mut frame: Members, keys: &Keys, arguments: Arguments) -> Members {
        match &self.content {
            Content::Entry(entry) => describe(entry, frame, keys, arguments),
            Content::WithoutResult(entry, said) => {
                let mut members = describe(entry, frame, keys, arguments);
                members.extend(said);
                members
            }
            Content::Described(members) => {
                frame.extend(members);
                frame
            }
        }
    }
}

/// Every text that a caller has a say in.
fn size(entry: &Entry) -> usize {
    let large = [&entry.arguments, &entry.result];
    let texts = [
        &entry.call,
        &entry.trace,
        &entry.session,
        &entry.principal,
        &entry.agent,
        &entry.server,
        &entry.target,
        &entry.method,
        &entry.intent,
        &entry.grant,
        &entry.layer,
        &entry.reason,
        &entry.plan,
    ];
    let lists = [&entry.needed, &entry.requested, &entry.rules, &entry.rule_errors];
    large.into_iter().flatten().map(|text| text.as_str().len()).sum::<usize>()
        + texts.into_iter().flatten().map(String::len).sum::<usize>()
        + lists.into_iter().flatten().map(String::len).sum::<usize>()
}
