//! The official conformance suites against the example server and the example client, and through
//! `overt run`.

mod client; // the suite as server, ours as client
mod left_out; // client scenarios that are not demanded, and why
mod results; // what a run of the suite wrote
mod server; // the suite as client, ours as server
pub(crate) mod skills; // the suite as client, `overt skills` as server
mod suite; // the two releases of the suite
mod through; // the suite as client, `overt run` in front of two servers
mod whole; // all of it

pub(crate) use whole::run;
