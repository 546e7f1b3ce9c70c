//! The tracked files in memory, and the type of violations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

/// All files of the repository, by their paths from the root.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    files: BTreeMap<String, String>,
    /// Paths of files that are not UTF-8, such as images. Their content is not checked.
    others: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    file: String,
    line: usize,
    what: String,
}

// === impl Tree ===

impl Tree {
    /// Reads the files that git tracks, or would track after `git add`.
    pub(crate) fn of(repo: &Repo) -> Result<Self, Failure> {
        let listed = Job::new(repo, "tidy-files", "git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .succeed()?;
        let mut tree = Self::default();
        for name in listed.stdout().split('\0').filter(|name| !name.is_empty()) {
            // A file that is deleted, but not in a commit yet, is listed and can't be read.
            let Ok(bytes) = std::fs::read(repo.root.join(name)) else { continue };
            match String::from_utf8(bytes) {
                Ok(text) => tree.files.extend([(name.to_owned(), text)]),
                Err(_) => tree.others.extend([name.to_owned()]),
            }
        }
        Ok(tree)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    pub(crate) fn rust(&self) -> impl Iterator<Item = (&str, &str)> {
        self.iter().filter(|(name, _)| name.ends_with(".rs"))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(String::as_str)
    }

    /// Returns the name of this file as the tree keeps it.
    pub(crate) fn name(&self, name: &str) -> Option<&str> {
        self.files.get_key_value(name).map(|(name, _)| name.as_str())
    }

    /// Says whether this file or directory exists.
    pub(crate) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let mut names = self.files.keys().chain(&self.others);
        names.any(|name| name.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }
}

#[cfg(test)]
impl Tree {
    pub(crate) fn insert(&mut self, name: &str, text: &str) {
        self.files.insert(name.to_owned(), text.to_owned());
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Tree {
    fn from(files: [(&str, &str); N]) -> Self {
        let files = files.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        Self { files, ..Self::default() }
    }
}

// === impl Violation ===

impl Violation {
    pub(crate) fn new(file: &str, line: usize, what: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}
