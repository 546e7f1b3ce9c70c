//! Grants and open questions in SQLite, shared by all `overt` processes of a user.
//! `overt_layers::grants` decides what a grant allows and which answer counts; this module only
//! stores them.
mod folder; // the folder and its files, private to the user
mod liveness_lock; // the test whether a process still runs
mod client_process; // the client process that a server serves
mod schema; // the tables
mod rows; // grants and questions as rows
mod pending; // open questions, read and written back
mod trust; // trust in servers, reviews and listeners
mod inner; // one connection: grants with a cache, questions under a lock
mod store; // the store that all of Overt uses
mod late; // a store that is opened on first use

pub use client_process::ClientProcess;
pub use late::LateStore;
pub use store::{EndedDecisions, SqliteStore};

#[cfg(test)]
mod tests;
