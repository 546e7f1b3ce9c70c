//! What `ai_help` answers (D-22 to D-28): when to use a server, what it can do, and how, in
//! Markdown and in JSON. Both are made from one [`Help`], so that they can't differ.
mod section; // the sections by name
mod help; // the document in its parts, and both forms of it
mod lines; // lines that several sections have
mod build; // from a description
mod access; // how to get it, how to get in, where else it is
mod quick; // operations in groups
mod tools; // one tool in full
mod schema_members; // the members of a schema, combined ones included
mod kind; // the type of a member
mod parameters; // the members of a schema, in words
mod read; // both forms, as others write them
#[cfg(test)]
mod tests;

pub(crate) use access::config;
pub(crate) use build::title;
pub use help::{Format, Help, Part};
pub(crate) use parameters::{Parameter, members};
pub use quick::{Group, MOST_OPERATIONS, Operation, quick_reference};
pub use read::{Outline, OutlinePart, ReadJson, read_groups, read_uses};
pub use section::Section;
