//! The documents about a server, and the one declaration that they are all made from: parsed,
//! validated, rendered and compared.
//!
//! **Invariant:** pure. No IO, no clock, no async runtime; a test passes values and reads values.
//! **Invariant:** a document is made only from a [`Description`]: what the author declared, and
//! what the running server says. No document contains guesses or numbers that were not measured.
//! **Invariant:** a check reports everything that is wrong at once; each finding has its place and
//! a fix.
pub mod yaml; // YAML: block style written, a bounded subset of YAML 1.2 read
mod markdown; // escapes for other people's text, so that it can't pass for ours
pub mod text_source; // the origin of a text: the author or the server
pub mod live; // what the running server says about itself
pub mod description; // the declaration joined with the live server: the source of every document
pub mod manifest; // `overt.toml`: a declaration for a third-party server
pub mod dashdash; // the dashdash objects of seed 000
pub mod card; // Tool Cards
pub mod mark; // the places of declared facts on the wire
pub mod server_location; // the addresses of a server and its documents
pub mod front_matter; // the front matter of a Markdown file
pub mod ai_help; // the answers of `ai_help`
pub mod skill; // SKILL.md
pub mod llms; // `llms.txt`
pub mod registry; // the documents by which a server is discovered
pub mod document; // all documents, by name
#[cfg(test)]
mod fixture; // the server of the specification's examples

pub use description::Description;
pub use document::Document;
pub use live::Live;
pub use server_location::ServerLocation;
pub use text_source::TextSource;
