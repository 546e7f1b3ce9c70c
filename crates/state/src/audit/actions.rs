//! All actions, newest first. The records of one call become one action.
use std::collections::{HashSet, VecDeque};

use super::action::Action;
use super::newest::{NewestRecords, UnreadLog};

/// An iterator over the actions in the records of several logs.
#[derive(Debug)]
pub struct Actions {
    records: NewestRecords,
    /// The calls that were returned already; their earlier records add nothing.
    returned: HashSet<(usize, String)>,
    order: VecDeque<(usize, String)>,
}

/// The number of calls that are remembered. The records of one call are seldom further apart.
const MOST_REMEMBERED: usize = 20_000;

impl Actions {
    pub fn new(records: NewestRecords) -> Self {
        Self { records, returned: HashSet::new(), order: VecDeque::new() }
    }

    /// Returns the logs that could not be read so far.
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
            if !action.call.is_empty() && !self.returned.insert(key.clone()) {
                continue;
            }
            self.order.push_back(key);
            if self.order.len() > MOST_REMEMBERED
                && let Some(oldest) = self.order.pop_front()
            {
                self.returned.remove(&oldest);
            }
            return Some(action);
        }
    }
}
