//! Tests of the wire crate through its public interface, one module per topic. Case ids (RPC-05,
//! CARD-06) are in the names.
#![expect(clippy::unwrap_used, reason = "helpers of tests stop the test, too")]
mod scan; // what the strict check lets in
mod json; // looks at checked text
mod write; // text that we build
mod message; // kinds, ids, members
mod reject; // what a broken text is answered with
mod edit; // one member changed, every other byte kept
mod era; // versions, callers, methods
mod frame; // lines and events
mod text; // other people's text on a terminal
mod view; // read-only looks at lists and results
mod props; // the same on generated input, beside independent models
