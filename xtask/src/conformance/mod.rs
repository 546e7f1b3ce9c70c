//! Runs the official conformance suites against the example server, the example client and `overt
//! run`.

mod client; // the suite as server, ours as client
mod left_out; // client scenarios that need not pass, and why
mod results; // reading the results of a run
mod server; // the suite as client, ours as server
pub(crate) mod skills; // the suite as client, `overt skills` as server
mod suite; // the two releases of the suite
mod through; // the suite as client, `overt run` in front of two servers
mod run; // the task: all of the above

pub(crate) use run::run;
