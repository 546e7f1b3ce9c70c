//! Tests of authorization to servers that require a token.
#![expect(clippy::unwrap_used, reason = "a test that can't go on stops")]
mod kit; // a person with a browser, a token store, connections

mod addresses; // which addresses a server may use (UP-15, UP-16)
mod code; // a person consents
mod machine; // client credentials
mod passing; // what of a client's request reaches an upstream (UP-14)
mod renewal; // refreshed tokens and additional scopes
mod silence; // tokens don't appear in logs and errors
