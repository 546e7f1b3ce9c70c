//! A policy of policy: what it says narrows, and what it doesn't say is not constrained. The same
//! members hold for the operator's own ceiling, for a session and for a single call.
mod model; // the parts, each a conjunction
mod read; // from JSON, noting everything that is wrong
mod schema; // constraints on arguments, with bounded cost
mod meet; // two policies as one
mod widens; // where one says more than what is in force
mod domain; // fields that a server declares itself

pub use domain::{DomainFields, NoDomain};
pub use model::{Constraint, NameLists, Policy, ScopeLists};
pub(crate) use read::COMMON;
