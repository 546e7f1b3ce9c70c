//! The history of a user: every change in the journal, whatever its roots and whichever process
//! made it.
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::access::OpenError;
use super::super::journal::Journal;
use super::batch::{Batch, MOST_BYTES};
use super::error::UndoError;
use super::not_undone::NotUndone;
use super::past_change::PastChange;

/// The journal of a user, opened for reading and undoing.
#[derive(Debug)]
pub struct History {
    pub(super) journal: Arc<Journal>,
    pub(super) folder: PathBuf,
}

impl History {
    /// Opens the history. `files` is the folder of the file servers in the state folder. Returns
    /// `None` if no file server ever ran.
    pub fn open(files: &Path) -> Result<Option<Self>, OpenError> {
        if !files.is_dir() {
            return Ok(None);
        }
        let folder = files.join("journal");
        Ok(Some(Self { journal: Arc::new(Journal::open(&folder, MOST_BYTES)?), folder }))
    }

    /// Returns all changes, the latest first.
    pub fn changes(&self) -> impl Iterator<Item = PastChange> {
        let mut not_undone = NotUndone::default();
        let mut touched: HashSet<String> = HashSet::new();
        self.journal.all().map(move |record| {
            let is_undone = not_undone.is_undone(&record.id);
            // An undoing that was killed before it happened undid nothing (I-05). The files can
            // show this only until the path is changed again.
            let is_last = !record.step.paths().iter().any(|path| touched.contains(*path));
            if record.undoes.is_none() || !is_last || !self.is_void(&record.id) {
                not_undone.holds(&record.id, record.undoes.as_deref());
                touched.extend(record.step.paths().into_iter().map(str::to_owned));
            }
            PastChange { is_undone, ..PastChange::from(&record) }
        })
    }

    /// Whether the state before the change is the current one: the change never happened, or was
    /// reverted by hand.
    pub fn is_void(&self, id: &str) -> bool {
        matches!(self.plan(&[id.to_owned()]), Err(UndoError::Nothing(_)))
    }

    /// Plans undoing the changes with these ids together, the latest first. Fails unless all of
    /// them can be undone.
    pub fn plan(&self, ids: &[String]) -> Result<Batch, UndoError> {
        let mut ids = ids.to_vec();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids.dedup();
        Batch::plan(&self.journal, &self.folder, &ids)
    }
}
