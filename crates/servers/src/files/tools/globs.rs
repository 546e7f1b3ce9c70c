//! Globs as arguments. They are written as in `.gitignore`: `*.rs` matches at any depth, and
//! `src/*.rs` from the start directory.
use ignore::overrides::{Override, OverrideBuilder};

use super::super::access::Kind;
use super::super::error::{FileError, code};

const MOST_GLOBS: usize = 100;
const MOST_BYTES: usize = 1024;

/// Globs that decide which entries of a tree are left out.
#[derive(Debug, Clone)]
pub(crate) struct Globs(Override);

impl Globs {
    /// Only entries that match `include` are visited. Entries that match `exclude`, or an `include`
    /// with `!`, are left out.
    pub(crate) fn of_both<S: AsRef<str>>(include: &[S], exclude: &[S]) -> Result<Self, FileError> {
        let include = include.iter().map(|glob| match glob.as_ref() {
            // The library would read this as a comment.
            glob if glob.starts_with('#') => format!("\\{glob}"),
            glob => glob.to_owned(),
        });
        let exclude = exclude.iter().map(|glob| format!("!{}", glob.as_ref().trim_start_matches('!')));
        Self::of(include.chain(exclude).collect::<Vec<_>>().into_iter())
    }

    /// Entries that match one of these globs are left out.
    pub(crate) fn without<S: AsRef<str>>(globs: &[S]) -> Result<Self, FileError> {
        Self::of(globs.iter().map(|glob| format!("!{}", glob.as_ref().trim_start_matches('!'))))
    }

    fn of(globs: impl ExactSizeIterator<Item = String>) -> Result<Self, FileError> {
        if globs.len() > MOST_GLOBS {
            return Err(wrong(format!(
                "there are {} globs, and at most {MOST_GLOBS} are allowed",
                globs.len()
            )));
        }
        let mut builder = OverrideBuilder::new(".");
        for glob in globs {
            if glob.trim_start_matches('!').trim().is_empty() || glob.len() > MOST_BYTES {
                return Err(wrong(format!(
                    "a glob has 1 to {MOST_BYTES} bytes, and this one has {}",
                    glob.len()
                )));
            }
            builder.add(&glob).map_err(|error| wrong(format!("a glob is not valid: {error}")))?;
        }
        builder.build().map(Self).map_err(|error| wrong(format!("the globs are not valid together: {error}")))
    }

    /// Whether an entry is left out, by its path relative to the start directory.
    pub(crate) fn leave_out(&self, relative: &str, kind: Kind) -> bool {
        self.0.matched(relative, kind == Kind::Folder).is_ignore()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn wrong(problem: String) -> FileError {
    FileError::new(code::INVALID_GLOB, problem, "Write globs such as `*.rs`, `src/**` or `target/`.")
}
