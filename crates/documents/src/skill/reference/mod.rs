//! What skills-ref 0.1.1, the reference validator, says about a skill: the same messages in the
//! same order.
//!
//! It reads front matter with strictyaml 1.7.3, which is neither YAML 1.1 nor 1.2. Whether a file
//! passes, and what the message is, depends on the order in which that reader looks at the text, so
//! this module follows its scanner, which is the one of PyYAML and ruamel.yaml (all three MIT).
//! Nothing else in Overt believes what is read here: see [`crate::yaml`] for that.
mod failure; // the errors and how they are shown
mod unicode; // what Python knows about characters
mod reader; // the characters, with places
mod token; // tokens, and the comments that hang on them
mod scanner; // characters to tokens
mod scan_scalar; // scalars
mod scan_property; // directives, anchors, tags
mod parser; // tokens to nodes
mod construct; // nodes to values
mod validate; // the rules
#[cfg(test)]
mod tests;

pub use validate::{Verdict, validate};
