//! A policy restricts what it mentions and leaves everything else unconstrained. The operator's
//! ceiling, a session and a single call use the same members.
mod model; // the parts of a policy, each a conjunction
mod read; // policies from JSON, with all their errors
mod schema; // constraints on arguments, with bounded cost
mod meet; // the combination of two policies
mod widens; // where a policy allows more than the one in force
mod domain; // fields that a server declares itself

pub use domain::{DomainFields, NoDomain};
pub use model::{Constraint, NameLists, Policy, ScopeLists};
pub use read::COMMON;
