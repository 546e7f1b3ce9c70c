//! Reproduces skills-ref 0.1.1, the reference validator: the same messages about a skill, in the
//! same order.
//!
//! The reference reads front matter with strictyaml 1.7.3, which is neither YAML 1.1 nor 1.2.
//! Whether a file passes, and which message it gets, depends on the order in which that reader
//! examines the text. So this module follows its scanner, which is the one of PyYAML and
//! ruamel.yaml (all three MIT). No other part of Overt uses the values read here; see
//! [`crate::yaml`] for that.
mod failure; // the errors and how they are displayed
mod unicode; // Python's view of characters
mod reader; // the characters with their places
mod token; // tokens, and the comments attached to them
mod scanner; // characters to tokens
mod scan_scalar; // scalars
mod scan_property; // directives, anchors and tags
mod parser; // tokens to nodes
mod construct; // nodes to values
mod validate; // the rules of the validator
#[cfg(test)]
mod tests;

pub use validate::{Verdict, validate};
