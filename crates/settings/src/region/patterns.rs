//! Patterns over the paths within a folder, as in a `.gitignore`:
//!
//! - `*` and `?` stop at a `/`, `**` doesn't; `[…]` and `{a,b}` work; `\` takes the special meaning
//!   from the next character.
//! - A pattern without a `/` matches a name at any depth: `*.env`, `.git`.
//! - A pattern with a `/` begins at the folder itself, and so do `/x` and `./x`.
//! - A pattern also matches everything beneath what it matches. There is one exception, in a list
//!   of what is allowed: with a wildcard in its last name, as in `*.d`, it does not match `a.d/b`.
//! - `x/**` also matches `x`.
//!
//! A pattern that hides or protects applies if it matches a path either as it is or in its composed
//! Unicode form; a pattern that allows must match both (FS-19).
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use overt_policy::globs::GlobError;
use overt_policy::members::brief;

#[cfg(test)]
mod tests;

/// What a list of patterns is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// What matches is visible.
    Allow,
    /// What matches is hidden or protected.
    Deny,
}

/// Whether upper and lower case are distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Exact,
    /// As on a file system that ignores case. A pattern that allows must still match exactly.
    Ignored,
}

/// A list of patterns, compiled once. Lists are compared by their text.
#[derive(Clone)]
pub(super) struct Patterns(Arc<Inner>);

struct Inner {
    role: Role,
    /// Sorted and without duplicates, for comparison.
    sorted: Vec<Box<str>>,
    /// In the order of the document, for the places of findings.
    written: Vec<Box<str>>,
    /// The normalised patterns, in the same order.
    rules: Vec<String>,
    set: GlobSet,
    /// Compiled when a path is first compared without case.
    caseless: OnceLock<Option<GlobSet>>,
}

const MOST_PATTERNS: usize = 256;
const MOST_BYTES: usize = 1024;
const WILD: [char; 8] = ['*', '?', '[', ']', '{', '}', '\\', '!'];

impl Patterns {
    pub(super) fn parse<S: AsRef<str>>(role: Role, patterns: &[S]) -> Result<Self, GlobError> {
        if patterns.len() > MOST_PATTERNS {
            let problem = format!("has {} patterns; at most {MOST_PATTERNS} are allowed", patterns.len());
            return Err(GlobError { index: None, problem });
        }
        let mut rules = Vec::with_capacity(patterns.len());
        for (index, pattern) in patterns.iter().map(AsRef::as_ref).enumerate() {
            let wrong = |problem: String| GlobError { index: Some(index), problem };
            let rule = rule(pattern).map_err(wrong)?;
            glob(&rule, Case::Exact).map_err(|error| GlobError {
                index: Some(index),
                problem: format!("`{}` is not a pattern: {error}", brief(pattern)),
            })?;
            rules.push(rule);
        }
        let too_large = GlobError { index: None, problem: "is too large to compile".to_owned() };
        let set = compile(role, &rules, Case::Exact).ok_or(too_large)?;
        let written: Vec<Box<str>> = patterns.iter().map(|pattern| pattern.as_ref().into()).collect();
        let mut sorted = written.clone();
        sorted.sort_unstable();
        sorted.dedup();
        Ok(Self(Arc::new(Inner { role, sorted, written, rules, set, caseless: OnceLock::new() })))
    }

    /// Returns whether a path within the folder matches. The empty path is the folder itself.
    pub(super) fn matches(&self, inner: &str, case: Case) -> bool {
        let set = match set_is_caseless(self.0.role, case) {
            _ if self.0.rules.is_empty() => return false,
            true => {
                let caseless =
                    self.0.caseless.get_or_init(|| compile(Role::Deny, &self.0.rules, Case::Ignored));
                // If the patterns can't be compiled, they hide everything.
                let Some(set) = caseless else { return true };
                set
            }
            false => &self.0.set,
        };
        let inner = &*if set_is_caseless(self.0.role, case) {
            Cow::Owned(folded(inner))
        } else {
            Cow::Borrowed(inner)
        };
        let composed = composed(inner);
        match self.0.role {
            Role::Deny => set.is_match(inner) || (*composed != *inner && set.is_match(&*composed)),
            Role::Allow => set.is_match(inner) && (*composed == *inner || set.is_match(&*composed)),
        }
    }

    /// Returns the patterns, sorted and without duplicates.
    pub(super) fn sorted(&self) -> impl Iterator<Item = &str> {
        self.0.sorted.iter().map(|pattern| &**pattern)
    }

    /// Returns the patterns in the order of the document.
    pub(super) fn written(&self) -> impl Iterator<Item = &str> {
        self.0.written.iter().map(|pattern| &**pattern)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.rules.is_empty()
    }

