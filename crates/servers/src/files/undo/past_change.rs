//! A past change, for display.
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::super::journal::{Record, RecordedStep};

/// A past change, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastChange {
    pub id: String,
    pub tool: String,
    pub at: SystemTime,
    /// The name and version that the client reports.
    pub client: Option<String>,
    pub project: Option<String>,
    /// A short digest of the client's session.
    pub session: Option<String>,
    /// What was done, as one word.
    pub what: &'static str,
    /// Every path of the change, absolute.
    pub paths: Vec<String>,
    /// A line for each changed file, as people were shown it. Empty in records of the first
    /// version.
    pub lines: Vec<String>,
    /// The id of the change that this one undid.
    pub undoes: Option<String>,
    /// Whether the change was undone, and the undoing was not undone in turn.
    pub is_undone: bool,
}

impl PastChange {
    /// The short id, such as `c-3fa9c1`, for display. The full id works wherever this one does.
    pub fn short_id(&self) -> String {
        short_id(&self.id)
    }
}

/// Shortens an id.
fn short_id(id: &str) -> String {
    id.rsplit_once('-').map_or_else(|| id.to_owned(), |(_, last)| format!("c-{last}"))
}

impl From<&Record> for PastChange {
    fn from(record: &Record) -> Self {
        let what = match &record.step {
            RecordedStep::Put { before: Some(_), .. } | RecordedStep::PutAll { .. } => "edited",
            RecordedStep::Put { before: None, .. } | RecordedStep::Grown { .. } => "created",
            RecordedStep::Removed { .. } => "deleted",
            RecordedStep::Moved { .. } => "moved",
            RecordedStep::Made { .. } => "made",
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
