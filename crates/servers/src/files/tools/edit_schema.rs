//! What `edit_file` takes and returns.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::write::Edit;
use super::params::{IfEtag, PathText};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    pub(super) path: Option<PathText>,
    /// Applied in order; each sees the earlier results.
    #[schemars(length(min = 1, max = 1000))]
    pub(super) edits: Vec<InputEdit>,
    pub(super) if_etag: Option<IfEtag>,
}

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct InputEdit {
    #[schemars(length(min = 1))]
    pub(super) find: String,
    pub(super) replace: String,
    /// Matches of `find` (default 1); 0: replace all.
    pub(super) expected_count: Option<u32>,
    /// If not the `path` of the call.
    pub(super) path: Option<PathText>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Output {
    pub(super) files: Vec<Edited>,
    /// Replacements made.
    pub(super) match_count: usize,
    /// Id of the change; absent in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) change: Option<String>,
    /// It can't be undone.
    #[serde(skip_serializing_if = "super::walking::is_false")]
    pub(super) irreversible: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Edited {
    pub(super) path: String,
    pub(super) match_count: usize,
    /// Bytes of the file now.
    pub(super) size: u64,
    /// For `if_etag` of the next change.
    pub(super) etag: String,
    /// The lines as they are now, with one around.
    pub(super) changed: Vec<Lines>,
    /// Changed lines were left out.
    #[serde(skip_serializing_if = "super::walking::is_false")]
    pub(super) truncated: bool,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Lines {
    /// From 1.
    pub(super) start_line: usize,
    pub(super) text: String,
}

impl InputEdit {
    pub(super) fn edit(&self) -> Edit<'_> {
        let expected = match self.expected_count {
            None => Some(1),
            Some(0) => None,
            Some(count) => Some(usize::try_from(count).unwrap_or(usize::MAX)),
        };
        Edit { find: &self.find, replace: &self.replace, expected }
    }
}
