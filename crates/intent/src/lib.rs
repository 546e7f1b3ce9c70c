//! Sentences that tell a person what a call will do, generated from the tool's template and the
//! arguments (H-06 to H-09). A sentence is always one short line.
//!
//! A sentence must not mislead. Texts from the model are quoted. Missing values are
//! marked, and omitted elements are counted. Texts are cut in the middle, with a mark. No value can
//! push another out of view.
mod template; // the parts of a template
mod parse; // the parser of templates; any text is valid
mod render; // a template filled with arguments
mod plain; // sentences for tools without a template
mod arguments; // arguments, one per line
mod value; // values as pieces of a line
mod line; // pieces that share the room of one line
mod quote; // texts from the model: quoted, escaped, cut in the middle, without secrets
mod lint; // warnings about problems in a template
mod shape; // what an input schema says about a key
#[cfg(test)]
mod tests;

pub use arguments::argument_lines;
pub use plain::{fallback, sentence};
pub use template::Template;
