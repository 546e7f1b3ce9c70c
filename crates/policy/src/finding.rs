//! Problems in a document: where, what, and what to do about it.
use std::fmt;

use overt_wire::text::Untrusted;

/// A location in a JSON document (RFC 6901). Other formats use the same names.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer(String);

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Works, but not as well as it could.
    Warning,
    /// The document is invalid.
    Error,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    pub at: Pointer,
    /// What is wrong, in lower case and without a full stop.
    pub problem: String,
    /// What is valid or what to do, in the same form.
    pub fix: String,
}

/// All problems of one document, in the order in which they were found. The list is bounded,
/// because the document may come from an attacker: further findings are only counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    list: Vec<Finding>,
    /// The number of findings that are not in the list.
    more: usize,
    /// The worst severity among those.
    worst: Option<Severity>,
}

const MOST: usize = 200;

// === impl Pointer ===

impl Pointer {
    pub fn root() -> Self {
        Self::default()
    }

    /// Parses a pointer. Returns `None` unless it is empty or begins with `/`, and each `~` is
    /// followed by `0` or `1`.
    pub fn parse(text: &str) -> Option<Self> {
        let begins_well = text.is_empty() || text.starts_with('/');
        let is_escaped = text.split('~').skip(1).all(|after| after.starts_with(['0', '1']));
        (begins_well && is_escaped).then(|| Self(text.to_owned()))
    }

    #[must_use]
    pub fn join(&self, name: &str) -> Self {
        Self(format!("{}/{}", self.0, name.replace('~', "~0").replace('/', "~1")))
    }

    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        Self(format!("{}/{index}", self.0))
    }

    /// Returns a location inside this one.
    #[must_use]
    pub fn append(&self, inner: &Self) -> Self {
        Self(format!("{}{}", self.0, inner.0))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the enclosing location; `None` at the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.rfind('/').map(|end| Self(self.0[..end].to_owned()))
    }

    /// Returns the names and indices of the path, unescaped.
    pub fn steps(&self) -> impl Iterator<Item = String> {
        self.0.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"))
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names of tools are untrusted: a name must not be able to break the line.
        Untrusted(if self.0.is_empty() { "/" } else { &self.0 }).fmt(f)
    }
}

// === impl Severity ===

impl Severity {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

// === impl Finding ===

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.at, self.problem, self.fix)
    }
}

// === impl Findings ===

impl Findings {
    pub fn error(&mut self, at: Pointer, problem: impl Into<String>, fix: impl Into<String>) {
        self.push(Severity::Error, at, problem, fix);
    }

    pub fn warning(&mut self, at: Pointer, problem: impl Into<String>, fix: impl Into<String>) {
        self.push(Severity::Warning, at, problem, fix);
    }

    pub fn note(&mut self, at: Pointer, problem: impl Into<String>, fix: impl Into<String>) {
        self.push(Severity::Note, at, problem, fix);
    }

    pub fn push(
        &mut self,
        severity: Severity,
        at: Pointer,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.add(Finding { severity, at, problem: problem.into(), fix: fix.into() });
    }

    pub fn add(&mut self, finding: Finding) {
        if self.list.len() < MOST {
            self.list.push(finding);
        } else {
            self.more += 1;
            self.worst = self.worst.max(Some(finding.severity));
        }
    }

    pub fn extend(&mut self, more: Self) {
        self.more += more.more;
        self.worst = self.worst.max(more.worst);
        more.list.into_iter().for_each(|finding| self.add(finding));
    }

    /// Returns the findings of a part as findings of the larger document that has the part at this
    /// place.
    #[must_use]
    pub fn below(mut self, at: &Pointer) -> Self {
        self.list.iter_mut().for_each(|finding| finding.at = at.append(&finding.at));
        self
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn has_errors(&self) -> bool {
        self.worst == Some(Severity::Error)
            || self.list.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Returns the number of findings that are not in the list.
    pub fn more(&self) -> usize {
        self.more
    }

    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.list.iter()
    }

    /// Returns the value with the findings, or only the findings if one of them is an error.
    pub fn into_result<T>(self, value: T) -> Result<(T, Self), Self> {
        if self.has_errors() { Err(self) } else { Ok((value, self)) }
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, finding) in self.list.iter().enumerate() {
            let line = if index == 0 { "" } else { "\n" };
            write!(f, "{line}{}: {finding}", finding.severity.as_str())?;
        }
        if self.more > 0 {
            write!(f, "\nand {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for Findings {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_read_as_it_is_written() {
        for steps in [&[][..], &["a"], &["a/b", "~", "~1", ""], &["0", "é"]] {
            let at = steps.iter().fold(Pointer::root(), |at, step| at.join(step));
            let read = Pointer::parse(at.as_str()).unwrap();
            assert_eq!(read, at);
            assert_eq!(read.steps().collect::<Vec<_>>(), steps);
            assert_eq!(Pointer::root().append(&at), at);
        }
        assert_eq!(Pointer::root().join("a").append(&Pointer::root().index(1)).as_str(), "/a/1");
        for text in ["a", "a/b", "/~", "/~2", "#/a"] {
            assert_eq!(Pointer::parse(text), None, "{text}");
        }
    }
}
