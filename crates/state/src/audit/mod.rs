//! The audit log: records in a chain of files that one process writes and that can be verified. The
//! format is in `docs/audit.md`.
mod log; // the log as the layers use it: start here
mod options; // the settings of a log
mod known_logs; // notes of the logs that were begun
mod queue; // the entries that wait to be written
mod ack; // the answer to calls that wait until a batch is written
mod draft; // an entry while it waits
mod writer; // writes what waits, in a thread of its own or in that of a single caller
mod takeover; // the state of a log that the writer takes over at its start
mod start; // the first records of a start
mod tip; // the position that the log has reached
mod active; // the segment that is being written
mod open_calls; // calls without an outcome
mod closing; // the mark of a closed log
mod batch; // records that are written together
mod entry_members; // what the record of an entry says, in order
mod result_digest; // the digest of a result
mod describe; // the members of a record, without secrets and limited in size
mod recurring; // texts that recur in many records
mod line; // a record as a line, written and read
mod chain; // the hash that chains records together
mod segment; // the files of a log
mod recover; // the end of a log, also after a crash
mod retain; // the removal of old segments
mod verify; // the check of a whole log
mod report; // the inputs and the result of a verification
mod cadence; // the check that there are enough checkpoints
mod filter; // conditions on records
mod query; // the search for records
mod merge; // the search in several logs at once
mod record_key; // values by which records are found
mod bloom; // a Bloom filter
mod blocks; // the parts of a segment that may hold certain records
mod backward; // the lines of a log, last line first
mod newest; // the records of several logs, newest first
mod action; // one call of a client, assembled from its records
mod actions; // all actions, newest first
mod follow; // records as they are written
mod export; // records for other programs
mod measure; // statistics on the duration of calls
mod schedule; // when the next checkpoint is due
mod checkpoint; // signed statements of how far the log had come
mod publish; // the thread that hands checkpoints to their sinks
mod seal; // signed objects
mod keys; // the two keys of a deployment
mod disk; // every change to the log's files
mod files; // files and folders that are private to the user
mod error; // the errors of opening and reading a log
#[cfg(test)]
mod tests;

pub use action::{Action, End};
pub use actions::Actions;
pub use chain::Hash;
pub use checkpoint::{Checkpoint, CheckpointFile, CheckpointSink};
pub use error::AuditError;
pub use export::{csv_cell, csv_header, csv_row};
pub use filter::{Filter, Order};
pub use follow::Follower;
pub use keys::PublicKey;
pub use known_logs::{KnownLogs, RemovedLog};
pub use line::Record;
pub use log::AuditLog;
pub use measure::{Percentiles, percentiles};
pub use merge::{RecordPage, Source, for_each_of, query_all};
pub use newest::{NewestRecords, RecordQuery, UnreadLog};
pub use options::{Arguments, CommitPoint, Mode, Options};
pub use query::{Page, for_each, query};
pub use record_key::RecordKey;
pub use report::{Break, Report, TrustAnchors, read_anchors};
pub use verify::{is_being_written, verify};
