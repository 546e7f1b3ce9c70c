//! What is declared of each tool, and how contents become the result of one.
use overt_layers::record::{Effect, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::Content;

use super::super::read::{Body, Read};

/// A tool that reads skills, and nothing else.
pub(super) fn reading(intent: &str) -> ToolRecord {
    ToolRecord {
        idempotent: Some(true),
        open_world: Some(false),
        reversible: Some(true),
        category: Some("skills".to_owned()),
        intent_template: Some(intent.to_owned()),
        pii_exposure: Some(PiiExposure::Low),
        secrets_exposure: Some(SecretsExposure::None),
        refusal_modes: Some(vec!["there is no such skill, or it may not be read".to_owned()]),
        ..ToolRecord::new(Effect::Read)
    }
}

/// Text as text; other bytes as a resource.
pub(super) fn content(uri: &str, read: Read) -> Vec<Content> {
    vec![match read.body {
        Body::Text(text) => Content::text(&text),
        Body::Bytes(bytes) => Content::embedded_bytes(uri, &read.mime_type, &bytes),
    }]
}
