//! What the walking tools share: parameters, results, and how a walk is run.
use std::time::{Duration, SystemTime};

use overt_toolbox::{Context, ToolError};
use overt_wire::rfc3339;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::FileServer;
use super::super::access::{Facts, View};
use super::super::error::{FileError, code};
use super::super::walk::{Tally, watch};
use super::super::work::Stop;

/// Runs a walk on a blocking thread, and reports its progress to the client meanwhile.
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

/// Include dotfiles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Hidden(pub(crate) bool);

/// Include what `.gitignore` excludes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct NoIgnore(pub(crate) bool);

/// Follow symbolic links inside the roots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct FollowLinks(pub(crate) bool);

/// `auto`: only if the pattern has upper-case letters.
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

/// Largest or newest first, or by name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sort {
    #[default]
    Name,
    Size,
    Modified,
}

impl Case {
    /// Whether case matters for this pattern.
    pub(crate) fn is_sensitive(self, pattern: &str) -> bool {
        match self {
            Self::Auto => pattern.chars().any(char::is_uppercase),
            Self::Sensitive => true,
            Self::Insensitive => false,
        }
    }
}

impl Sort {
    /// Returns the sort key of an entry, which is compared before the path. Smaller keys come
    /// first.
    pub(crate) fn key(self, facts: Option<&Facts>) -> i128 {
        match self {
            Self::Name => 0,
            Self::Size => facts.map_or(0, |facts| -i128::from(facts.size)),
            Self::Modified => facts.map_or(0, |facts| -facts.modified),
        }
    }
}

/// Formats a time of `Facts`, in nanoseconds since 1970.
pub(crate) fn moment(nanos: i128) -> String {
    let nanos = u64::try_from(nanos).unwrap_or(0);
    rfc3339::format_millis(SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos))
}

/// Parses the time in an argument into nanoseconds since 1970.
pub(crate) fn nanos(argument: &str, text: &str) -> Result<i128, FileError> {
    rfc3339::parse(text).map(rfc3339::Timestamp::as_nanosecond).ok_or_else(|| {
        FileError::new(
            code::INVALID_TIME,
            format!("`{argument}` is `{text}`, which is not a date and time in RFC 3339 format"),
            "Write it like `2026-05-08T10:00:00Z`.",
        )
    })
}

/// The results that an answer has: at most `limit`, after the first `offset`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    pub(crate) offset: usize,
    pub(crate) limit: usize,
    /// The requested number of results, if one answer does not return so many.
    pub(crate) asked: Option<usize>,
}

impl Page {
    /// Makes a page from the argument `limit`. `most` is the limit of one answer.
    pub(crate) fn of(limit: Option<super::params::Limit>, most: u64) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let asked = limit.map(super::params::Limit::get);
        let limit = asked.unwrap_or(most).min(most);
        Self { offset: 0, limit, asked: asked.filter(|asked| *asked > most) }
    }

    /// The first `limit` results, for callers without pages.
    pub(crate) fn first(limit: usize) -> Self {
        Self { offset: 0, limit, asked: None }
    }

    /// Returns a note for a caller that asked for more than one answer returns (I-15).
    pub(crate) fn note(self) -> Option<String> {
        let (asked, limit) = (self.asked?, self.limit);
        Some(format!(
            "`limit` was {asked}; one answer has at most {limit}. Call again with `next_cursor` as `cursor`."
        ))
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
