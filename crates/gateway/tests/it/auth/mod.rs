//! Upstreams that want a token.
mod kit; // a person with a browser, a store, connections

mod addresses; // where a server may send us (UP-15, UP-16)
mod code; // a person agrees
mod machine; // client credentials
mod passing; // what of a client reaches an upstream (UP-14)
mod renewal; // refresh and step-up
mod silence; // nothing of a token is seen
