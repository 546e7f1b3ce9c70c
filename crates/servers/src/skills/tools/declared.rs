//! The declarations of the tools, and the conversion of contents into tool results.
use overt_layers::record::{Effect, KnownError, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::Content;

use super::super::read::{Body, Read};

/// The record of a tool that only reads skills.
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

/// The record of a tool that reads one file of a skill, with its possible errors.
pub(super) fn reading_a_file(intent: &str) -> ToolRecord {
    ToolRecord { errors: errors(), ..reading(intent) }
}

/// The codes of the errors below.
pub(super) const CODES: [&str; 2] = ["NOT_FOUND", "CHANGED"];

fn errors() -> Vec<KnownError> {
    let error = |code: &str, description: &str, resolution: &str| KnownError {
        code: code.to_owned(),
        description: description.to_owned(),
        resolution: resolution.to_owned(),
    };
    vec![
        error(
            "NOT_FOUND",
            "There is no such skill, file or address",
            "Use the name or URI of something that was listed",
        ),
        error("CHANGED", "A file was changed after the skills were listed", "List the skills again"),
    ]
}

/// Text becomes text content; other bytes become an embedded resource.
pub(super) fn content(uri: &str, read: Read) -> Vec<Content> {
    vec![match read.body {
        Body::Text(text) => Content::text(&text),
        Body::Bytes(bytes) => Content::embedded_bytes(uri, &read.mime_type, &bytes),
    }]
}
