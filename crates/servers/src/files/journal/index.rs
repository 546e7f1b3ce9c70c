//! The index of the journal: which changes it has, and how many bytes each takes.
use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

/// Most changes that are kept.
const MOST_CHANGES: usize = 10_000;

/// The changes in the journal, as far as this process knows. Other processes may have added or
/// removed some since the folder was read.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The changes that were made, with the bytes that each takes. `None` until the folder was
    /// read.
    pub(super) changes: Option<BTreeMap<String, u64>>,
    /// The bytes of all these changes.
    pub(super) total: u64,
    /// Changes of this process that are being made.
    pub(super) pending: HashMap<String, Pending>,
    /// The modification time of the folder after our latest known change. Another process may have
    /// changed it since.
    pub(super) modified: (i64, i64),
    /// When the folder was last read.
    pub(super) checked_at: Option<Instant>,
    /// Whether several changes of ours overlapped since the folder was read. Those can't be told
    /// from changes of another process, and reading the folder takes long.
    pub(super) is_mixed: bool,
}

#[derive(Debug)]
pub(super) struct Pending {
    pub(super) bytes: u64,
    /// The earlier change whose kept content this one needs.
    pub(super) restored_from: Option<String>,
}

impl Index {
    /// Sets the bytes that a change takes; `None` removes the change. Does nothing before the
    /// folder was read.
    pub(super) fn set(&mut self, id: &str, bytes: Option<u64>) {
        let Some(changes) = &mut self.changes else { return };
        let before = match bytes {
            Some(bytes) => changes.insert(id.to_owned(), bytes),
            None => changes.remove(id),
        };
        self.total = self.total.saturating_sub(before.unwrap_or(0)).saturating_add(bytes.unwrap_or(0));
    }

    /// Returns the oldest change to evict, if there are too many changes or too many bytes. Skips
    /// the changes in `but`, and those that a pending change needs.
    pub(super) fn oldest_beyond(&self, max_bytes: u64, but: &[String]) -> Option<String> {
        let changes = self.changes.as_ref()?;
        if changes.len() <= MOST_CHANGES && self.total <= max_bytes {
            return None;
        }
        let is_needed = |id: &str| {
            but.iter().any(|other| other == id)
                || self.pending.values().any(|pending| pending.restored_from.as_deref() == Some(id))
        };
        changes.keys().find(|id| !is_needed(id)).cloned()
    }
}
