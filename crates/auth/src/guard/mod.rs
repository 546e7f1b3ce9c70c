//! Guards the requests of an authorization: a server chooses their addresses, and this module
//! decides which may be used.
mod address; // classes of IP addresses
mod rule; // which addresses may be used for one server
mod client; // the HTTP client that enforces the rule
mod problem; // errors of requests

pub(super) use client::{Guarded, Lookup, System};
pub use problem::Problem;
pub(super) use rule::Rule;
pub use rule::{AddressError, PrivateAddresses};
