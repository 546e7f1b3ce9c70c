//! Every action, the last one first: the records of a call are one action.
use std::collections::{HashSet, VecDeque};

use super::action::Action;
use super::newest::{NewestRecords, UnreadLog};

/// Actions from the records of several logs.
#[derive(Debug)]
pub struct Actions {
    records: NewestRecords,
    /// Calls that were returned: their earlier records tell nothing new.
    seen: HashSet<(usize, String)>,
    order: VecDeque<(usize, String)>,
}

/// Calls that are remembered. The records of one call are seldom so far apart.
const MOST_SEEN: usize = 20_000;

impl Actions {
    pub fn new(records: NewestRecords) -> Self {
        Self { records, seen: HashSet::new(), order: VecDeque::new() }
    }

    /// What could not be read so far.
    pub fn unread(&self) -> Vec<UnreadLog> {
        self.records.unread()
    }
}

impl Iterator for Actions {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        loop {
            let (log, record) = self.records.next()?;
            let Some(action) = Action::of(self.records.name_of(log), &record) else { continue };
            let key = (log, action.call.clone());
            if !action.call.is_empty() && !self.seen.insert(key.clone()) {
                continue;
            }
            self.order.push_back(key);
            if self.order.len() > MOST_SEEN
                && let Some(oldest) = self.order.pop_front()
            {
                self.seen.remove(&oldest);
            }
            return Some(action);
        }
    }
}
