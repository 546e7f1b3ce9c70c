//! Every change that is kept, whatever roots it was made under, and by whichever process.
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::super::journal::{Journal, Record, Step, gather_journals};
use super::super::space::OpenError;
use super::batch::Batch;
use super::error::UndoError;
use super::not_undone::NotUndone;

/// The journal of a user, opened to look at it and to undo.
#[derive(Debug)]
pub struct History {
    pub(super) journal: Arc<Journal>,
    pub(super) folder: PathBuf,
}

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastChange {
    pub id: String,
    pub tool: String,
    pub at: SystemTime,
    /// The client's name and version, as it says.
    pub client: Option<String>,
    pub project: Option<String>,
    /// A short digest of the client's session.
    pub session: Option<String>,
    /// What was done, in one word.
    pub what: &'static str,
    /// Every path that it is about, absolute.
    pub paths: Vec<String>,
    /// A line for each change, as people were shown it. Empty in records of the first version.
    pub lines: Vec<String>,
    /// The change that this one undid.
    pub undoes: Option<String>,
    /// It was undone, and that was not undone in turn.
    pub is_undone: bool,
}

/// A history evicts nothing: how much is kept is for the servers to decide.
pub(super) const MOST_BYTES: u64 = 1 << 40;

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
            // An undoing that was killed before it happened undid nothing (I-05). Once the path was changed again, that can't be
            // told from what is there.
            let is_last = !record.step.paths().iter().any(|path| touched.contains(*path));
            if record.undoes.is_none() || !is_last || !self.is_void(&record.id) {
                not_undone.takes(&record.id, record.undoes.as_deref());
                touched.extend(record.step.paths().into_iter().map(str::to_owned));
            }
            PastChange { is_undone, ..PastChange::from(&record) }
        })
    }

    /// Whether what was there before a change is there now: it never happened, or somebody took it back by hand.
    pub fn is_void(&self, id: &str) -> bool {
        matches!(self.plan(&[id.to_owned()]), Err(UndoError::Nothing(_)))
    }

    /// The changes with these names, the last one first, planned together: all of them can be undone, or the error says why not.
    pub fn plan(&self, ids: &[String]) -> Result<Batch, UndoError> {
        let mut ids = ids.to_vec();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids.dedup();
        Batch::plan(self, &ids)
    }
}

impl PastChange {
    /// `c-3fa9c1`: short enough for a line. The whole id counts too wherever this does.
    pub fn short_id(&self) -> String {
        short_id(&self.id)
    }
}

/// The short form of an id.
fn short_id(id: &str) -> String {
    id.rsplit_once('-').map_or_else(|| id.to_owned(), |(_, last)| format!("c-{last}"))
}

impl From<&Record> for PastChange {
    fn from(record: &Record) -> Self {
        let what = match &record.step {
            Step::Put { before: Some(_), .. } | Step::PutAll { .. } => "edited",
            Step::Put { before: None, .. } | Step::Grown { .. } => "created",
            Step::Removed { .. } => "deleted",
            Step::Moved { .. } => "moved",
            Step::Made { .. } => "made",
        };
        Self {
            id: record.id.clone(),
            tool: record.tool.clone(),
            at: UNIX_EPOCH + Duration::from_millis(record.at),
            client: record.origin.client.clone(),
            project: record.origin.project.clone(),
            session: record.origin.session.clone(),
            what,
            paths: record.step.paths().into_iter().map(str::to_owned).collect(),
            lines: record.origin.changes.clone(),
            undoes: record.undoes.clone(),
            is_undone: false,
        }
    }
}
