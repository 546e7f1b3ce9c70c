//! What the tools have in common that look at many files: parameters, results, and how they are run.
use std::time::{Duration, SystemTime};

use overt_toolbox::{Context, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::FileServer;
use super::super::error::{FileError, code};
use super::super::space::{Facts, View};
use super::super::walk::{Tally, watch};
use super::super::work::Stop;

/// Does a walk where others don't wait for the disk, and tells the client meanwhile how far it is.
pub(super) async fn walked<T: Send + 'static>(
    server: &FileServer,
    context: &Context,
    job: impl FnOnce(&View, &Stop, &Tally) -> Result<T, FileError> + Send + 'static,
) -> Result<T, ToolError> {
    let view = server.view(context)?;
    let tally = Tally::default();
    let counted = tally.clone();
    let job = server.workers.run(move |stop: &Stop| job(&view, stop, &counted));
    Ok(watch(context, &tally, "entries seen", job).await?)
}

/// Whether names that begin with a dot are looked at too. How many were left out is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Hidden(pub(crate) bool);

/// Whether what `.gitignore`, `.ignore` and `.git/info/exclude` leave out is looked at too, and the contents of `.git`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct NoIgnore(pub(crate) bool);

/// Whether symbolic links stand for what they lead to, as long as it is inside the roots. Each directory is looked at once, under its
/// own path. Absolute links are never followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct FollowLinks(pub(crate) bool);

/// How many results to pass over before the first one that is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Offset(#[schemars(range(max = 100_000))] pub(crate) u32);

/// Upper and lower case: `true` tells them apart, `false` doesn't, `auto` does if the pattern has an upper-case letter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub(crate) enum Case {
    #[default]
    #[serde(rename = "auto")]
    Auto,
    #[serde(rename = "true")]
    Sensitive,
    #[serde(rename = "false")]
    Insensitive,
}

/// The order: `name` by path, directories before what is in them; `size` the largest first; `modified` the newest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sort {
    #[default]
    Name,
    Size,
    Modified,
}

impl Offset {
    pub(crate) fn get(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl Case {
    /// Whether this pattern tells upper and lower case apart.
    pub(crate) fn is_sensitive(self, pattern: &str) -> bool {
        match self {
            Self::Auto => pattern.chars().any(char::is_uppercase),
            Self::Sensitive => true,
            Self::Insensitive => false,
        }
    }
}

impl Sort {
    /// What is compared before the path: the smaller comes first.
    pub(crate) fn key(self, facts: Option<&Facts>) -> i128 {
        match self {
            Self::Name => 0,
            Self::Size => facts.map_or(0, |facts| -i128::from(facts.size)),
            Self::Modified => facts.map_or(0, |facts| -facts.modified),
        }
    }
}

/// Nanoseconds since 1970, as `Facts` has them, as a text.
pub(crate) fn moment(nanos: i128) -> String {
    let nanos = u64::try_from(nanos).unwrap_or(0);
    overt_wire::stamp::stamp(SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos))
}

/// The other way round.
pub(crate) fn nanos(argument: &str, text: &str) -> Result<i128, FileError> {
    overt_policy::moment::seconds_of(text).map(|seconds| i128::from(seconds) * 1_000_000_000).ok_or_else(
        || {
            FileError::new(
                code::INVALID_TIME,
                format!("`{argument}` is `{text}`, which is no date and time of RFC 3339"),
                "Write it like `2026-05-08T10:00:00Z`.",
            )
        },
    )
}

/// Which of the results an answer has: those after `offset`, at most `limit`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}

impl Page {
    /// `most` is what the setting `find_limit` allows.
    pub(crate) fn of(limit: Option<super::params::Limit>, offset: Offset, most: u64) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Self { offset: offset.get(), limit: limit.map_or(most, |limit| limit.get().min(most)) }
    }

    pub(crate) fn end(self) -> usize {
        self.offset.saturating_add(self.limit)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
pub(crate) fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
pub(crate) fn is_false(flag: &bool) -> bool {
    !*flag
}
