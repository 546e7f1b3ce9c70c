//! What is kept on the disk: the audit log, and the grants that people gave. Both stand behind traits of
//! `overt_layers`, which knows nothing of files.
//!
//! **Invariant:** what was acknowledged as durable is on the disk.
//! **Invariant:** one process writes an audit log; anybody may read it.
pub mod audit; // records in a chain of segments: write, recover, verify, query, export
pub mod grants; // grants and open questions in SQLite, shared by every process of a user
