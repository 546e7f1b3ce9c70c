//! Adapters for `read_file`, `read_text_file`, `read_media_file` and `read_multiple_files`. They
//! return the results of our `read_file` and `read_multiple_files` as text. Each result stays
//! bounded, and says what is missing.
use std::borrow::Cow;

use overt_toolbox::{Content, Context, Outcome, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::tools;
use super::own_tools::{OwnTools, text};
use super::text_result::{TextResult, text_result};

/// Most lines that one call returns. The limit on bytes may end the text earlier.
const MOST_LINES: u32 = 100_000;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReadText {
    path: String,
    /// If provided, returns only the last N lines of the file
    tail: Option<u32>,
    /// If provided, returns only the first N lines of the file
    head: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct OnePath {
    pub(super) path: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ManyPaths {
    /// The files to read.
    #[schemars(length(min = 1))]
    paths: Vec<String>,
}

/// What `read_media_file` gives: the items of the result once more.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Media {
    content: Vec<Value>,
}

pub(super) async fn text_file(
    ours: OwnTools,
    input: ReadText,
    context: Context,
) -> Result<(TextResult, Vec<Content>), ToolError> {
    let arguments = match (input.head, input.tail) {
        (Some(_), Some(_)) => {
            return Err(
                ToolError::new("`head` and `tail` can't be used together").next("Leave one of them out.")
            );
        }
        (_, Some(tail)) if tail > 0 => json!({ "path": input.path, "tail": tail.min(MOST_LINES) }),
        (head, _) => {
            let lines = head.filter(|lines| *lines > 0).unwrap_or(MOST_LINES);
            json!({ "path": input.path, "start_line": 1, "limit": lines })
        }
    };
    let outcome = ours.outcome("read_file", arguments, &context).await?;
    let value = outcome.value().unwrap_or_default();
    let Some(content) = content_of(&outcome) else {
        return Err(ToolError::new(format!(
            "`{}` is not text but `{}`",
            input.path,
            text(&value, "mime_type")
        ))
        .next("Use `read_media_file`."));
    };
    let mut items = vec![Content::text(&content)];
    // The result is less than the client asked for. A client that reads only the text must learn
    // this.
    if value["truncated"] == true && (input.head, input.tail) == (None, None) {
        items.extend(outcome.items().iter().skip(1).cloned());
    }
    Ok((TextResult { content }, items))
}

pub(super) async fn media_file(
    ours: OwnTools,
    input: OnePath,
    context: Context,
) -> Result<(Media, Vec<Content>), ToolError> {
    let arguments = json!({ "path": input.path, "start_line": 1, "limit": MOST_LINES, "binary": true });
    let outcome = ours.outcome("read_file", arguments, &context).await?;
    let is_media = |item: &&Content| !item.is_text();
    let item = match outcome.items().iter().find(is_media) {
        Some(item) => item.clone(),
        None => as_bytes(&input.path, &outcome)?,
    };
    let value: Value = item.to_json().as_json().read().map_err(|error| ToolError::new(error.to_string()))?;
    Ok((Media { content: vec![value] }, vec![item]))
}

/// Returns the text of a file. A long one is only in the text of the answer. `None` if the file is
/// not text.
fn content_of(outcome: &Outcome) -> Option<String> {
    let value = outcome.value()?;
    if let Some(content) = value["content"].as_str() {
        return Some(content.to_owned());
    }
    let item = outcome.items().first().filter(|_| value["encoding"].is_string())?;
    item.as_text().map(Cow::into_owned)
}

/// Returns a text file as media content: SVG as an image, any other text as an embedded file.
fn as_bytes(path: &str, outcome: &Outcome) -> Result<Content, ToolError> {
    let value = outcome.value().unwrap_or_default();
    if value["truncated"] == true {
        return Err(ToolError::new(format!("`{path}` is a text file that is larger than one call returns"))
            .next("Use `read_text_file` with `head` or `tail`."));
    }
    let kind = if path.to_ascii_lowercase().ends_with(".svg") { "image/svg+xml" } else { "text/plain" };
    let content = content_of(outcome).unwrap_or_default();
    let bytes = content.as_bytes();
    Ok(match kind {
        "image/svg+xml" => Content::image(bytes, kind),
        _ => Content::embedded_bytes(&format!("file:{}", text(&value, "path")), kind, bytes),
    })
}

pub(super) async fn multiple_files(
    ours: OwnTools,
    input: ManyPaths,
    context: Context,
) -> Result<(TextResult, Vec<Content>), ToolError> {
    // The limit of one call of ours applies, however many paths there are.
    let most: u64 = context.setting("read_max_bytes")?;
    let mut left = usize::try_from(most).unwrap_or(usize::MAX).saturating_mul(tools::SHARE);
    let mut parts = Vec::with_capacity(input.paths.len());
    for paths in input.paths.chunks(50) {
        if left == 0 {
            parts.extend(paths.iter().map(|path| no_room(path)));
            continue;
        }
        let value = ours.value("read_multiple_files", json!({ "paths": paths }), &context).await?;
        let files = value["files"].as_array().map(Vec::as_slice).unwrap_or_default();
        for entry in files {
            let bytes = entry["file"]["content"].as_str().map_or(0, str::len);
            if bytes > left {
                left = 0;
                parts.push(no_room(text(entry, "path")));
                continue;
            }
            left -= bytes;
            parts.push(one_of_many(entry));
        }
    }
    Ok(text_result(parts.join("\n---\n")))
}

fn no_room(path: &str) -> String {
    format!("{path}: Error - the files before it have filled the answer; read it in a call of its own")
}

fn one_of_many(entry: &Value) -> String {
    let path = text(entry, "path");
    match (&entry["file"]["content"], &entry["error"]["message"]) {
        (Value::String(content), _) => format!("{path}:\n{content}\n"),
        (_, Value::String(message)) => format!("{path}: Error - {message}"),
        _ => format!("{path}: Error - it is not text; use `read_media_file`"),
    }
}
