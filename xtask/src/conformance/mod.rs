//! The official conformance suites against the example server and the example client.

mod client; // the suite as server, ours as client
mod left_out; // client scenarios that are not demanded, and why
mod results; // what a run of the suite wrote
mod server; // the suite as client, ours as server
mod suite; // the two releases of the suite
mod whole; // both sides

pub(crate) use whole::run;
