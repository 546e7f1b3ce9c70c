//! Grants and open questions in SQLite, shared by every `overt` process of a user. What is allowed
//! and what counts is decided in `overt_layers::grants`; here it is only kept.
mod folder; // the files, private to the user
mod liveness_lock; // which processes still run
mod client_process; // and which client each serves
mod schema; // the tables
mod rows; // grants and questions as rows
mod pending; // open questions, taken out and put back
mod trust; // how far servers are believed
mod inner; // one connection: grants with a cache, questions under a lock
mod store; // the store that all of Overt uses
mod late; // the same, opened when it is needed

pub use client_process::ClientProcess;
pub use late::LateStore;
pub use store::{EndedDecisions, SqliteStore};

#[cfg(test)]
mod tests;
