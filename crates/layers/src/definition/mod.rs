//! The definition of a tool as one text, so that two definitions can be compared. Pins, grants and
//! trust all use it.
mod canonical; // the canonical text of a JSON value (RFC 8785)
mod order; // the canonical text of a tool, in which sets have no order
mod lists; // sorts lists in descriptions, whose items have no order
mod server; // the digest of all tools of a server
mod digest; // the digest of one definition
mod change; // the differences between two definitions

pub use canonical::canonical;
pub use change::{MemberChange, changed_members};
pub use digest::definition_digest;
pub use order::{Texts, canonical_definition};
pub use server::server_digest;
