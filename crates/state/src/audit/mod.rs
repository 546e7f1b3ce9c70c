//! The audit log: records in a chain of files that one process writes and that can be verified. The
//! format is in `docs/audit.md`.
mod log; // the log as the layers see it: start here
mod options; // how it is kept
mod known_logs; // which logs were begun
mod queue; // what waits to be written
mod ack; // the calls that wait until it is written
mod draft; // and what of it is kept until then
mod writer; // the one thread that writes
mod takeover; // what it finds at its start
mod start; // the first records of a start
mod tip; // how far the log has come
mod active; // the segment that is being written
mod open_calls; // calls without an outcome
mod closing; // the mark of a closed log
mod batch; // records that are written together
mod describe; // an entry as the members of a record
mod recurring; // texts that many records have
mod line; // a record as a line, written and read
mod chain; // the hash that ties records together
mod segment; // the files
mod recover; // where a log ends, after a crash too
mod retain; // segments that are gone
mod verify; // how far a log holds
mod report; // what it is held against, and what is found
mod cadence; // whether there are as many checkpoints as there must be
mod scan; // every record, one after the other
mod filter; // which records are wanted
mod query; // finds them
mod merge; // in several logs at once
mod index; // finds them quickly
mod record_key; // values by which records are looked for
mod bloom; // a set that forgets nothing
mod blocks; // which parts of a segment may hold such records
mod backward; // the lines of a log, the last one first
mod newest; // the records of several logs, the last one first
mod action; // what a client did, put together from the records of a call
mod actions; // every action, the last one first
mod follow; // records as they are written
mod export; // records for other programs
mod measure; // how long calls took
mod schedule; // when the next checkpoint is due
mod checkpoint; // how far the log had come, signed
mod publish; // and where it is sent
mod seal; // objects with a signature
mod keys; // the two keys of a deployment
mod disk; // every change of a file of the log
mod files; // files and folders for us alone
mod error; // what can be wrong
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
