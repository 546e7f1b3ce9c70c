//! Parameters that several tools share. Each is declared once, so that it has the same type and
//! description in every tool (G-23).
use std::ops::Deref;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Relative to the default root, or absolute.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct PathText(pub(crate) String);

/// Maximum number of lines or entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Limit(#[schemars(range(min = 1))] pub(crate) u64);

/// Levels below `path`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Depth(#[schemars(range(min = 1))] pub(crate) u32);

/// `next_cursor` of the previous page.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Cursor(pub(crate) String);

/// `etag` from `read_file`: fail if `path` changed since.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct IfEtag(pub(crate) String);

/// A text that may be as long as a message. It is shared and not copied.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(transparent, description = "")]
pub(crate) struct LongText(#[schemars(with = "String")] Arc<String>);

impl LongText {
    pub(crate) fn shared(&self) -> Arc<String> {
        Arc::clone(&self.0)
    }
}

impl<'de> Deserialize<'de> for LongText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self(Arc::new(text)))
    }
}

impl Deref for LongText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Depth {
    pub(crate) fn get(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl Limit {
    pub(crate) fn get(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl Deref for PathText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Deref for Cursor {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// The path for a call without a path: the default root.
pub(crate) const HERE: &str = ".";

/// Returns the path of a call, or the default root if it has none.
pub(crate) fn path_or_default(path: Option<&PathText>) -> &str {
    path.map_or(HERE, |path| path)
}
