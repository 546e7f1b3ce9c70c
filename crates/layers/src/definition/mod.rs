//! The definition of a tool as one text, so that two definitions can be compared: pins, grants and
//! trust use the same one.
mod canonical; // a JSON value with one spelling (RFC 8785)
mod order; // the same for a tool, where sets have no order
mod lists; // lists in descriptions, where items have no order
mod server; // all tools of a server
mod digest; // one definition as a number
mod change; // what differs between two definitions

pub use canonical::canonical;
pub use change::{MemberChange, changed_members};
pub use digest::definition_digest;
pub use order::{Texts, canonical_definition};
pub use server::server_digest;
