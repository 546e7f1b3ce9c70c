//! Whether the log says how far it has come as often as its writer does. Without the key nobody can write a log anew and keep that
//! up.
use super::line::Record;
use super::open_calls::MOST_OPEN;
use super::options::MOST_BETWEEN_CHECKPOINTS;
use super::queue::BATCH;

/// What a run of the writer owes at some record.
#[derive(Debug, Default)]
pub(super) struct Cadence {
    /// Records since the last checkpoint or start.
    records: u64,
    /// A stop whose checkpoint has not come yet.
    stop: Option<u64>,
    /// The last record is the checkpoint after a stop.
    pub(super) is_closed: bool,
    /// Starts after the last checkpoint: version 0.1.0 did not sign them.
    pub(super) unsigned_starts: u64,
}

/// The writer makes a checkpoint with the batch that is due, after whatever it writes at its start.
const MOST_RECORDS: u64 = MOST_BETWEEN_CHECKPOINTS + (BATCH + MOST_OPEN) as u64 + 64;

impl Cadence {
    /// Takes the next record; `is_signed` for one that holds a checkpoint. Says what is wrong with it.
    pub(super) fn take(&mut self, record: &Record, is_signed: bool) -> Result<(), String> {
        let kind = record.text("kind");
        self.is_closed = false;
        self.records += 1;
        match (kind.as_str(), self.stop) {
            ("checkpoint", Some(_)) => self.is_closed = true,
            // A crash came between the stop and its checkpoint. Version 0.1.0 does not say so in every case.
            ("recovery", Some(_)) => {}
            ("start", Some(_)) if !is_signed => {}
            // A start may begin a segment.
            ("segment", _) | (_, None) => {}
            (_, Some(stop)) => return Err(format!("no checkpoint follows the stop in record {stop}")),
        }
        if kind != "segment" {
            self.stop = (kind == "stop").then_some(record.seq);
        }
        if kind == "start" {
            (self.records, self.unsigned_starts) = (0, self.unsigned_starts + 1);
        }
        if is_signed {
            (self.records, self.unsigned_starts) = (0, 0);
        }
        if self.records > MOST_RECORDS {
            return Err(format!("{} records before it have no checkpoint", self.records));
        }
        Ok(())
    }
}
