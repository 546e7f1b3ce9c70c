//! The definition of a tool as one text, so that two definitions can be compared: pins, grants and
//! trust use the same one.
mod canonical; // a JSON value with one spelling (RFC 8785)
mod order; // the same for a tool, where sets have no order
mod lists; // lists in descriptions, where items have no order
mod server; // all tools of a server

pub use canonical::canonical;
pub use order::{Texts, canonical_definition};
pub use server::server_digest;
