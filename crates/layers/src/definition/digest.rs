//! The digest of a tool's definition. Grants and trust use it to identify the definition that a
//! person saw.
use overt_wire::json::Json;

use super::{Texts, canonical_definition};
use crate::seal::digest;

/// Returns the digest of a tool's definition. Reordering unordered parts does not change it: a
/// server may write them in another order at each start.
pub fn definition_digest(tool: Json<'_>) -> String {
    digest(&[&canonical_definition(tool, Texts::Unordered)])
}
