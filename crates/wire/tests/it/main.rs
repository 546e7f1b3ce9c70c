//! Tests of the wire crate through its public interface, one module per topic. Test names contain
//! the case ids (RPC-05, CARD-06).
#![expect(clippy::unwrap_used, reason = "helpers of tests stop the test, too")]
mod scan; // texts that the strict check accepts and refuses
mod json; // read access to checked text
mod write; // building new text
mod message; // kinds of messages, their ids and members
mod reject; // answers to malformed messages
mod edit; // changing one member while every other byte stays
mod era; // versions, callers, methods
mod frame; // splitting bytes into lines and events
mod text; // untrusted text on a terminal
mod view; // read-only views of lists and results
mod props; // properties on generated input, compared with independent models
