//! Parameters that several tools have. Each is declared once, so that it has the same type and the same words in every tool (G-23).
use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A path: relative to the default root, such as `src/main.rs`, or absolute and inside a root. `.` is the default root; `~`, `$` and
/// `%` are characters like any other.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct PathText(#[schemars(length(min = 1))] pub(crate) String);

/// The directory to look in: relative to the default root, or absolute and inside a root. Left out, the default root.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct RootText(#[schemars(length(min = 1))] pub(crate) String);

/// The most to give in one answer: lines of a file, or entries of a list. Left out, the number that the tool's description names;
/// whatever is left over is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Limit(#[schemars(range(min = 1, max = 4_294_967_295_u32))] pub(crate) u32);

/// Where to go on: `next_cursor` of the answer before, with all other arguments as they were. Left out, from the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Cursor(#[schemars(length(min = 1))] pub(crate) String);

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

impl Deref for RootText {
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

/// Where a tool looks that was not told where.
pub(crate) const HERE: &str = ".";

/// The folder that a tool was told to look in.
pub(crate) fn root_or_default(root: Option<&RootText>) -> &str {
    root.map_or(HERE, |root| root)
}
