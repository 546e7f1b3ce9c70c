//! The pattern of `find_files` and what else an entry must be.
use globset::{GlobBuilder, GlobMatcher};
use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::super::error::{FileError, code};
use super::super::space::{Facts, Kind};
use super::walking::Case;

const MOST_BYTES: usize = 4096;
/// Bytes that a compiled pattern may take (FS-39).
const MOST_COMPILED: usize = 4 << 20;

/// Which names, or which paths if the pattern has a `/`.
#[derive(Debug, Clone)]
pub(super) struct NamePattern {
    means: Means,
    is_of_path: bool,
}

#[derive(Debug, Clone)]
enum Means {
    All,
    Regex(Box<RegexMatcher>),
    Glob(GlobMatcher),
}

impl NamePattern {
    pub(super) fn read(pattern: &str, is_glob: bool, case: Case) -> Result<Self, FileError> {
        let wrong = |problem: String| {
            FileError::new(
                code::INVALID_PATTERN,
                problem,
                "Write a regular expression such as `^test_.*\\.rs$`, or set `glob` to true and write a glob such as `*.rs`.",
            )
        };
        if pattern.len() > MOST_BYTES {
            return Err(wrong(format!(
                "the pattern has {} bytes; at most {MOST_BYTES} are possible",
                pattern.len()
            )));
        }
        let is_insensitive = !case.is_sensitive(pattern);
        let means = if pattern.is_empty() {
            Means::All
        } else if is_glob {
            let glob = GlobBuilder::new(pattern)
                .literal_separator(true)
                .backslash_escape(true)
                .case_insensitive(is_insensitive)
                .build()
                .map_err(|error| wrong(format!("`{pattern}` is no glob: {}", error.kind())))?;
            Means::Glob(glob.compile_matcher())
        } else {
            let mut builder = RegexMatcherBuilder::new();
            match case {
                // Of the letters that are meant as letters: `\S` has none.
                Case::Auto => builder.case_smart(true),
                Case::Sensitive | Case::Insensitive => builder.case_insensitive(is_insensitive),
            };
            let regex =
                builder.size_limit(MOST_COMPILED).dfa_size_limit(MOST_COMPILED).build(pattern).map_err(
                    |error| wrong(format!("`{pattern}` is no regular expression that can be used: {error}")),
                )?;
            Means::Regex(Box::new(regex))
        };
        Ok(Self { means, is_of_path: pattern.contains('/') })
    }

    pub(super) fn is_of_path(&self) -> bool {
        self.is_of_path
    }

    pub(super) fn fits(&self, text: &str) -> bool {
        match &self.means {
            Means::All => true,
            Means::Regex(regex) => regex.is_match(text.as_bytes()).unwrap_or(false),
            Means::Glob(glob) => glob.is_match(text),
        }
    }
}

/// What the system must say of an entry.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bounds {
    pub(super) min_size: Option<u64>,
    pub(super) max_size: Option<u64>,
    pub(super) modified_after: Option<i128>,
    pub(super) modified_before: Option<i128>,
}

impl Bounds {
    pub(super) fn is_open(&self) -> bool {
        self.min_size.is_none()
            && self.max_size.is_none()
            && self.modified_after.is_none()
            && self.modified_before.is_none()
    }

    /// A size is that of a file: nothing else has one that means anything.
    pub(super) fn fits(&self, kind: Kind, facts: &Facts) -> bool {
        let is_sized = self.min_size.is_none() && self.max_size.is_none() || kind == Kind::File;
        is_sized
            && self.min_size.is_none_or(|least| facts.size >= least)
            && self.max_size.is_none_or(|most| facts.size <= most)
            && self.modified_after.is_none_or(|after| facts.modified > after)
            && self.modified_before.is_none_or(|before| facts.modified < before)
    }
}
