//! Edits of the person's own policy file, which keep everything else in it.
mod subject; // finding out what is meant: a tool, a server or a path
mod plan; // the edit of the text, and its meaning in words
mod write; // replacing the file

pub use plan::{PolicyChange, added, caution, removal_of_forbidden, removed, rule, words};
pub use subject::{
    NamedSubject, Subject, SubjectKind, ToolsByServer, known_tools, subject, unseen_tool, unseen_words,
};
pub use write::{EditPolicy, NoHome, PolicyEditError, read, write};
