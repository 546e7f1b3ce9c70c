//! Decides what may be done. Contains scopes, policies, rules, facts about tools, and the one
//! decision that combines them.
//!
//! **Invariant:** pure. No IO, no clock, no async runtime; a test passes values in and checks the
//! values that come back. **Invariant:** [`Authority::decide`] is the only decision: listing,
//! calling, previewing and explaining all use it. **Invariant:** independent of the documents about
//! a server (`overt-documents`).
pub mod json_schema; // compiled JSON Schemas, in one place
pub mod finding; // problems in a document, each with its location and a fix
pub mod word; // enumerations whose values are words of a document
pub mod members; // reading of objects, with all their problems
pub mod near; // the name that was probably meant
pub mod prose; // the first sentence of a text
pub mod mark; // names of Overt's members on the wire
pub mod scope; // permissions such as `write:file:/a`
pub mod rate; // rate limits such as `1000/hour`
pub mod record; // declarations of an author about a server and its tools
pub mod facts; // the known facts about a tool
pub mod uri; // URIs of resources in one canonical form
pub mod globs; // patterns over names and URIs
pub mod limits; // limits on size, time and rate
pub mod policy; // a policy of the operator, a session or a call
pub mod rule; // rules about the properties of tools
pub mod authority; // the inputs of a decision
pub mod decision; // a decision and the verdict of each layer
mod decide; // the combination of all layers; the most restrictive verdict counts
mod lint; // warnings about entries that have no effect
mod explain; // explanations of a decision, for people and programs
#[cfg(test)]
#[path = "../tests/it/cases.rs"]
mod cases; // the number of random cases in property tests

pub use authority::{Authority, Overlays, Subject};
pub use decision::{Decision, Layer, LayerVerdict, Verdict};
pub use explain::{explain, explain_text};
pub use facts::{Basis, ToolFacts, Trust};
pub use finding::{Finding, Findings, Pointer, Severity};
pub use limits::Limits;
pub use lint::{lint_policy, lint_rules};
pub use policy::{DomainFields, NoDomain, Policy};
pub use record::{Declaration, ResourceRecord, ServerRecord, ToolRecord};
pub use rule::{Rule, RuleAction, Rules};
