//! What `search_files` takes and returns.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::search::Line;
use super::params::{Cursor, Limit, PathText};
use super::walking::{Case, FollowLinks, Hidden, NoIgnore, is_false, is_zero};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Regular expression.
    #[schemars(length(min = 1))]
    pub(super) pattern: String,
    /// `pattern` is plain text.
    #[serde(default)]
    pub(super) literal: bool,
    pub(super) path: Option<PathText>,
    /// Globs of files to search, such as `*.rs`.
    #[serde(default)]
    pub(super) include: Vec<String>,
    /// Globs to skip.
    #[serde(default)]
    pub(super) exclude: Vec<String>,
    /// Lines around each match.
    #[schemars(range(max = 100))]
    pub(super) context: Option<u32>,
    #[serde(default)]
    #[schemars(range(max = 100))]
    pub(super) before_context: u32,
    #[serde(default)]
    #[schemars(range(max = 100))]
    pub(super) after_context: u32,
    #[serde(default)]
    pub(super) case_sensitive: Case,
    /// A match may span lines.
    #[serde(default)]
    pub(super) multiline: bool,
    /// Matching lines per file.
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
    pub(super) cursor: Option<Cursor>,
}

/// Lines, paths only, or match counts.
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
    pub(super) path: String,
    /// `full`: all lines; `reduced`: the first lines of each file; `summary`: the files with most
    /// matches.
    pub(super) mode: Mode,
    pub(super) files: Vec<FileMatches>,
    pub(super) count: usize,
    /// Files that match.
    pub(super) total_count: u64,
    /// Matches in all files; not counted if `output` is `files`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) match_count: Option<u64>,
    pub(super) has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
    pub(super) truncated: bool,
    /// The limit that was applied.
    pub(super) limit: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    pub(super) files_searched: u64,
    #[serde(skip_serializing_if = "is_false")]
    pub(super) timed_out: bool,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) binary_files: u64,
    /// Files that were searched in part: they, or a line, are too large.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) partly_searched: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) special_files: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) unreadable_files: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) hidden_count: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) ignored_count: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) unreadable_names: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) unreadable_directories: u64,
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
    pub(super) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) match_count: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) lines: Vec<Line>,
}

impl Input {
    /// The arguments that must be the same on the next page, as text.
    pub(super) fn terms(&self) -> String {
        format!(
            "{:?}",
            (
                (&self.pattern, self.literal, &self.path, &self.include, &self.exclude, self.multiline),
                (self.case_sensitive, self.hidden, self.no_ignore, self.follow, self.output, self.max_count),
            )
        )
    }
}
