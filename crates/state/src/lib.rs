//! What is kept on the disk: the audit log, the grants that people gave, and how people and clients prove who they are. Log and
//! grants stand behind traits of `overt_layers`, which knows nothing of files.
//!
//! **Invariant:** what was acknowledged as durable is on the disk.
//! **Invariant:** one process writes an audit log; every process of the user may read it.
pub mod audit; // records in a chain of segments: write, recover, verify, query, export
pub mod grants; // grants and open questions in SQLite, shared by every process of a user
pub mod passphrase; // with which a person answers where no terminal proves that one is there
pub mod access_tokens; // with which clients of other users reach a server over HTTP
mod private_file; // small files for their owner alone
