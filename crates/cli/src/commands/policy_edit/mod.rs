//! `overt forbid` and `overt permit`: the user's own policy file, changed with everything else in
//! it kept.
mod subject; // what is meant: a tool, a server or a path
mod plan; // what to write for it, and what that means in words
mod write; // the file, replaced
mod task; // show it, ask, write it

pub(super) use plan::{PolicyChange, added, caution, removal_of_forbidden, words};
pub(super) use subject::{NamedSubject, known, subject, unseen_words};
pub(crate) use task::{forbid, permit};
pub(super) use write::{PolicyEditError, read, write};
