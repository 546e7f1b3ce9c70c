//! Replaces byte ranges of a file, parses the result, and checks that everything outside the ranges
//! is unchanged.
use std::ops::Range;

use super::document::{Document, DocumentError, Entry, EntryId};

/// A byte range and the text that replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub entry: EntryId,
    pub place: EditPosition,
    pub range: Range<usize>,
    pub original: String,
    pub written: String,
}

/// The position of an edit inside an entry, so that it can be found again after other edits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditPosition {
    /// The member names that lead to the value; empty for the whole entry.
    pub path: Vec<String>,
    /// True if the text is inserted after the value instead of replacing it.
    pub is_after: bool,
}

/// A changed file and the edits that were made.
#[derive(Debug, Clone)]
pub struct Spliced {
    pub document: Document,
    pub edits: Vec<Edit>,
}

/// Why a change was rejected: it would affect more than it should. Nothing is written then.
#[derive(Debug, thiserror::Error)]
pub enum SpliceError {
    #[error("two changes overlap")]
    Overlap,
    #[error("the changed file can't be read")]
    Unreadable(#[source] DocumentError),
    #[error("the change would affect something else in the file")]
    Elsewhere,
}

/// The members that may change in an entry whose address is replaced by a command.
const OF_ADDRESS: [&str; 9] =
    ["type", "url", "httpUrl", "serverUrl", "headers", "command", "args", "env", "environment"];

impl Edit {
    pub(super) fn new(
        document: &Document,
        entry: &Entry,
        place: EditPosition,
        range: Range<usize>,
        written: String,
    ) -> Self {
        let original = document.text()[range.clone()].to_owned();
        Self { entry: entry.id.clone(), place, range, original, written }
    }

    /// Returns whether this edit may change the member at this path.
    fn affects(&self, path: &[&str]) -> bool {
        let table = self.entry.table.iter().map(String::as_str);
        let entry: Vec<&str> = table.chain([self.entry.name.as_str()]).collect();
        let Some(inner) = path.strip_prefix(entry.as_slice()) else { return false };
        let Some((last, above)) = self.place.path.split_last() else {
            return inner.len() == 1 && OF_ADDRESS.contains(&inner[0]);
        };
        match inner.split_last() {
            Some((name, before)) => {
                before.len() == above.len()
                    && before.iter().zip(above).all(|(one, other)| one == other)
                    && (name == last || (self.place.is_after && *name == "args"))
            }
            None => false,
        }
    }
}

/// Applies all edits. Everything else keeps its bytes and its meaning.
pub fn splice(document: &Document, mut edits: Vec<Edit>) -> Result<Spliced, SpliceError> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let text = document.text();
    let mut out = String::with_capacity(text.len());
    let mut kept: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for edit in &edits {
        let before = text.get(at..edit.range.start).ok_or(SpliceError::Overlap)?;
        kept.push(out.len()..out.len() + before.len());
        out.push_str(before);
        out.push_str(&edit.written);
        at = edit.range.end;
    }
    let rest = text.get(at..).ok_or(SpliceError::Overlap)?;
    kept.push(out.len()..out.len() + rest.len());
    out.push_str(rest);
    let changed = document.with_text(out).map_err(SpliceError::Unreadable)?;
    let untouched: String = kept.iter().map(|range| &changed.text()[range.clone()]).collect();
    let mut outside = String::with_capacity(untouched.len());
    let mut at = 0;
    for edit in &edits {
        outside.push_str(&text[at..edit.range.start]);
        at = edit.range.end;
    }
    outside.push_str(&text[at..]);
    let skip = |path: &[&str]| edits.iter().any(|edit| edit.affects(path));
    let is_same = document.root().is_same(changed.root(), &mut Vec::new(), &skip);
    let has_same_entries = document.entries().len() == changed.entries().len();
    match untouched == outside && is_same && has_same_entries {
        true => Ok(Spliced { document: changed, edits }),
        false => Err(SpliceError::Elsewhere),
    }
}
