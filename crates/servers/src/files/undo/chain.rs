//! Shows a change whose result a later change in the same batch has replaced. It can be undone once
//! the later one is. What it left is the old content of the later change, which the journal has.
use std::io::Read;

use overt_toolbox::{Blob, Body, Change, Tree};

use super::super::journal::{After, Before, Journal, Record, RecordedStep};
use super::super::tools::shown_bytes;
use super::error::UndoError;

/// Contents above this many bytes are shown by their size only.
const SHOWN_BYTES: u64 = 16 << 20;

/// Whether two changes share a path, or one has a folder that contains a path of the other.
pub(super) fn overlap(one: &Record, other: &Record) -> bool {
    let is_around = |folder: &str, path: &str| {
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let paths = other.step.paths();
    one.step.paths().iter().any(|a| paths.iter().any(|b| is_around(a, b) || is_around(b, a)))
}

/// Returns the next change in the batch to the same paths. `later` has the latest change first.
pub(super) fn nearest<'a>(record: &Record, later: &[&'a Record]) -> Option<&'a Record> {
    later.iter().rev().find(|later| overlap(later, record)).copied()
}

/// Returns what undoing the change will show, once the later one is undone.
pub(super) fn changes(record: &Record, later: &Record, journal: &Journal) -> Result<Vec<Change>, UndoError> {
    let changed = |path: &str| UndoError::Changed {
        change: record.id.clone(),
        path: path.to_owned(),
        at: None,
        by: None,
    };
    Ok(match (&record.step, &later.step) {
        (RecordedStep::Put { path, before, after }, RecordedStep::Put { path: same, before: left, .. })
            if path == same =>
        {
            // If one of these checks fails, another program has changed the file between the two
            // changes.
            let left = left.as_ref().ok_or_else(|| changed(path))?;
            if left.digest.is_some() && !is_left(left, after) {
                return Err(changed(path));
            }
            let now = content(journal, later, left).ok_or_else(|| UndoError::Unknown(later.id.clone()))?;
            match before {
                Some(before) => {
                    let then = content(journal, record, before);
                    let then = then.ok_or_else(|| UndoError::Unknown(record.id.clone()))?;
                    vec![Change::edited(path, now, then)]
                }
                None => vec![Change::deleted(path, now)],
            }
        }
        (RecordedStep::Put { path, before: Some(before), .. }, _) => {
            let then = content(journal, record, before);
            let then = then.ok_or_else(|| UndoError::Unknown(record.id.clone()))?;
            vec![Change::created(path, then)]
        }
        (RecordedStep::Put { path, before: None, .. } | RecordedStep::Made { path, .. }, _) => {
            vec![Change::deleted(path, Tree::new())]
        }
        // The later change may be of any kind, so each file is shown by its old content alone,
        // without a comparison.
        (RecordedStep::PutAll { puts }, _) => {
            let mut changes = Vec::with_capacity(puts.len());
            for (index, put) in puts.iter().enumerate() {
                let then = kept(journal, record, index, &put.before);
                let then = then.ok_or_else(|| UndoError::Unknown(record.id.clone()))?;
                changes.push(Change::created(&put.path, then));
            }
            changes
        }
        (RecordedStep::Grown { folders, .. }, _) => {
            folders.first().map(|folder| Change::deleted(folder, Tree::new())).into_iter().collect()
        }
        (RecordedStep::Removed { path, .. }, _) => vec![Change::created(path, Tree::new())],
        (RecordedStep::Moved { from, to, .. }, _) => vec![Change::moved(to, from, Tree::new())],
    })
}

/// Whether the old content of a later change is what the earlier change left.
pub(super) fn is_left(left: &Before, after: &After) -> bool {
    left.digest == Some(after.digest)
}

/// Returns the old content of one file in a change of several files.
pub(super) fn kept(journal: &Journal, record: &Record, index: usize, before: &Before) -> Option<Body> {
    body(journal.kept_file(&record.id, index)?, before)
}

/// Returns the old content of a change.
pub(super) fn content(journal: &Journal, record: &Record, before: &Before) -> Option<Body> {
    let (_, kept) = journal.find(&record.id).ok()?;
    body(kept, before)
}

/// Returns `None` if the journal no longer has the whole content.
fn body(kept: impl Read, before: &Before) -> Option<Body> {
    if before.size > SHOWN_BYTES {
        return Some(Blob::new(before.size).into());
    }
    let mut bytes = Vec::new();
    kept.take(before.size).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == before.size).then(|| shown_bytes(&bytes))
}
