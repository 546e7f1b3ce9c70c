//! Checks that the log has checkpoints as often as its writer makes them. A forger without the key
//! can't rewrite a log and keep that cadence.
use super::line::Record;
use super::open_calls::MOST_OPEN;
use super::options::MOST_BETWEEN_CHECKPOINTS;
use super::queue::BATCH;

/// What the writer must have recorded at some point of the log.
#[derive(Debug, Default)]
pub(super) struct Cadence {
    /// The number of records since the last checkpoint.
    records: u64,
    /// The `seq` of a stop whose checkpoint has not come yet.
    stop: Option<u64>,
    /// Whether the last record is the checkpoint after a stop.
    pub(super) is_stopped: bool,
}

/// The most records without a checkpoint. The writer makes a checkpoint with the batch in which it
/// is due, and writes some further records at its start.
const MOST_RECORDS: u64 = MOST_BETWEEN_CHECKPOINTS + (BATCH + MOST_OPEN) as u64 + 64;

impl Cadence {
    /// Checks the next record. `is_signed` is true if it holds a checkpoint. Returns an error that
    /// describes the fault.
    pub(super) fn take(&mut self, record: &Record, is_signed: bool) -> Result<(), String> {
        let kind = record.text("kind");
        self.is_stopped = false;
        self.records += 1;
        if let Some(stop) = self.stop {
            match kind.as_str() {
                "checkpoint" => self.is_stopped = true,
                // A start may begin a segment. A recovery reports a crash between the stop and its
                // checkpoint.
                "segment" | "recovery" => {}
                _ => return Err(format!("no checkpoint follows the stop in record {stop}")),
            }
        }
        if kind != "segment" {
            self.stop = (kind == "stop").then_some(record.seq);
        }
        if is_signed {
            self.records = 0;
        }
        if self.records > MOST_RECORDS {
            return Err(format!("{} records before it have no checkpoint", self.records));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::chain::Hash;
    use crate::audit::line::Members;

    /// Returns the fault of a log with records of these kinds. An upper-case kind holds a
    /// checkpoint.
    fn fault(kinds: &[&str]) -> Option<String> {
        let (mut cadence, mut head) = (Cadence::default(), Hash::NONE);
        kinds.iter().enumerate().find_map(|(index, kind)| {
            let (mut members, mut line) = (Members::default(), String::new());
            members.string("boot", "b");
            members.string("kind", &kind.to_lowercase());
            head = members.push_line(&Members::default(), &mut line, index as u64 + 1, head);
            let record = Record::parse(&line).unwrap();
            cadence.take(&record, kind.starts_with(char::is_uppercase)).err()
        })
    }

    #[test]
    fn a_checkpoint_follows_a_stop_unless_there_was_a_crash() {
        for honest in [
            &["segment", "Start", "intent", "stop"][..],
            &["segment", "Start", "stop", "Checkpoint", "Start"],
            &["segment", "Start", "stop", "Checkpoint", "segment", "Start"],
            &["segment", "Start", "stop", "recovery", "Start"],
            &["segment", "Start", "stop", "segment", "recovery", "Start"],
        ] {
            assert_eq!(fault(honest), None, "{honest:?}");
        }
        for forged in [
            &["segment", "Start", "stop", "Start"][..],
            &["segment", "Start", "stop", "segment", "Start"],
            &["segment", "Start", "stop", "intent"],
            &["segment", "Start", "stop", "segment", "outcome"],
            &["segment", "Start", "stop", "stop"],
        ] {
            assert!(fault(forged).unwrap().contains("follows the stop"), "{forged:?}");
        }
    }

    #[test]
    fn checkpoints_come_as_often_as_the_writer_makes_them() {
        let most = usize::try_from(MOST_RECORDS).unwrap();
        let run = |records: usize| [&["segment", "Start"][..], &vec!["intent"; records]].concat();
        assert_eq!(fault(&run(most)), None);
        assert!(fault(&run(most + 1)).unwrap().contains("have no checkpoint"));
        let twice = [run(most), vec!["Checkpoint"], run(most)].concat();
        assert_eq!(fault(&twice), None);
        // Without a start the count does not begin anew.
        assert!(fault(&vec!["intent"; most + 1]).is_some());
    }
}
