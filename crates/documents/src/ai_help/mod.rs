//! The answer of `ai_help` (D-22 to D-28): when to use a server, what it can do, and how, in
//! Markdown and in JSON. Both are made from one [`Help`], so that they can't differ.
mod section; // the sections by name
mod help; // the help in its parts, and both formats of it
mod lines; // lines that several sections contain
mod build; // the help from a description
mod access; // installation, authentication, and alternatives
mod quick; // operations in groups
mod tools; // the tool reference
mod schema_members; // the members of a schema, including combined ones
mod kind; // the type of a member
mod parameters; // the members of a schema, in words
mod read; // both formats, as any server writes them
#[cfg(test)]
mod tests;

pub(crate) use access::config;
pub(crate) use build::title;
pub use help::{Format, Help, Part};
pub(crate) use parameters::{Parameter, members};
pub use quick::{Group, MOST_OPERATIONS, Operation, quick_reference};
pub use read::{Outline, OutlinePart, ReadJson, read_groups, read_uses};
pub use section::Section;
