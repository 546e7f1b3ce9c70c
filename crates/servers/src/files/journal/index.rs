//! What is in the journal, as far as this process knows.
use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

/// Changes that are kept.
const MOST_CHANGES: usize = 10_000;

/// What is there, as far as this process knows.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Changes that were made, from the id to their bytes; none before it was looked at.
    pub(super) changes: Option<BTreeMap<String, u64>>,
    /// The bytes of all of them.
    pub(super) total: u64,
    /// Changes of ours that are being made.
    pub(super) pending: HashMap<String, Pending>,
    /// When the folder was changed last, as far as that is known here: another process may have
    /// changed it since.
    pub(super) modified: (i64, i64),
    /// When it was looked at.
    pub(super) looked: Option<Instant>,
    /// Since it was looked at, several changes of ours came at once, which look like those of
    /// another process; and to look takes long.
    pub(super) is_mixed: bool,
}

#[derive(Debug)]
pub(super) struct Pending {
    pub(super) bytes: u64,
    /// The earlier change that it needs.
    pub(super) made_of: Option<String>,
}

impl Index {
    /// What a change takes now; none if it is gone. Before anything was looked at, nothing is
    /// counted.
    pub(super) fn set(&mut self, id: &str, bytes: Option<u64>) {
        let Some(changes) = &mut self.changes else { return };
        let before = match bytes {
            Some(bytes) => changes.insert(id.to_owned(), bytes),
            None => changes.remove(id),
        };
        self.total = self.total.saturating_sub(before.unwrap_or(0)).saturating_add(bytes.unwrap_or(0));
    }

    /// The oldest change, if there is more than there may be. What a change needs that is being
    /// made stays.
    pub(super) fn oldest_beyond(&self, max_bytes: u64, but: &[String]) -> Option<String> {
        let changes = self.changes.as_ref()?;
        if changes.len() <= MOST_CHANGES && self.total <= max_bytes {
            return None;
        }
        let is_needed = |id: &str| {
            but.iter().any(|other| other == id)
                || self.pending.values().any(|pending| pending.made_of.as_deref() == Some(id))
        };
        changes.keys().find(|id| !is_needed(id)).cloned()
    }
}
