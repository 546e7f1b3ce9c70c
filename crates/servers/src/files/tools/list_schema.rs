//! What `list_directory` takes and returns.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::params::{Cursor, Depth, Limit, PathText};
use super::walking::{Hidden, Sort, is_false, is_zero};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    pub(super) path: Option<PathText>,
    pub(super) max_depth: Option<Depth>,
    /// Include size and time of the last change.
    #[serde(default)]
    pub(super) sizes: bool,
    #[serde(default)]
    pub(super) sort: Sort,
    #[serde(default)]
    pub(super) hidden: Hidden,
    pub(super) limit: Option<Limit>,
    pub(super) cursor: Option<Cursor>,
}

/// What the tool gives.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listing {
    pub(super) path: String,
    pub(super) entries: Vec<Listed>,
    pub(super) count: usize,
    /// Entries on all pages.
    pub(super) total_count: u64,
    pub(super) has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
    pub(super) truncated: bool,
    /// The limit that was applied.
    pub(super) limit: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    /// The directory was changed since the page before; entries may be missing.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) changed: bool,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) hidden_count: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) unreadable_names: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) unreadable_directories: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) too_deep: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listed {
    pub(super) path: String,
    /// `file`, `directory`, `symlink` or `other`.
    pub(super) r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) modified: Option<String>,
}
