//! A seeded simulation of `overt run`: clients of both eras, the real layers and gateway, and
//! servers that crash, in virtual time. Each schedule is checked against the promises in
//! `promise.rs`. `docs/testing.md` says how to repeat one.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod promise; // the promises that every schedule must keep
mod random; // random numbers from a seed
mod schedule; // what happens in one run, made from a seed
mod world; // the state of a run, and the checks that need all of it
mod link; // byte streams that delay and fragment their data
mod ledger; // an audit log in memory
mod upstream; // starts a server for each session
mod server; // one server: answers, asks, floods, crashes
mod client; // a client: its requests, and checks of what it receives
mod connection; // how a client reaches the layers: a stream, or the handler itself
mod scenario; // one schedule from its first request to the last check
mod seeds; // the tests: many schedules
mod sabotage; // tests of the simulation: it finds broken promises
