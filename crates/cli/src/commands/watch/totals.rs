//! How many calls were allowed and refused today, and how often a person was asked.
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
    totals: DayTotals,
    looked: Instant,
}

/// Records that are counted at the start, and actions at a time.
const MOST_RECORDS: usize = 500_000;
const AT_ONCE: usize = 10_000;
/// How often the logs are looked at.
const PAUSE: Duration = Duration::from_secs(2);

impl TotalsCounter {
    /// Counts what was recorded today.
    pub(super) fn start(logs: &Path) -> Self {
        let now = Zoned::now();
        let sources = logs_in(logs);
        let follower = Follower::from_end(&sources);
        let since = now.start_of_day().ok().map(|start| SystemTime::from(start.timestamp()));
        let mut totals = DayTotals::default();
        let wanted = RecordQuery { since, ..RecordQuery::default() };
        for (_, record) in NewestRecords::open(&sources, &wanted).take(MOST_RECORDS) {
            match Action::of("", &record).map(|action| action.end) {
                Some(end) => count(&mut totals, &end),
                None if record.text("kind") == "approval" => totals.asked += 1,
                None => {}
            }
        }
        Self { logs: logs.to_owned(), follower, day: now.date(), totals, looked: Instant::now() }
    }

    /// The counts, with questions that came since the last time.
    pub(super) fn totals(&mut self, new_questions: usize) -> DayTotals {
        let today = Zoned::now().date();
        if today != self.day {
            (self.day, self.totals) = (today, DayTotals::default());
        }
        self.totals.asked += new_questions;
        if self.looked.elapsed() >= PAUSE {
            self.looked = Instant::now();
            for action in self.follower.next(&logs_in(&self.logs), AT_ONCE) {
                count(&mut self.totals, &action.end);
            }
        }
        self.totals
    }
}

fn count(totals: &mut DayTotals, end: &End) {
    match end {
        End::Refused(_) => totals.refused += 1,
        End::Done | End::Failed(_) | End::FailedBefore(_) => totals.allowed += 1,
        End::Open => {}
    }
}
