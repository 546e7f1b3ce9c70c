//! What may be done: scopes, policies, rules, settings, intents, facts about tools, and the one
//! decision that joins them.
//!
//! **Invariant:** pure. No IO, no clock, no async runtime; a test gives values and reads values.
//! **Invariant:** [`Authority::decide`] is the only decision: listing, calling, previewing and
//! explaining all use it. **Invariant:** knows nothing of documents about a server
//! (`overt-documents`).
pub mod json_schema; // schemas compiled, in one place
pub mod finding; // what is wrong with a document, where, and what to do
pub mod secrets; // credentials in text, and names that mean one
pub mod word; // enumerations whose values are words of a document
pub mod members; // reads objects, noting everything that is wrong
pub mod near; // which name was probably meant
pub mod prose; // the first sentence of a text
pub mod mark; // names of our members on the wire
pub mod scope; // permissions such as `write:file:/a`
pub mod rate; // rate limits such as `1000/hour`
pub mod record; // what an author declares about a server and its tools, once
pub mod facts; // what is known about a tool
pub mod intent; // sentences for people: what a call will do
pub mod uri; // URIs of resources in one canonical form
pub mod globs; // patterns over names and addresses
pub mod limits; // sizes, time and rate
pub mod policy; // a policy, of the operator or of a call
pub mod rule; // rules over what a tool is
pub mod region; // folders that may be seen and changed
pub mod setting; // settings, each declared once
pub mod toml_file; // TOML with the line of each value
pub mod toml_edit; // changes of such a file that keep everything else
pub mod config; // the part of `overt.toml` that says what may be done
pub mod authority; // everything that a decision is made from
pub mod decision; // what was decided, and what each layer said
mod decide; // layers are asked and the least counts
mod lint; // what can't be meant
mod explain; // a decision for people and for programs
pub mod suggest; // what would have allowed what was done
#[cfg(test)]
#[path = "../tests/it/cases.rs"]
mod cases; // how many random cases a law is held against

pub use authority::{Authority, Overlays, Subject};
pub use decision::{Decision, Layer, LayerVerdict, Verdict};
pub use explain::{explain, explain_text};
pub use facts::{Basis, ToolFacts, Trust};
pub use finding::{Finding, Findings, Pointer, Severity};
pub use limits::Limits;
pub use lint::{lint_policy, lint_rules};
pub use policy::{DomainFields, NoDomain, Policy};
pub use record::{Declaration, ResourceRecord, ServerRecord, ToolRecord};
pub use region::{Region, Regions};
pub use rule::{Rule, RuleAction, Rules};
