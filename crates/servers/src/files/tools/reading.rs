//! The declaration that all reading tools share.
use overt_layers::record::{Effect, ToolRecord};

/// Returns the declaration of a tool that only reads local files. Tools add to it.
pub(super) fn reading() -> ToolRecord {
    ToolRecord {
        idempotent: Some(true),
        open_world: Some(false),
        reversible: Some(true),
        category: Some("files".to_owned()),
        refusal_modes: Some(vec!["the path is outside of every root, or hidden".to_owned()]),
        ..ToolRecord::new(Effect::Read)
    }
}
