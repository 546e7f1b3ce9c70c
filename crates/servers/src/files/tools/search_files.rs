//! `search_files`: contents by a pattern. What comes back is the same however many threads searched (G-21), and is cut to a summary where
//! it would be too much (B-15).
use std::sync::Arc;

use overt_layers::record::{Effect, Example, PiiExposure, SecretsExposure, ToolRecord};
use overt_toolbox::{Context, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::super::FileServer;
use super::super::error::code;
use super::super::search::Line;
use super::known::{READING, known};
use super::located::located;
use super::params::{Limit, RootText};
use super::search_run::{Limits, search};
use super::walking::{Case, FollowLinks, Hidden, NoIgnore, Offset, Page, is_false, is_zero, walked};

const NAME: &str = "search_files";

const DESCRIPTION: &str = "Use to find lines in files by their content. Gives the matching lines of each file with their numbers, counted from 1, \
     files in the order of their paths; or only the files, or only the numbers of matches, by `output`. Where all lines would be too much, \
     `mode` is `reduced` (the first lines of each file) or `summary` (the files with most matches): then narrow the search with `glob`, `root` or \
     `pattern`. `pattern` is a regular expression over one line unless `literal` or `multiline` is true. Leaves out binary and hidden files \
     and what `.gitignore` leaves out, unless asked.";

/// What the tool takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// A regular expression, such as `fn \w+_test`, or the text itself if `literal` is true. A `-` at its beginning means nothing special.
    #[schemars(length(min = 1))]
    pub(super) pattern: String,
    /// Whether the pattern is the text itself.
    #[serde(default)]
    pub(super) literal: bool,
    pub(super) root: Option<RootText>,
    /// Globs of the files to search, as in `.gitignore`: `*.rs` at any depth, `src/**` from `root`; with `!` before it, what is left out.
    #[serde(default)]
    pub(super) glob: Vec<String>,
    /// Lines to give before and after each match; wins over the two below.
    #[schemars(range(max = 100))]
    pub(super) context: Option<u32>,
    /// Lines to give before each match.
    #[serde(default)]
    #[schemars(range(max = 100))]
    pub(super) before_context: u32,
    /// Lines to give after each match.
    #[serde(default)]
    #[schemars(range(max = 100))]
    pub(super) after_context: u32,
    #[serde(default)]
    pub(super) case_sensitive: Case,
    /// Whether a match can go over several lines; `(?s)` lets `.` stand for line endings too.
    #[serde(default)]
    pub(super) multiline: bool,
    /// The most matching lines of one file.
    #[schemars(range(min = 1))]
    pub(super) max_count: Option<u64>,
    #[serde(default)]
    pub(super) output: OutputForm,
    #[serde(default)]
    pub(super) hidden: Hidden,
    #[serde(default)]
    pub(super) no_ignore: NoIgnore,
    #[serde(default)]
    pub(super) follow: FollowLinks,
    pub(super) limit: Option<Limit>,
    #[serde(default)]
    pub(super) offset: Offset,
}

/// What to give: `content` the matching lines, `files` the paths of files that match, `count` the number of matches in each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum OutputForm {
    #[default]
    Content,
    Files,
    Count,
}

/// What the tool gives.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Searching {
    /// Where was searched.
    pub(super) root: String,
    /// `full`: everything is here; `reduced`: the first lines of each file; `summary`: the files with most matches, by their number.
    pub(super) mode: Mode,
    pub(super) files: Vec<FileMatches>,
    /// How many files are in this answer.
    pub(super) count: usize,
    /// How many files match.
    pub(super) total_files: u64,
    /// How many matches there are in all files; a line can have several. Not counted if `output` is `files`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_matches: Option<u64>,
    pub(super) has_more: bool,
    /// The `offset` of the next answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_offset: Option<usize>,
    /// Whether there is more than this answer has.
    pub(super) truncated: bool,
    /// How many files were searched.
    pub(super) files_searched: u64,
    /// Whether the search took too long and was ended, so that it may have missed something.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) timed_out: bool,
    /// Files that are no text and were left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) binary_files: u64,
    /// Files of which only a part was searched: they are too large, or a line of them is.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) partly_searched: u64,
    /// Pipes, sockets and devices, which are never opened.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) special_files: u64,
    /// Files that could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) unreadable_files: u64,
    /// Hidden entries that were left out; `hidden` searches them.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) hidden_count: u64,
    /// Entries that `.gitignore` and its kin left out; `no_ignore` searches them.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) ignored_count: u64,
    /// Names that are not UTF-8 and can't be given.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) unreadable_names: u64,
    /// Directories that could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) unreadable_directories: u64,
    /// Entries whose path would be longer than a path can be.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) too_deep: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mode {
    #[default]
    Full,
    Reduced,
    Summary,
}

#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct FileMatches {
    /// As it can be given to other tools.
    pub(super) path: String,
    /// How many matches the file has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) count: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) lines: Vec<Line>,
}

pub(super) fn tool(server: &Arc<FileServer>) -> Tool {
    let served = Arc::clone(server);
    let run = move |input: Input, context: Context| {
        let server = Arc::clone(&served);
        async move { run(&server, input, context).await }
    };
    let own = [code::NOT_A_FILE, code::INVALID_PATTERN, code::INVALID_GLOB];
    let codes = [&READING[..], &own].concat();
    Tool::new(NAME, DESCRIPTION, run)
        .title("Search in files")
        .scope_arguments(located(server, &["root"]))
        .fails_with(codes.iter().copied())
        .declare(ToolRecord {
            idempotent: Some(true),
            category: Some("files".to_owned()),
            scopes: vec!["read:file:{root}".to_owned()],
            intent_template: Some("Search for {pattern}[ in {root}]".to_owned()),
            cli_equivalent: Some("rg -e {pattern} {root}".to_owned()),
            examples: vec![Example {
                description: "Where `main` begins".to_owned(),
                input: json!({ "pattern": "fn main", "glob": ["*.rs"] }),
                output: Some(json!({
                    "root": ".",
                    "mode": "full",
                    "files": [{
                        "path": "src/main.rs",
                        "count": 1,
                        "lines": [{ "line": 3, "text": "fn main() {", "ranges": [[0, 7]] }],
                    }],
                    "count": 1,
                    "total_files": 1,
                    "total_matches": 1,
                    "has_more": false,
                    "truncated": false,
                    "files_searched": 2,
                })),
            }],
            errors: known(&codes),
            pii_exposure: Some(PiiExposure::High),
            secrets_exposure: Some(SecretsExposure::ReadsSecretMaterial),
            refusal_modes: Some(vec![
                "A root outside of every root of the server, or one that is not allowed".to_owned(),
            ]),
            ..ToolRecord::new(Effect::Read)
        })
}

async fn run(server: &Arc<FileServer>, input: Input, context: Context) -> Result<Searching, ToolError> {
    let limits = Limits {
        page: Page::of(input.limit, input.offset, context.setting("find_limit")?),
        bytes: context.setting("search_max_bytes")?,
        summary: context.setting("search_summary_top")?,
    };
    walked(server, &context, move |view, stop, tally| search(view, &input, &limits, stop, tally)).await
}

#[cfg(test)]
mod tests;
