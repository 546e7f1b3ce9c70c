//! What may be done: facts about a tool, fragments of policy, rules over what a tool is, and the one decision that joins
//! them. It knows neither who asks nor how; it is given values and returns one.
pub mod facts; // what is known about a tool
pub mod globs; // patterns over names and addresses
pub mod limits; // sizes, time and rate
pub mod fragment; // a policy, of the operator or of a call
pub mod rule; // rules over what a tool is
pub mod region; // folders that may be seen and changed
pub mod authority; // everything that a decision is made from
pub mod decision; // what was decided, and what each layer said
mod uri; // other spellings of an address
mod decide; // layers are asked and the least counts
mod lint; // what can't be meant
mod explain; // a decision for people and for programs

pub use authority::{Authority, Overlays, Subject};
pub use decision::{Decision, Layer, Said, Verdict};
pub use explain::{explain, explain_text};
pub use facts::ToolFacts;
pub use fragment::{DomainFields, Fragment, NoDomain};
pub use limits::Limits;
pub use lint::{lint_policy, lint_rules};
pub use region::{Region, Regions};
pub use rule::{Rule, RuleAction, Rules};
