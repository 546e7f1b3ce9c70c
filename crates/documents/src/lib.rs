//! The documents about a server, and the one declaration that they are all made from: parsed,
//! validated, rendered and compared.
//!
//! **Invariant:** pure. No IO, no clock, no async runtime; a test gives values and reads values.
//! **Invariant:** a document is made from a [`Description`] only: what the author declared, and
//! what the running server says. Guesses and numbers that were not measured are in none.
//! **Invariant:** a check reports everything that is wrong at once, each finding with its place and
//! a fix.
pub mod yaml; // block style out, a bounded subset of YAML 1.2 in
mod markdown; // escapes other people's words, so that they can't pass for ours
pub mod text_source; // whether text comes from the author or from the server
pub mod live; // what the running server says about itself
pub mod description; // the declaration and the live server joined: what every document is made from
pub mod manifest; // `overt.toml`: a declaration for a third-party server
pub mod dashdash; // the objects of seed 000
pub mod card; // Tool Cards
pub mod mark; // where each thing is on the wire
pub mod server_location; // where the server is reached
pub mod front_matter; // the head of a Markdown file
pub mod ai_help; // what `ai_help` answers
pub mod skill; // SKILL.md
pub mod llms; // `llms.txt`
pub mod registry; // the documents with which a server is found
pub mod document; // all of them, by name
#[cfg(test)]
mod fixture; // the server of the specification's examples

pub use description::Description;
pub use document::Document;
pub use live::Live;
pub use server_location::ServerLocation;
pub use text_source::TextSource;
