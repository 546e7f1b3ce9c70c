//! Sentences that tell a person what a call will do, made from the tool's template and the
//! arguments (H-06 to H-09). A sentence is always one short line.
//!
//! A sentence must not mislead. Texts from the model are quoted. Missing values are
//! marked, and omitted elements are counted. Cuts are in the middle and marked. No value can push
//! another out of view.
mod template; // what a template consists of
mod parse; // any text is a template
mod render; // a template filled with arguments
mod plain; // calls of tools that have no template
mod arguments; // arguments, one per line
mod value; // values as pieces of a line
mod line; // one line, its room shared between the pieces
mod quote; // texts from the model: quoted, escaped, cut in the middle, without secrets
mod lint; // what is unwise in a template
mod shape; // what a schema says of a key
#[cfg(test)]
mod tests;

pub use arguments::argument_lines;
pub use plain::{fallback, sentence};
pub use template::Template;
