//! State on disk: the audit log, the grants that people gave, and the credentials of people and
//! clients. The log and the grants implement traits of `overt_layers`, which knows nothing of
//! files.
//!
//! **Invariant:** a record that was acknowledged as durable is on disk, or with the operating
//! system where `CommitPoint::System` was chosen. **Invariant:** one process writes an audit log;
//! every process of the user may read it.
pub mod audit; // records in a chain of segments: write, recover, verify, query, export
pub mod grants; // grants and open questions in SQLite, shared by every process of a user
pub mod passphrase; // the passphrase of a person who answers without a terminal
pub mod access_tokens; // tokens of clients that belong to other users and reach a server over HTTP
mod private_file; // small files that only their owner can read
