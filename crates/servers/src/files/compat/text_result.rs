//! Results of the adapters: one text, for programs and for models alike.
use overt_toolbox::{Content, Outcome, ToolError};
use schemars::JsonSchema;
use serde::Serialize;

/// The value of nearly all of its results.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TextResult {
    pub(super) content: String,
}

/// The value of a change.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Changed {
    content: String,
    /// Undoes this with `revert_change`. Absent in a preview, and where nothing was changed or is
    /// kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<String>,
}

/// Returns a result with the same text for programs and for models.
pub(super) fn text_result(text: String) -> (TextResult, Vec<Content>) {
    let content = vec![Content::text(&text)];
    (TextResult { content: text }, content)
}

/// Replaces the value and the text of our result, and keeps the changes that it shows.
pub(super) fn instead(outcome: Outcome, text: String) -> Result<Outcome, ToolError> {
    let change = outcome.value().and_then(|value| Some(value.get("change")?.as_str()?.to_owned()));
    let item = Content::text(&text);
    Ok(outcome.with_value(&Changed { content: text, change })?.with_content(vec![item]))
}
