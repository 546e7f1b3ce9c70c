//! What its tools give: one text, for programs and for models alike.
use overt_layers::toolbox::{Content, Outcome, ToolError};
use schemars::JsonSchema;
use serde::Serialize;

/// The value of nearly all of its results.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Said {
    pub(super) content: String,
}

/// A result.
pub(super) fn said(text: String) -> (Said, Vec<Content>) {
    let content = vec![Content::text(&text)];
    (Said { content: text }, content)
}

/// A result in the place of ours, with the changes that ours shows.
pub(super) fn instead(outcome: Outcome, text: String) -> Result<Outcome, ToolError> {
    let (value, content) = said(text);
    Ok(outcome.with_value(&value)?.with_content(content))
}
