//! Returns records as they are written. Logs that appear meanwhile are followed from their
//! beginning.
use std::collections::BTreeMap;

use super::action::{Action, End};
use super::backward::{BackwardLines, LineResult};
use super::error::AuditError;
use super::line::Record;
use super::merge::Source;

/// The position up to which each log was read.
#[derive(Debug, Default)]
pub struct Follower {
    places: BTreeMap<String, u64>,
}

impl Follower {
    /// Follows these logs from their current end.
    pub fn from_end(logs: &[Source]) -> Self {
        let last = |log: &Source| {
            let segments = super::segment::Segment::list_to_read(&log.dir).ok()?;
            segments
                .iter()
                .rev()
                .find_map(|segment| segment.last_record().ok().flatten())
                .map(|record| record.seq)
        };
        let place = |log: &Source| (log.name.clone(), last(log).unwrap_or(0));
        Self { places: logs.iter().map(place).collect() }
    }

    /// Returns the actions that ended or were refused since the last call, in the order in which
    /// they were recorded. Reads at most `limit` records of each log.
    pub fn next(&mut self, logs: &[Source], limit: usize) -> Vec<Action> {
        let mut actions = self.next_with_open(logs, limit);
        actions.retain(|action| action.end != End::Open);
        actions
    }

    /// Returns the same as [`Follower::next`], and also the actions that were allowed and have not
    /// ended yet. Each of those is returned again when it ends.
    pub fn next_with_open(&mut self, logs: &[Source], limit: usize) -> Vec<Action> {
        let mut actions = Vec::new();
        for log in logs {
            let place = self.places.entry(log.name.clone()).or_default();
            // A log that can't be read now may be read later.
            let _ = read(log, place, limit, &mut actions);
        }
        actions.sort_by(|one, other| one.ts.cmp(&other.ts));
        actions
    }
}

/// Reads backward from the end, so that a long log costs no more than its new records.
fn read(log: &Source, place: &mut u64, limit: usize, actions: &mut Vec<Action>) -> Result<(), AuditError> {
    let mut lines = BackwardLines::open(&log.dir)?;
    let (from, mut last, mut found) = (*place, *place, Vec::new());
    while found.len() < limit
        && let Some(record) = lines.next(|line| match Record::read(line) {
            Ok(record) if record.seq <= from => LineResult::NothingBefore,
            Ok(record) => LineResult::Taken(record),
            Err(_) => LineResult::Garbage,
        })?
    {
        last = last.max(record.seq);
        found.extend(Action::of(&log.name, &record));
    }
    *place = last;
    actions.extend(found.into_iter().rev());
    Ok(())
}
