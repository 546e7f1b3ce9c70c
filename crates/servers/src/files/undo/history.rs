//! Every change that is kept, whatever roots it was made under, and by whichever process.
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::access::OpenError;
use super::super::journal::{Journal, gather_journals};
use super::batch::{Batch, MOST_BYTES};
use super::error::UndoError;
use super::not_undone::NotUndone;
use super::past_change::PastChange;

/// The journal of a user, opened to look at it and to undo.
#[derive(Debug)]
pub struct History {
    pub(super) journal: Arc<Journal>,
    pub(super) folder: PathBuf,
}

impl History {
    /// `files` is the folder of the file servers in the state folder. None if there never was one.
    pub fn open(files: &Path) -> Result<Option<Self>, OpenError> {
        if !files.is_dir() {
            return Ok(None);
        }
        gather_journals(files)?;
        let folder = files.join("journal");
        Ok(Some(Self { journal: Arc::new(Journal::open(&folder, MOST_BYTES)?), folder }))
    }

    /// All changes, the last one first.
    pub fn changes(&self) -> impl Iterator<Item = PastChange> {
        let mut not_undone = NotUndone::default();
        let mut touched: HashSet<String> = HashSet::new();
        self.journal.all().map(move |record| {
            let is_undone = not_undone.is_undone(&record.id);
            // An undoing that was killed before it happened undid nothing (I-05). Once the path was
            // changed again, that can't be told from what is there.
            let is_last = !record.step.paths().iter().any(|path| touched.contains(*path));
            if record.undoes.is_none() || !is_last || !self.is_void(&record.id) {
                not_undone.takes(&record.id, record.undoes.as_deref());
                touched.extend(record.step.paths().into_iter().map(str::to_owned));
            }
            PastChange { is_undone, ..PastChange::from(&record) }
        })
    }

    /// Whether what was there before a change is there now: it never happened, or was taken back by
    /// hand.
    pub fn is_void(&self, id: &str) -> bool {
        matches!(self.plan(&[id.to_owned()]), Err(UndoError::Nothing(_)))
    }

    /// The changes with these names, the last one first, planned together: all of them can be
    /// undone, or the error says why not.
    pub fn plan(&self, ids: &[String]) -> Result<Batch, UndoError> {
        let mut ids = ids.to_vec();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids.dedup();
        Batch::plan(&self.journal, &self.folder, &ids)
    }
}
