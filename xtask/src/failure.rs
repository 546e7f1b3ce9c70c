//! The error of a task: what went wrong, and what to do next.

use std::fmt;
use std::path::Path;

#[derive(Debug)]
pub struct Failure {
    what: String,
    hint: Option<String>,
}

impl Failure {
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), hint: None }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// For `map_err` after a file operation: `Failure::file("read", path)`.
    pub fn file<'a, E: fmt::Display>(verb: &'a str, path: &'a Path) -> impl FnOnce(E) -> Self + 'a {
        move |cause| Self::new(format!("could not {verb} `{}`: {cause}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.hint {
            Some(hint) => write!(f, "\n\nhint: {hint}"),
            None => Ok(()),
        }
    }
}
