//! What is declared of each tool that only reads.
use overt_layers::record::{Effect, ToolRecord};

/// A tool that reads files of this machine, and nothing else. A tool that says more adds to it.
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
