//! Validates a server's messages against the official schemas of the negotiated version.
mod official; // the schemas themselves
mod witness; // follows a conversation and checks every message of the server

pub use official::{Official, Schemas};
pub use witness::Witness;
