//! Adapters for `write_file`, `edit_file`, `create_directory` and `move_file`. They use our plans
//! and our journal, with the arguments and texts of the official server.
use std::fmt::Write as _;

use overt_layers::record::ToolRecord;
use overt_toolbox::{Context, Inner, Outcome, Tool, ToolError};
use overt_wire::json::Json;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::own_tools::{OwnTools, text};
use super::reading::OnePath;
use super::reworded_error::reworded_error;
use super::text_result::{Changed, instead};

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "its fields are the schema; the arguments are read as JSON")]
struct Write {
    path: String,
    content: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "its fields are the schema; the arguments are read as JSON")]
struct Edit {
    path: String,
    edits: Vec<Replacement>,
    /// Preview changes using git-style diff format
    #[serde(default, rename = "dryRun")]
    dry_run: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "its fields are the schema; the arguments are read as JSON")]
struct Replacement {
    /// Text to search for - must match exactly
    #[serde(rename = "oldText")]
    old_text: String,
    /// Text to replace with
    #[serde(rename = "newText")]
    new_text: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "its fields are the schema; the arguments are read as JSON")]
struct Move {
    source: String,
    destination: String,
}

pub(super) fn write_file(tool: Tool) -> Tool {
    let answer = |given: Value, ours: Value, context: Context, inner: Inner| async move {
        let outcome = inner.call(ours, &context).await.map_err(reworded_error)?;
        instead(outcome, format!("Successfully wrote to {}", text(&given, "path")))
    };
    let description = "Use to create a file or to replace all of one. `content` is all of the new text.";
    renamed(tool, &[], |tool| tool.adapted::<Write, Changed, _, _>(description, Value::clone, answer))
}

pub(super) fn edit_file(tool: Tool) -> Tool {
    let arguments = |given: &Value| {
        let mut edits = Vec::new();
        for edit in given["edits"].as_array().into_iter().flatten() {
            let of = |theirs: &str, ours: &str| edit.get(theirs).or(edit.get(ours)).cloned();
            edits.push(json!({ "find": of("oldText", "find"), "replace": of("newText", "replace") }));
        }
        json!({ "path": given["path"], "edits": edits })
    };
    let answer = |given: Value, ours: Value, context: Context, inner: Inner| async move {
        let is_dry = given["dryRun"] == true;
        let context = if is_dry { context.as_preview() } else { context };
        let outcome = inner.call(ours, &context).await.map_err(reworded_error)?;
        let diff = outcome.diff().map(unified).unwrap_or_default();
        instead(outcome, diff)
    };
    let description = "Use to change parts of a text file. Each edit replaces `oldText`, which must occur in the file exactly once, with \
        `newText`; all are made, or none. Returns a unified diff; with `dryRun` nothing is changed.";
    renamed(tool, &[], |tool| tool.adapted::<Edit, Changed, _, _>(description, arguments, answer))
}

pub(super) fn create_directory(tool: Tool, ours: OwnTools) -> Tool {
    let arguments = |given: &Value| json!({ "path": given["path"], "create_parents": true });
    let answer = move |given: Value, arguments: Value, context: Context, inner: Inner| {
        let ours = ours.clone();
        async move {
            let words = format!("Successfully created directory {}", text(&given, "path"));
            match inner.call(arguments, &context).await {
                // An existing directory counts as success.
                Err(error) if is_there(&error) && is_directory(&ours, &given, &context).await => {
                    Outcome::structured(&json!({ "content": words }))
                        .and_then(|outcome| instead(outcome, words))
                }
                outcome => instead(outcome.map_err(reworded_error)?, words),
            }
        }
    };
    let description = "Use to create a directory and its missing parents. A directory that already exists is left as it is.";
    renamed(tool, &[], |tool| tool.adapted::<OnePath, Changed, _, _>(description, arguments, answer))
}

pub(super) fn move_file(tool: Tool) -> Tool {
    let arguments = |given: &Value| {
        let of = |theirs: &str, ours: &str| given.get(theirs).or(given.get(ours)).cloned();
        json!({ "from": of("source", "from"), "to": of("destination", "to") })
    };
    let answer = |given: Value, ours: Value, context: Context, inner: Inner| async move {
        let outcome = inner.call(ours, &context).await.map_err(reworded_error)?;
        let (from, to) = (text(&given, "source"), text(&given, "destination"));
        instead(outcome, format!("Successfully moved {from} to {to}"))
    };
    let description = "Use to rename or move a file or directory. Nothing may be at `destination`.";
    let names = [("{from}", "{source}"), ("{to}", "{destination}")];
    renamed(tool, &names, |tool| tool.adapted::<Move, Changed, _, _>(description, arguments, answer))
}

/// Builds the adapter of a tool, with the declaration of our tool. Scopes are made of our
/// arguments; sentences use the argument names of the other server.
fn renamed(tool: Tool, names: &[(&str, &str)], adapter: impl FnOnce(Tool) -> Tool) -> Tool {
    let record = tool.record().clone();
    let rename = |template: &String| {
        names.iter().fold(template.clone(), |text, (ours, theirs)| text.replace(ours, theirs))
    };
    adapter(tool).declare(ToolRecord {
        intent_template: record.intent_template.as_ref().map(rename),
        cli_equivalent: record.cli_equivalent.as_ref().map(rename),
        examples: Vec::new(),
        ..record
    })
}

fn is_there(error: &ToolError) -> bool {
    error.word() == Some("TARGET_EXISTS")
}

async fn is_directory(ours: &OwnTools, given: &Value, context: &Context) -> bool {
    let info = ours.value("get_file_info", json!({ "path": given["path"] }), context).await;
    info.is_ok_and(|info| info["type"] == "directory")
}

/// Formats the changes as a unified diff in a fenced code block.
fn unified(diff: Json<'_>) -> String {
    let mut out = "```diff\n".to_owned();
    for change in diff.get("changes").value().into_iter().flat_map(Json::elements) {
        let label = change.get("label").string().unwrap_or_default();
        let _ = writeln!(out, "--- {label}\toriginal\n+++ {label}\tmodified");
        for hunk in change.get("hunks").value().into_iter().flat_map(Json::elements) {
            let number =
                |name: &str| hunk.get(name).value().and_then(|number| number.read::<u64>().ok()).unwrap_or(0);
            let _ = writeln!(
                out,
                "@@ -{},{} +{},{} @@",
                number("old_start"),
                number("old_lines"),
                number("new_start"),
                number("new_lines")
            );
            for line in hunk.get("lines").value().into_iter().flat_map(Json::elements) {
                let sign = match line.get("kind").string().as_deref() {
                    Some("removed") => '-',
                    Some("added") => '+',
                    _ => ' ',
                };
                let _ = writeln!(out, "{sign}{}", line.get("text").string().unwrap_or_default());
                if line.get("no_newline").value().is_some() {
                    out.push_str("\\ No newline at end of file\n");
                }
            }
        }
    }
    if diff.get("truncated").value().is_some() {
        out.push_str("\\ The rest is too long to be shown.\n");
    }
    out.push_str("```\n\n");
    out
}
