//! The requests of an authorization go to addresses that a server chose. This decides which are
//! used.
mod address; // what kind of address an IP address is
mod rule; // which addresses may be used for one server
mod client; // the HTTP client that keeps to the rule
mod problem; // what can go wrong

pub(super) use client::{Guarded, Lookup, System};
pub use problem::Problem;
pub(super) use rule::Rule;
pub use rule::{AddressError, PrivateAddresses};