    /// Returns whether these patterns allow everything that `pattern` allows, as far as the texts
    /// show it.
    pub(super) fn contains(&self, pattern: &str) -> bool {
        let Ok(inner) = rule(pattern) else { return false };
        let is_plain_match = !inner.contains(WILD) && self.matches(&inner, Case::Exact);
        is_plain_match || self.0.rules.iter().any(|outer| contains(outer, &inner))
    }
}

/// Normalises a pattern: it begins at the folder itself and has no redundant parts.
fn rule(pattern: &str) -> Result<String, String> {
    if pattern.is_empty() || pattern.len() > MOST_BYTES {
        return Err(format!("must have 1 to {MOST_BYTES} bytes, but has {}", pattern.len()));
    }
    if pattern.contains('\0') {
        return Err("holds a NUL, which no name has".to_owned());
    }
    if pattern.starts_with('!') {
        return Err(format!(
            "`{}` begins with `!`, which takes nothing back here; write `\\!` for the character",
            brief(pattern)
        ));
    }
    let names: Vec<&str> = pattern.split('/').collect();
    if names.contains(&"..") {
        return Err(format!("`{}` has `..`; write the path that is meant", brief(pattern)));
    }
    let mut kept: Vec<&str> = names.iter().copied().filter(|name| !matches!(*name, "" | ".")).collect();
    // Several `**` in a row mean the same as one.
    kept.dedup_by(|a, b| a == b && *a == "**");
    let is_anchored = pattern.trim_end_matches('/').contains('/');
    match (kept.is_empty(), is_anchored) {
        (true, _) => Ok("**".to_owned()),
        (false, true) => Ok(kept.join("/")),
        (false, false) if kept == ["**"] => Ok("**".to_owned()),
        (false, false) => Ok(format!("**/{}", kept.join("/"))),
    }
}

fn compile(role: Role, rules: &[String], case: Case) -> Option<GlobSet> {
    let mut builder = GlobSetBuilder::new();
    for rule in rules {
        for text in spellings(role, rule) {
            builder.add(glob(&text, case).ok()?);
            let composed = composed(&text);
            if *composed != *text {
                builder.add(glob(&composed, case).ok()?);
            }
        }
    }
    builder.build().ok()
}

fn glob(text: &str, case: Case) -> Result<globset::Glob, String> {
    let text = match case {
        Case::Exact => Cow::Borrowed(text),
        Case::Ignored => Cow::Owned(folded(text)),
    };
    GlobBuilder::new(&text)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map_err(|error| brief(&error.kind().to_string()))
}

/// Returns the patterns to compile: the rule, and the folder or the content that it also stands
/// for.
fn spellings(role: Role, rule: &str) -> Vec<Cow<'_, str>> {
    let mut all = vec![Cow::Borrowed(rule)];
    if let Some(itself) = rule.strip_suffix("/**") {
        all.push(Cow::Borrowed(itself));
    } else if rule != "**" && (role == Role::Deny || !last_name(rule).contains(WILD)) {
        all.push(Cow::Owned(format!("{rule}/**")));
    }
    all
}

fn last_name(rule: &str) -> &str {
    rule.rsplit('/').next().unwrap_or(rule)
}

/// Patterns that allow are always compared exactly.
fn set_is_caseless(role: Role, case: Case) -> bool {
    role == Role::Deny && case == Case::Ignored
}

/// Folds a text as file systems that ignore case do: one case, without invisible characters. To
/// them `STRASSE` equals `straße`.
fn folded(text: &str) -> String {
    let seen: String = text.chars().filter(|c| !is_ignorable(*c)).collect();
    seen.to_lowercase().to_uppercase().to_lowercase()
}

fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns the composed form, in which letters with accents are one character.
fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc(text) { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

fn contains(outer: &str, inner: &str) -> bool {
    if outer == "**" || outer == inner {
        return true;
    }
    let beginning = &inner[..inner.find(WILD).unwrap_or(inner.len())];
    match outer.strip_suffix("**") {
        Some(folder) => !folder.contains(WILD) && folder.ends_with('/') && beginning.starts_with(folder),
        // A folder and everything in it.
        None => {
            !outer.contains(WILD) && beginning.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
        }
    }
}

impl PartialEq for Patterns {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Patterns {}

impl PartialOrd for Patterns {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Patterns {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0.role, &self.0.sorted).cmp(&(other.0.role, &other.0.sorted))
    }
}

impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0.sorted).finish()
    }
}

/// Returns what is wrong with a pattern, if anything.
pub fn check_pattern(pattern: &str) -> Result<(), String> {
    let rule = rule(pattern)?;
    glob(&rule, Case::Exact)
        .map(drop)
        .map_err(|error| format!("`{}` is not a pattern: {error}", brief(pattern)))
}
