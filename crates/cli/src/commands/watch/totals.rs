//! Counts today's allowed and refused calls, and how often a person was asked.
use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use jiff::Zoned;
use jiff::civil::Date;
use overt_state::audit::{Action, End, Follower, NewestRecords, RecordQuery};

use crate::settings::logs_in;

/// The counts of one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DayTotals {
    pub(super) allowed: usize,
    pub(super) asked: usize,
    pub(super) refused: usize,
}

impl fmt::Display for DayTotals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Today: {} allowed, {} asked, {} refused", self.allowed, self.asked, self.refused)
    }
}

/// Keeps the counts up to date from the audit logs.
#[derive(Debug)]
pub(super) struct TotalsCounter {
    logs: PathBuf,
    follower: Follower,
    day: Date,
    tally: Tally,
    checked_at: Instant,
}

/// Counts each call once.
#[derive(Debug, Default)]
struct Tally {
    totals: DayTotals,
    /// Calls that are counted as allowed and have not ended yet.
    open: HashSet<String>,
}

/// The most records that are counted at startup, and the most actions at a time.
const MOST_RECORDS: usize = 500_000;
const AT_ONCE: usize = 10_000;
/// How often the logs are checked.
const PAUSE: Duration = Duration::from_millis(500);
/// The most open calls that are counted. Beyond that, a call is counted when it ends.
const MOST_OPEN: usize = 10_000;

impl TotalsCounter {
    /// Counts today's records.
    pub(super) fn start(logs: &Path) -> Self {
        let now = Zoned::now();
        let sources = logs_in(logs);
        let follower = Follower::from_end(&sources);
        let since = now.start_of_day().ok().map(|start| SystemTime::from(start.timestamp()));
        let mut tally = Tally::default();
        let wanted = RecordQuery { since, ..RecordQuery::default() };
        for (_, record) in NewestRecords::open(&sources, &wanted).take(MOST_RECORDS) {
            match Action::of("", &record) {
                // Newest records come first, so the end of an open call may be counted already.
                Some(action) if action.end != End::Open => tally.count(&action),
                None if record.text("kind") == "approval" => tally.totals.asked += 1,
                _ => {}
            }
        }
        Self { logs: logs.to_owned(), follower, day: now.date(), tally, checked_at: Instant::now() }
    }

    /// Returns the counts, including questions that arrived since the last time.
    pub(super) fn totals(&mut self, new_questions: usize) -> DayTotals {
        let today = Zoned::now().date();
        if today != self.day {
            (self.day, self.tally) = (today, Tally::default());
        }
        self.tally.totals.asked += new_questions;
        if self.checked_at.elapsed() >= PAUSE {
            self.checked_at = Instant::now();
            for action in self.follower.next_with_open(&logs_in(&self.logs), AT_ONCE) {
                self.tally.count(&action);
            }
        }
        self.tally.totals
    }
}

impl Tally {
    /// Counts a call when it is allowed, and not again when it ends.
    fn count(&mut self, action: &Action) {
        // A refused answer to a question is recorded as refused too, but it is not a call.
        if action.method.is_empty() {
            return;
        }
        let was_open = self.open.remove(&action.call);
        match (&action.end, was_open) {
            (End::Open, false) if self.open.len() >= MOST_OPEN => {}
            (End::Open, _) => {
                self.totals.allowed += usize::from(!was_open);
                self.open.insert(action.call.clone());
            }
            (End::Refused(_), _) => {
                self.totals.refused += 1;
                self.totals.allowed -= usize::from(was_open);
            }
            (End::Done | End::Failed(_) | End::FailedBefore(_), _) => {
                self.totals.allowed += usize::from(!was_open);
            }
        }
    }
}

#[cfg(test)]
mod tests;
