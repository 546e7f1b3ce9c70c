//! The gateway: stands between clients and a third-party server. It makes an upstream an
//! [`Endpoint`](overt_layers::Endpoint), whatever era and transport each side speaks. Start with
//! `endpoint.rs`.
//!
//! **Invariant:** a request to the upstream is rebuilt from the message that was authorized. An
//! answer is returned unchanged, except for its id, what the client's era requires, and marks that
//! look like Overt's. **Invariant:** a request that may have had an effect is never sent twice.
//! **Invariant:** only this crate translates between eras.
mod endpoint; // `Gateway`: the upstream as an endpoint
mod options; // facts about the upstream, and limits
mod legacy_client; // a legacy client, with an upstream of either era
mod legacy_notifications; // notifications of changes for a legacy client
mod modern_client; // a modern client, with an upstream of either era
mod legacy_questions; // questions in results, asked of a legacy client one by one
mod suspended; // calls that wait for a modern client to come back with answers
mod pool; // the sessions with the upstream, by key
mod session_key; // which clients share a session
mod session; // a session with the upstream, and the task that owns it
mod listeners; // listeners for changes in one session
mod listen; // subscriptions of modern clients to a legacy upstream
mod forward; // forwards one request and returns its answer
mod pinned_tools; // checks lists and calls against the pins
mod translate; // translation between the eras, as functions on messages
mod route; // calls that the upstream is working on
mod inbound; // messages that the upstream sends on its own
mod question; // which questions of the upstream reach a client
mod upstream; // the server: its address, its eras, its state
mod health; // when the upstream may be tried again
mod readiness; // probes of an idle upstream
mod failure; // the errors that clients get
pub mod pins; // which tool definitions a person has accepted

pub use endpoint::{Gateway, Stats};
pub use options::{GatewayLimits, Options, Questions};
