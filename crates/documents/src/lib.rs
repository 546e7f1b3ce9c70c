//! What is said about a server: the documents about it, and the one declaration that they are all made from. They are parsed,
//! validated, rendered and compared.
//!
//! **Invariant:** pure. No IO, no clock, no async runtime; a test gives values and reads values.
//! **Invariant:** a document is made from a [`Description`] only: what the author declared, and what the running server
//! says. Neither a guess nor a number that nobody measured gets into one.
//! **Invariant:** a check reports everything that is wrong at once, each finding with its place and a fix.
pub mod yaml; // block style out, a bounded subset of YAML 1.2 in
mod markdown; // escapes other people's words, so that they can't pass for ours
pub mod voice; // whose words they are
pub mod live; // what the running server says about itself
pub mod description; // the declaration and the live server joined: what every document is made from
pub mod manifest; // `overt.toml`: a declaration for somebody else's server
pub mod dashdash; // the objects of seed 000
pub mod card; // Tool Cards
pub mod mark; // where each thing is on the wire
pub mod place; // where the server is reached
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
pub use place::Place;
pub use voice::Voice;
