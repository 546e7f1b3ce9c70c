//! Tests of the serving side as its clients see it: transcripts, schemas, hostile input. Case ids
//! (RPC-05, HTTP-08, G-17, X-46) are in the names.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod servers; // small servers that single tests need
mod transcripts; // plays all of `tests/transcripts`
mod schemas; // everything, in every version
mod repeat; // the same to the byte from run to run
mod probe; // a server whose tools can be watched
mod web; // a server over HTTP, and requests for it
mod rpc; // malformed and hostile JSON-RPC
mod http; // hostile HTTP
mod upstream; // hostile servers behind `overt run`
mod cases_table; // what `docs/security-cases.md` says is true
