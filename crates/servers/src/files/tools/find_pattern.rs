//! The conditions of `find_files`: the pattern, and bounds on other facts.
use globset::{GlobBuilder, GlobMatcher};
use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::access::{Facts, Kind};
use super::super::error::{FileError, code};
use super::walking::Case;

const MOST_BYTES: usize = 4096;
/// Most bytes of a compiled pattern (FS-39).
const MOST_COMPILED: usize = 4 << 20;

/// A compiled pattern. It matches names, or paths if it contains a `/`.
#[derive(Debug, Clone)]
pub(super) struct NamePattern {
    means: PatternMatcher,
    is_of_path: bool,
}

#[derive(Debug, Clone)]
enum PatternMatcher {
    All,
    Regex(Box<RegexMatcher>),
    Glob(GlobMatcher),
}

/// How a pattern is written. Left out, a pattern that looks like a glob is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Syntax {
    Glob,
    Regex,
}

impl Syntax {
    /// Detects the syntax of a pattern: `*.rs`, `src/**` and `test_?.py` are globs. A pattern that
    /// can't be a glob, or has something that only regular expressions have, is a regular
    /// expression.
    fn of(pattern: &str) -> Self {
        // No glob contains any of these: `.*`, `a+`, `^a`, `a$`, `\.`, `(a|b)`.
        let has_regex = pattern.contains(".*")
            || pattern.contains(".+")
            || pattern.contains('\\')
            || pattern.contains(['^', '$', '|', '('])
            || pattern.contains("]+");
        let has_glob = pattern.contains(['*', '?', '[', '{']);
        if has_glob && !has_regex { Self::Glob } else { Self::Regex }
    }
}

impl NamePattern {
    pub(super) fn read(pattern: &str, syntax: Option<Syntax>, case: Case) -> Result<Self, FileError> {
        let wrong = |problem: String| {
            FileError::new(
                code::INVALID_PATTERN,
                problem,
                "Write a glob such as `*.rs`, or a regular expression such as `^test_.*\\.rs$`; `syntax` says which of the two it is.",
            )
        };
        if pattern.len() > MOST_BYTES {
            return Err(wrong(format!(
                "the pattern has {} bytes, and at most {MOST_BYTES} are allowed",
                pattern.len()
            )));
        }
        let is_insensitive = !case.is_sensitive(pattern);
        let means = match syntax.unwrap_or_else(|| Syntax::of(pattern)) {
            _ if pattern.is_empty() => PatternMatcher::All,
            Syntax::Glob => {
                let glob = GlobBuilder::new(pattern)
                    .literal_separator(true)
                    .backslash_escape(true)
                    .case_insensitive(is_insensitive)
                    .build()
                    .map_err(|error| wrong(format!("`{pattern}` is not a valid glob: {}", error.kind())))?;
                PatternMatcher::Glob(glob.compile_matcher())
            }
            Syntax::Regex => {
                let mut builder = RegexMatcherBuilder::new();
                match case {
                    // Only literal letters decide about case: `\S` contains none.
                    Case::Auto => builder.case_smart(true),
                    Case::Sensitive | Case::Insensitive => builder.case_insensitive(is_insensitive),
                };
                let regex =
                    builder.size_limit(MOST_COMPILED).dfa_size_limit(MOST_COMPILED).build(pattern).map_err(
                        |error| wrong(format!("`{pattern}` is not a valid regular expression: {error}")),
                    )?;
                PatternMatcher::Regex(Box::new(regex))
            }
        };
        Ok(Self { means, is_of_path: pattern.contains('/') })
    }

    pub(super) fn is_of_path(&self) -> bool {
        self.is_of_path
    }

    pub(super) fn fits(&self, text: &str) -> bool {
        match &self.means {
            PatternMatcher::All => true,
            PatternMatcher::Regex(regex) => regex.is_match(text.as_bytes()).unwrap_or(false),
            PatternMatcher::Glob(glob) => glob.is_match(text),
        }
    }
}

/// Bounds on the size and the modification time of an entry.
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

    /// Whether an entry is within the bounds. If the size is bounded, only a file can be: the size
    /// of other entries means nothing.
    pub(super) fn fits(&self, kind: Kind, facts: &Facts) -> bool {
        let is_sized = self.min_size.is_none() && self.max_size.is_none() || kind == Kind::File;
        is_sized
            && self.min_size.is_none_or(|least| facts.size >= least)
            && self.max_size.is_none_or(|most| facts.size <= most)
            && self.modified_after.is_none_or(|after| facts.modified > after)
            && self.modified_before.is_none_or(|before| facts.modified < before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I-15: a glob is recognised where a pattern looks like one.
    #[test]
    fn i_15_globs_are_recognised() {
        for glob in
            ["*.rs", "**/*.rs", "src/**", "test_?.py", "*.{ts,tsx}", "[a-c]*.md", "*", "**/.github/**"]
        {
            assert_eq!(Syntax::of(glob), Syntax::Glob, "{glob}");
        }
        for regex in ["main", "main.rs", "^test", r"\.rs$", "a.*b", "(a|b)", "[a-z]+", "src/.+", "a$"] {
            assert_eq!(Syntax::of(regex), Syntax::Regex, "{regex}");
        }
        let fits = |pattern, syntax, text| NamePattern::read(pattern, syntax, Case::Auto).unwrap().fits(text);
        assert!(fits("*.rs", None, "main.rs") && !fits("*.rs", None, "main.rs.bak"));
        assert!(fits("main", None, "main.rs"));
        assert!(fits("a*", Some(Syntax::Regex), "b"));
        assert!(
            fits("main.rs", Some(Syntax::Glob), "main.rs") && !fits("main", Some(Syntax::Glob), "main.rs")
        );
        assert_eq!(
            NamePattern::read("*.rs", Some(Syntax::Regex), Case::Auto).unwrap_err().code,
            code::INVALID_PATTERN
        );
        assert_eq!(NamePattern::read("[", None, Case::Auto).unwrap_err().code, code::INVALID_PATTERN);
    }
}
