//! Grants, trust and open questions in SQLite, shared by all `overt` processes of a user.
//! `overt_layers::grants` decides what a grant allows and which answer counts; this module only
//! stores them.
mod folder; // the folder and its files, private to the user
mod liveness_lock; // the test whether a process still runs
mod client_process; // the client process that a server serves
mod schema; // the tables
mod rows; // grants and questions as rows
mod inner; // one connection, and the grants in it
mod questions; // open questions
mod grant_rows; // changes of grants within a transaction
mod trust_rows; // trust, within a transaction
mod trust; // trust in servers, and listeners
mod feed; // changes that other processes make
mod store; // the store of commands, which may wait
mod shared; // the store of a server, whose calls must not block
mod reader; // grants, read by what starts workers
mod late; // a store that is opened on first use

pub use client_process::ClientProcess;
pub use late::LateStore;
pub use reader::GrantReader;
pub use shared::SharedStore;
pub use store::{EndedDecisions, SqliteStore};

#[cfg(test)]
mod tests;
