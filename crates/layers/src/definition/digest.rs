//! The digest of a definition: grants and trust name a tool as it was by it.
use overt_wire::json::Json;

use super::{Texts, canonical_definition};
use crate::seal::digest;

/// A digest of the definition of a tool. What has no order may change its order: a server may write
/// it in another one at each start.
pub fn definition_digest(tool: Json<'_>) -> String {
    digest(&[&canonical_definition(tool, Texts::Unordered)])
}
