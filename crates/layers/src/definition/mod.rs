//! The definition of a tool as one text, so that two definitions can be compared. Pins, grants and
//! trust all use it.
mod canonical; // the canonical text of a JSON value (RFC 8785)
mod order; // the canonical text of a tool, in which sets have no order
mod lists; // sorts lists in descriptions, whose items have no order
mod digest; // the digests of one definition, and of all tools of a server
mod change; // the differences between two definitions

pub use canonical::canonical;
pub use change::{MemberChange, changed_members};
pub use digest::{DefinitionDigest, ServerDigest};
pub use order::{Texts, canonical_definition};
