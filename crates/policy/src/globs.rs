//! Patterns over names and URIs, compiled once. They are compared by their text.
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::members::brief;
use crate::uri::normalised_pattern;

/// Whether `*` stops at a separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    /// Names: `*` stands for any text.
    Name,
    /// URIs: `*` stops at a `/`, and `**` doesn't.
    Uri,
}

/// A list of patterns; a name matches if any of them does.
#[derive(Clone)]
pub struct Globs(Arc<Inner>);

struct Inner {
    style: Style,
    /// Sorted and without duplicates, for comparison.
    patterns: Vec<Box<str>>,
    /// In the order of the document, for the places of findings.
    written: Vec<Box<str>>,
    set: GlobSet,
    /// All patterns, ignoring case.
    any_case: GlobSet,
}

/// Why a list of patterns was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobError {
    /// The position in the list; `None` if the whole list is wrong.
    pub index: Option<usize>,
    pub problem: String,
}

const MOST_PATTERNS: usize = 256;
const MOST_BYTES: usize = 1024;

impl Globs {
    pub fn parse<S: AsRef<str>>(style: Style, patterns: &[S]) -> Result<Self, GlobError> {
        if patterns.len() > MOST_PATTERNS {
            let problem = format!("has {} patterns; at most {MOST_PATTERNS} are allowed", patterns.len());
            return Err(GlobError { index: None, problem });
        }
        let (mut exact, mut any_case) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let written: Vec<Box<str>> = patterns.iter().map(|pattern| pattern.as_ref().into()).collect();
        let patterns: Vec<Cow<'_, str>> =
            patterns.iter().map(|pattern| meant(style, pattern.as_ref())).collect();
        for (index, pattern) in patterns.iter().map(AsRef::as_ref).enumerate() {
            let wrong = |problem: String| GlobError { index: Some(index), problem };
            if pattern.is_empty() || pattern.len() > MOST_BYTES {
                return Err(wrong(format!("must have 1 to {MOST_BYTES} bytes, but has {}", pattern.len())));
            }
            for text in spellings(style, pattern) {
                for (builder, is_any) in [(&mut exact, false), (&mut any_case, true)] {
                    let glob = GlobBuilder::new(text)
                        .literal_separator(style == Style::Uri)
                        .backslash_escape(true)
                        .case_insensitive(is_any)
                        .build()
                        .map_err(|error| {
                            wrong(format!("`{}` is not a pattern: {}", brief(pattern), error.kind()))
                        })?;
                    builder.add(glob);
                }
            }
        }
        let too_large = |_| GlobError { index: None, problem: "is too large to compile".to_owned() };
        let set = exact.build().map_err(too_large)?;
        let any_case = match style {
            Style::Uri => any_case.build().map_err(too_large)?,
            Style::Name => GlobSet::empty(),
        };
        let mut patterns: Vec<Box<str>> = patterns.iter().map(|pattern| (**pattern).into()).collect();
        patterns.sort_unstable();
        patterns.dedup();
        Ok(Self(Arc::new(Inner { style, patterns, written, set, any_case })))
    }

    pub fn matches(&self, name: &str) -> bool {
        !self.0.patterns.is_empty() && self.0.set.is_match(name)
    }

    /// Returns whether one of these URI patterns matches, ignoring case. Servers differ in whether
    /// case matters.
    pub fn matches_in_any_case(&self, uri: &str) -> bool {
        !self.0.patterns.is_empty() && (self.0.set.is_match(uri) || self.0.any_case.is_match(uri))
    }

    /// Returns the patterns, sorted and without duplicates.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.0.patterns.iter().map(|pattern| &**pattern)
    }

    /// Returns the patterns in the order of the document.
    pub fn written(&self) -> impl Iterator<Item = &str> {
        self.0.written.iter().map(|pattern| &**pattern)
    }

    pub fn is_empty(&self) -> bool {
        self.0.patterns.is_empty()
    }

    /// Returns whether these patterns match everything that `pattern` matches, as far as the texts
    /// show it.
    pub fn contains(&self, pattern: &str) -> bool {
        let pattern = &*meant(self.0.style, pattern);
        self.0
            .patterns
            .iter()
            .any(|outer| contains(self.0.style, outer, pattern) || self.is_plain_match(outer, pattern))
    }

    fn is_plain_match(&self, outer: &str, pattern: &str) -> bool {
        is_plain(pattern) && Self::parse(self.0.style, &[outer]).is_ok_and(|outer| outer.matches(pattern))
    }
}

/// Returns the pattern in the spelling that is matched against names.
fn meant(style: Style, pattern: &str) -> Cow<'_, str> {
    match style {
        Style::Name => Cow::Borrowed(pattern),
        Style::Uri => normalised_pattern(pattern),
    }
}

/// Returns the patterns to compile: `a/**` means everything beneath `a`, and also `a` itself.
fn spellings(style: Style, pattern: &str) -> impl Iterator<Item = &str> {
    let itself = match style {
        Style::Uri => pattern.strip_suffix("/**").filter(|itself| !itself.is_empty()),
        Style::Name => None,
    };
    [Some(pattern), itself].into_iter().flatten()
}

fn is_plain(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '[', ']', '{', '}', '\\', '!'])
}

fn contains(style: Style, outer: &str, inner: &str) -> bool {
    let everything = match style {
        Style::Name => outer == "*" || outer == "**",
        Style::Uri => outer == "**",
    };
    if everything || outer == inner {
        return true;
    }
    let (beginning, rest) = match style {
        Style::Name => (outer.strip_suffix('*'), ""),
        Style::Uri => (outer.strip_suffix("**"), "/"),
    };
    beginning.is_some_and(|beginning| {
        is_plain(beginning) && beginning.ends_with(rest) && plain_beginning(inner).starts_with(beginning)
    })
}

/// Returns the text with which every match of the pattern begins.
fn plain_beginning(pattern: &str) -> &str {
    let end = pattern.find(['*', '?', '[', ']', '{', '}', '\\', '!']).unwrap_or(pattern.len());
    &pattern[..end]
}

impl PartialEq for Globs {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Globs {}

impl PartialOrd for Globs {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Globs {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0.style, &self.0.patterns).cmp(&(other.0.style, &other.0.patterns))
    }
}

impl fmt::Debug for Globs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0.patterns).finish()
    }
}
