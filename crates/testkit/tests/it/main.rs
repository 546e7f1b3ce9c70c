//! Tests of the serving side from the view of its clients: transcripts, schemas, hostile input.
//! Names of tests contain case ids (RPC-05, HTTP-08, G-17, X-46).
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod servers; // small servers for single tests
mod transcripts; // plays all of `tests/transcripts`
mod schemas; // every message in every version
mod repeat; // output that is byte-equal from run to run
mod probe; // a server whose tools report what they do
mod web; // a server over HTTP, and requests for it
mod rpc; // malformed and hostile JSON-RPC
mod http; // hostile HTTP
mod upstream; // hostile servers behind `overt run`
mod cases_table; // `docs/security-cases.md` agrees with the tests
