//! The day of a coding agent: search, read, 30 edits over several files, a conflict with a person's
//! edit, undo, move. Three SDKs do the same work in both eras. Two other file servers do it too, to
//! compare what a model writes and reads.

mod project; // the files, and their content at the end
mod plan; // the calls of each server
mod cost; // counting bytes and tokens
mod cases; // the cases

pub(crate) use cases::cases;
