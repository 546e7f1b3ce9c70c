//! The documents about a server, and the one declaration that they are all made from: parsed, checked, rendered and
//! compared.
//!
//! **Invariant:** pure. No IO, no clock, no async runtime; a test gives values and reads values.
//! **Invariant:** a document is made from a [`Description`] only: what the author declared, and what the running server
//! says. Neither a guess nor a number that nobody measured gets into one.
//! **Invariant:** a check reports everything that is wrong at once, each finding with its place and a fix.
pub mod finding; // what is wrong with a document, where, and what to do
pub mod secrets; // what must be in no document
pub mod moment; // dates and times as RFC 3339 writes them
pub mod word; // enumerations whose values are words of a document
mod members; // reads objects, noting everything that is wrong
pub mod yaml; // block style out, a bounded subset of YAML 1.2 in
mod markdown; // nobody's words can pass for ours
pub mod voice; // whose words they are
pub mod scope; // permissions such as `write:file:/a`
pub mod intent; // sentences for people: what a call will do
pub mod rate; // rate limits such as `1000/hour`
pub mod setting; // settings, each declared once
pub mod record; // what an author declares, once
pub mod control; // what may be done: policies, rules, the decision
pub mod live; // what the running server says about itself
pub mod description; // both joined: what every document is made from
pub mod toml_file; // TOML with the line of each value
pub mod manifest; // `overt.toml`: a declaration for somebody else's server
pub mod config; // the other part of `overt.toml`: settings, the operator's policy, rules
pub mod dashdash; // the objects of seed 000
pub mod card; // Tool Cards
pub mod mark; // where each thing stands on the wire
pub mod place; // where the server is reached
pub mod front_matter; // the head of a Markdown file
pub mod ai_help; // what `ai_help` answers
pub mod skill; // SKILL.md
pub mod llms; // `llms.txt`
pub mod registry; // the documents with which a server is found
pub mod document; // all of them, by name
#[cfg(test)]
#[path = "../tests/it/cases.rs"]
mod cases; // how many random cases a law is held against
#[cfg(test)]
mod fixture; // the server of the specification's examples

pub use description::Description;
pub use document::Document;
pub use finding::{Finding, Findings, Pointer, Severity};
pub use live::Live;
pub use place::Place;
pub use record::{Declaration, ResourceRecord, ServerRecord, ToolRecord};
pub use voice::Voice;
