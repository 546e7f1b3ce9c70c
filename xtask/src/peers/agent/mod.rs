//! The day of a coding agent: search, read, 30 edits over several files, a conflict with a person's
//! edit, undo, move. The same work in both eras with three SDKs, and beside two other file servers,
//! with what a model writes and reads for it.

mod project; // the files, and what they are at the end
mod plan; // the calls of each server
mod cost; // bytes and tokens
mod whole; // the cases

pub(crate) use whole::cases;
