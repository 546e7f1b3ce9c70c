//! Stands between clients and a server that other people wrote: an upstream as an
//! [`Endpoint`](overt_layers::Endpoint), whatever era and transport each side speaks. Start with `endpoint.rs`.
//!
//! **Invariant:** a request reaches the upstream written anew from what was judged; an answer goes back as it came,
//! but for its id, what the client's era requires, and marks that look like Overt's.
//! **Invariant:** a request that may have had an effect is never sent twice.
//! **Invariant:** eras are bridged here and nowhere else.
pub mod auth; // who we are to an upstream that wants a token
mod endpoint; // `Gateway`: the upstream as an endpoint
mod options; // what it is told about the upstream, and what may be held for clients
mod bridge; // what differs between the eras
mod pass; // one request to the upstream and its answer back
mod look; // the tools are looked at before one is called
mod request; // the request that reaches the upstream
mod lanes; // which conversation a request goes to
mod lane; // one conversation, opened again when it is lost
mod upstream; // how the server is reached, and how it has done so far
mod health; // when it may be tried again
mod ears; // what it sends on its own, and for whom
mod route; // calls that it is working on
mod question; // which of its questions get to a client
mod listeners; // who wants to hear of its changes
mod tools; // what is known of its tools
mod upstream_marks; // its marks in our places, which move
mod upstream_question; // its questions, which are shown as its own
mod failure; // what a client is told when it fails
pub mod pins; // which definitions of its tools a person has accepted

pub use endpoint::{Gateway, Stats};
pub use options::{Holdings, Options, Questions};
