//! Stands between clients and a server that other people wrote: an upstream as an
//! [`Endpoint`](overt_layers::Endpoint), whatever era and transport each side speaks. Start with
//! `endpoint.rs`.
//!
//! **Invariant:** a request reaches the upstream written anew from what was judged; an answer goes
//! back as it came, but for its id, what the client's era requires, and marks that look like
//! Overt's. **Invariant:** a request that may have had an effect is never sent twice.
//! **Invariant:** eras are bridged here and nowhere else.
mod endpoint; // `Gateway`: the upstream as an endpoint
mod options; // what it knows of the upstream, and its own limits
mod legacy_client; // a client of the older era, whatever the upstream speaks
mod legacy_notifications; // how it hears of changes from modern and shared sessions
mod modern_client; // a client of the newer era, whatever the upstream speaks
mod legacy_questions; // questions inside results, asked of a legacy client
mod suspended; // calls that wait for a modern client to come back with answers
mod pool; // which session a request goes to
mod session_key; // for whom a session is
mod session; // a session with the upstream, and the task that owns it
mod listeners; // who wants to hear of its changes
mod listen; // subscriptions of modern clients before a legacy upstream
mod forward; // one request to the upstream and its answer back
mod pinned_tools; // the pins on the way of requests
mod translate; // what differs between the eras, as functions on messages
mod route; // calls that the upstream is working on
mod inbound; // what the upstream sends on its own, and for whom
mod question; // which of its questions get to a client
mod upstream; // how the server is reached, and how it has done so far
mod health; // when it may be tried again
mod readiness; // whether an idle upstream can be reached
mod failure; // the errors that clients get
pub mod auth; // who we are to an upstream that wants a token
pub mod pins; // which definitions of its tools a person has accepted

pub use endpoint::{Gateway, Stats};
pub use options::{GatewayLimits, Options, Questions};
