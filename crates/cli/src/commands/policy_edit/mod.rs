//! `overt forbid` and `overt permit`: edit the user's own policy file and keep everything else in
//! it.
mod subject; // finding out what is meant: a tool, a server or a path
mod plan; // the edit of the text, and its meaning in words
mod write; // replacing the file
mod task; // showing the change, asking, writing it

pub(super) use plan::{PolicyChange, added, caution, removal_of_forbidden, words};
pub(super) use subject::{NamedSubject, known_tools, subject, unseen_words};
pub(crate) use task::{forbid, permit};
pub(super) use write::{PolicyEditError, read, write};
