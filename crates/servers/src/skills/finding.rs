//! Problems of a skill, in words for the person who maintains it.
use std::fmt;

use overt_documents::skill::check::Violation;

/// A problem of a skill, which explains why it is not served, or is served in an older state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The SKILL.md or the folder, below the name that the operator gave.
    pub path: String,
    /// The field, such as `x-personal-mcp.version`; `None` for the whole file.
    pub field: Option<String>,
    /// What is wrong, in lower case and without a full stop.
    pub problem: String,
    /// What is valid, or what to do.
    pub fix: String,
}

impl Finding {
    pub(super) fn new(path: &str, problem: impl Into<String>, fix: &str) -> Self {
        Self { path: path.to_owned(), field: None, problem: problem.into(), fix: fix.to_owned() }
    }

    pub(super) fn of_field(path: &str, field: &str, problem: impl Into<String>, fix: &str) -> Self {
        Self { field: Some(field.to_owned()), ..Self::new(path, problem, fix) }
    }

    /// The finding as text without the location of the roots, which clients must not learn.
    pub(super) fn for_clients(&self, roots: &[String]) -> String {
        let inner = roots
            .iter()
            .filter_map(|root| self.path.strip_prefix(root.as_str()))
            .min_by_key(|path| path.len());
        let path = inner.unwrap_or_default().trim_start_matches('/').to_owned();
        let path = if path.is_empty() { "skills".to_owned() } else { path };
        Self { path, ..self.clone() }.to_string()
    }

    pub(super) fn of(path: &str, violation: &Violation) -> Self {
        Self { field: violation.field(), ..Self::new(path, violation.problem.clone(), &violation.fix) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path)?;
        if let Some(field) = &self.field {
            write!(f, "{field}: ")?;
        }
        f.write_str(&self.problem)?;
        match self.fix.is_empty() {
            true => Ok(()),
            false => write!(f, "; {}", self.fix),
        }
    }
}
