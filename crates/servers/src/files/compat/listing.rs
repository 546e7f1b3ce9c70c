//! Adapters for `list_directory`, `list_directory_with_sizes`, `directory_tree`, `search_files`,
//! `get_file_info` and `list_allowed_directories`. They return the results of our tools without
//! pages, in the other server's format. A result that is too large is refused, with advice.
use std::fmt::Write as _;

use overt_toolbox::{Content, Context, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::error::code;
use super::super::tools;
use super::own_tools::{OwnTools, text};
use super::reading::OnePath;
use super::text_result::{TextResult, text_result};

/// Most entries that one call returns.
const MOST_LISTED: usize = 20_000;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListWithSizes {
    path: String,
    /// Sort entries by name or size
    #[serde(default, rename = "sortBy")]
    sort_by: SortBy,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SortBy {
    #[default]
    Name,
    Size,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TreeOf {
    path: String,
    #[serde(default, rename = "excludePatterns")]
    exclude_patterns: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Search {
    path: String,
    pattern: String,
    #[serde(default, rename = "excludePatterns")]
    exclude_patterns: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Nothing {}

pub(super) async fn directory(
    ours: OwnTools,
    input: OnePath,
    context: Context,
) -> Result<(TextResult, Vec<Content>), ToolError> {
    let entries = listed(&ours, &input.path, false, &context).await?;
    let lines: Vec<_> = entries.iter().map(|entry| format!("{} {}", mark(entry), name(entry))).collect();
    Ok(text_result(lines.join("\n")))
}

pub(super) async fn directory_with_sizes(
    ours: OwnTools,
    input: ListWithSizes,
    context: Context,
) -> Result<(TextResult, Vec<Content>), ToolError> {
    let mut entries = listed(&ours, &input.path, true, &context).await?;
    let bytes = |entry: &Value| entry["size"].as_u64().unwrap_or(0);
    if input.sort_by == SortBy::Size {
        entries.sort_by_key(|entry| std::cmp::Reverse(bytes(entry)));
    }
    let mut out = String::new();
    let (mut files, mut folders, mut total) = (0, 0, 0_u64);
    for entry in &entries {
        let size = if is_folder(entry) {
            folders += 1;
            String::new()
        } else {
            files += 1;
            total = total.saturating_add(bytes(entry));
            format!("{:>10}", size_in_words(bytes(entry)))
        };
        let _ = writeln!(out, "{} {:<30} {size}", mark(entry), name(entry));
    }
    let _ =
        write!(out, "\nTotal: {files} files, {folders} directories\nCombined size: {}", size_in_words(total));
    Ok(text_result(out))
}

/// Returns all entries of a directory, including hidden ones, sorted by name. Fails if there are
/// more than `MOST_LISTED`.
async fn listed(
    ours: &OwnTools,
    path: &str,
    sizes: bool,
    context: &Context,
) -> Result<Vec<Value>, ToolError> {
    let arguments = json!({ "path": path, "sizes": sizes, "hidden": true });
    let mut listing = tools::list_every(&ours.server, arguments, MOST_LISTED, context.clone()).await?;
    if listing["has_more"] == true {
        return Err(too_many(path));
    }
    match listing["entries"].take() {
        Value::Array(entries) => Ok(entries),
        _ => Ok(Vec::new()),
    }
}

/// An entry of a tree. `children` is `None` for a file, and a list, perhaps an empty one, for a
/// directory.
#[derive(Debug, Serialize)]
struct Node {
    name: String,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<Node>>,
}

pub(super) async fn tree(
    ours: OwnTools,
    input: TreeOf,
    context: Context,
) -> Result<(TextResult, Vec<Content>), ToolError> {
    let found = found(&ours, &input.path, json!({ "exclude": input.exclude_patterns }), &context).await?;
    let mut top = Vec::new();
    for path in &found.paths {
        let inner = path.strip_prefix(&found.root).unwrap_or(path).trim_start_matches('/');
        place(&mut top, inner);
    }
    Ok(text_result(serde_json::to_string_pretty(&top)?))
}

/// Adds a path to the tree. The directories that contain it must have been added before.
fn place(nodes: &mut Vec<Node>, path: &str) {
    match path.split_once('/') {
        Some((name, "")) => {
            nodes.push(Node { name: name.to_owned(), r#type: "directory", children: Some(Vec::new()) });
        }
        None => nodes.push(Node { name: path.to_owned(), r#type: "file", children: None }),
        Some((name, rest)) => {
            let parent = nodes.iter_mut().rev().find(|node| node.name == name && node.children.is_some());
            if let Some(children) = parent.and_then(|parent| parent.children.as_mut()) {
                place(children, rest);
            }
        }
    }
}

pub(super) async fn search(
    ours: OwnTools,
    input: Search,
    context: Context,
    whole: impl Fn(&str) -> String,
) -> Result<(TextResult, Vec<Content>), ToolError> {
    let mut terms = json!({ "pattern": input.pattern, "syntax": "glob", "exclude": input.exclude_patterns });
    // The official server matches patterns against the path: a pattern without a slash matches only
    // direct entries of the directory.
    if !input.pattern.contains('/') {
        terms["max_depth"] = json!(1);
    }
    let found = found(&ours, &input.path, terms, &context).await?;
    let paths: Vec<_> = found.paths.iter().map(|path| whole(path.trim_end_matches('/'))).collect();
    Ok(text_result(if paths.is_empty() { "No matches found".to_owned() } else { paths.join("\n") }))
}

/// The result of `find_files`, without pages.
struct Found {
    /// The start that all paths share; empty for the default root.
    root: String,
    paths: Vec<String>,
}

async fn found(ours: &OwnTools, path: &str, terms: Value, context: &Context) -> Result<Found, ToolError> {
    let mut arguments = terms;
    arguments["path"] = json!(path);
    arguments["hidden"] = json!(true);
    arguments["no_ignore"] = json!(true);
    let found = tools::find_every(&ours.server, arguments, MOST_LISTED, context.clone()).await?;
    if found["has_more"] == true {
        return Err(too_many(path));
    }
    let root = match text(&found, "path") {
        "." => "",
        root => root,
    };
    let matches = found["matches"].as_array().map(Vec::as_slice).unwrap_or_default();
    let paths = matches.iter().filter_map(Value::as_str).map(str::to_owned);
    Ok(Found { root: root.to_owned(), paths: paths.collect() })
}

pub(super) async fn info(
    ours: OwnTools,
    input: OnePath,
    context: Context,
) -> Result<(TextResult, Vec<Content>), ToolError> {
    let info = ours.value("get_file_info", json!({ "path": input.path }), &context).await?;
    let kind = text(&info, "type");
    let mode = text(&info, "mode");
    let lines = [
        format!("size: {}", info["size"]),
        format!("modified: {}", text(&info, "modified")),
        format!("isDirectory: {}", kind == "directory"),
        format!("isFile: {}", kind == "file"),
        format!("permissions: {}", mode.get(mode.len().saturating_sub(3)..).unwrap_or(mode)),
    ];
    Ok(text_result(lines.join("\n")))
}

pub(super) async fn allowed(
    ours: OwnTools,
    context: Context,
) -> Result<(TextResult, Vec<Content>), ToolError> {
    let value = ours.value("list_roots", json!({}), &context).await?;
    let roots = value["roots"].as_array().map(Vec::as_slice).unwrap_or_default();
    let readable = roots.iter().filter(|root| root["readable"] == true).map(|root| text(root, "path"));
    Ok(text_result(format!("Allowed directories:\n{}", readable.collect::<Vec<_>>().join("\n"))))
}

fn too_many(path: &str) -> ToolError {
    ToolError::new(format!("there are more than {MOST_LISTED} entries in `{path}`"))
        .next("Name a directory in it, or leave some out with `excludePatterns` where there is such an argument.")
        .code(code::TOO_LARGE)
}

fn is_folder(entry: &Value) -> bool {
    entry["type"] == "directory"
}

fn mark(entry: &Value) -> &'static str {
    if is_folder(entry) { "[DIR]" } else { "[FILE]" }
}

fn name(entry: &Value) -> &str {
    let path = text(entry, "path");
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Formats a size, such as `1.50 KB`.
fn size_in_words(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KB", "MB", "GB", "TB"];
    let mut unit = 0;
    let mut whole = bytes;
    while whole >= 1024 && unit < UNITS.len() - 1 {
        whole /= 1024;
        unit += 1;
    }
    if unit == 0 {
        return format!("{bytes} B");
    }
    let hundredths = (u128::from(bytes) * 100 + (1 << (10 * unit - 1))) >> (10 * unit);
    format!("{}.{:02} {}", hundredths / 100, hundredths % 100, UNITS[unit])
}
