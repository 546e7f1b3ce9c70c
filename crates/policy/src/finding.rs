//! Problems in a document: where, what, and what to do about it.
use std::fmt;

use overt_wire::text::Untrusted;
use serde_json::Value;

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

/// All problems of one document, in the order in which they were found. Everything is bounded,
/// because the document may come from an attacker. Once the list is full, further findings are
/// grouped, and once there are too many groups, they are only counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    list: Vec<Finding>,
    /// What does not fit the list. Almost always there is nothing, and the type stays small.
    rest: Option<Box<Rest>>,
}

/// The findings of a document beyond those in its list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Rest {
    /// The first finding of each group, and the number of findings in the group. A group has the
    /// same problem in the same field of any tool.
    groups: Vec<(Finding, usize)>,
    /// The number of findings that are in no group.
    more: usize,
    /// The worst severity among those.
    worst: Option<Severity>,
}

/// The highest number of findings in the list, and of groups.
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

    /// Returns the location with `*` in place of the name of a tool, such as `/tools/*/effect`.
    #[must_use]
    pub fn of_any_tool(&self) -> Self {
        let Some(rest) = self.0.strip_prefix("/tools/") else { return self.clone() };
        let inner = rest.find('/').map_or("", |end| &rest[end..]);
        Self(format!("/tools/*{inner}"))
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

impl Finding {
    /// Returns whether both are the same problem in the same field, perhaps of different tools.
    pub fn is_like(&self, other: &Self) -> bool {
        self.severity == other.severity
            && self.problem == other.problem
            && self.at.of_any_tool() == other.at.of_any_tool()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.at, self.problem, self.fix)
    }
}

// === impl Findings ===

impl Findings {
    /// Returns an error for each secret in a document, with its place and never its value.
    pub fn of_secrets(document: &Value) -> Self {
        let mut findings = Self::default();
        for secret in overt_secrets::scan(document) {
            let at = secret.steps.iter().fold(Pointer::root(), |at, step| at.join(step));
            let problem = format!("holds {}, which must not be published", secret.kind);
            findings.error(at, problem, secret.kind.fix());
        }
        findings
    }

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
        self.add_many(finding, 1);
    }

    /// Adds this number of findings of the same group, of which `first` is the first.
    pub fn add_many(&mut self, first: Finding, count: usize) {
        if count == 1 && self.list.len() < MOST {
            self.list.push(first);
        } else {
            self.rest.get_or_insert_default().add(first, count);
        }
    }

    pub fn extend(&mut self, more: Self) {
        more.list.into_iter().for_each(|finding| self.add(finding));
        let Some(rest) = more.rest else { return };
        rest.groups.into_iter().for_each(|(first, count)| self.add_many(first, count));
        if let Some(worst) = rest.worst {
            self.rest.get_or_insert_default().count(worst, rest.more);
        }
    }

    /// Returns the findings of a part as findings of the larger document that has the part at this
    /// place.
    #[must_use]
    pub fn below(mut self, at: &Pointer) -> Self {
        let groups = self.rest.iter_mut().flat_map(|rest| rest.groups.iter_mut()).map(|(first, _)| first);
        self.list.iter_mut().chain(groups).for_each(|finding| finding.at = at.append(&finding.at));
        self
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.rest.is_none()
    }

    pub fn has_errors(&self) -> bool {
        self.rest.as_ref().is_some_and(|rest| rest.worst == Some(Severity::Error))
            || self.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Returns the number of findings that [`Self::counted`] does not count.
    pub fn more(&self) -> usize {
        self.rest.as_ref().map_or(0, |rest| rest.more)
    }

    /// Returns the number of findings that [`Self::iter`] does not return.
    pub fn unlisted(&self) -> usize {
        self.more() + self.counted().map(|(_, count)| count - 1).sum::<usize>()
    }

    /// Returns the listed findings, then the first of each group.
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.counted().map(|(finding, _)| finding)
    }

    /// Returns the listed findings, then the first of each group, each with the number of findings
    /// that it stands for.
    pub fn counted(&self) -> impl Iterator<Item = (&Finding, usize)> {
        let groups = self.rest.iter().flat_map(|rest| &rest.groups).map(|(first, count)| (first, *count));
        self.list.iter().map(|finding| (finding, 1)).chain(groups)
    }

    /// Returns the value with the findings, or only the findings if one of them is an error.
    pub fn into_result<T>(self, value: T) -> Result<(T, Self), Self> {
        if self.has_errors() { Err(self) } else { Ok((value, self)) }
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(mut self) -> Self::IntoIter {
        let groups = self.rest.map(|rest| rest.groups).unwrap_or_default();
        self.list.extend(groups.into_iter().map(|(first, _)| first));
        self.list.into_iter()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, finding) in self.iter().enumerate() {
            let line = if index == 0 { "" } else { "\n" };
            write!(f, "{line}{}: {finding}", finding.severity.as_str())?;
        }
        match self.unlisted() {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for Findings {}

// === impl Rest ===

impl Rest {
    fn add(&mut self, first: Finding, count: usize) {
        if let Some((_, known)) = self.groups.iter_mut().find(|(known, _)| known.is_like(&first)) {
            *known += count;
        } else if self.groups.len() < MOST {
            self.groups.push((first, count));
        } else {
            self.count(first.severity, count);
        }
    }

    fn count(&mut self, severity: Severity, count: usize) {
        self.more += count;
        self.worst = self.worst.max(Some(severity));
    }
}

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

    #[test]
    fn many_findings_of_one_kind_displace_no_others() {
        let mut findings = Findings::default();
        for index in 0..3 * MOST {
            let at = Pointer::root().join("tools").join(&format!("t{index}"));
            findings.warning(at.join("a"), "is missing", "declare it");
            findings.warning(at.join("b"), "is missing", "declare it");
        }
        findings.error(Pointer::root().join("last"), "is wrong", "correct it");
        let mut document = Findings::default();
        document.extend(findings.below(&Pointer::root()));
        let count = |name: &str| {
            let of =
                |(finding, count): (&Finding, usize)| finding.at.as_str().ends_with(name).then_some(count);
            document.counted().filter_map(of).sum::<usize>()
        };
        assert_eq!([count("/a"), count("/b"), count("/last")], [3 * MOST, 3 * MOST, 1]);
        assert_eq!(document.more(), 0);
        assert!(document.has_errors());
        assert_eq!(document.iter().count(), MOST + 3);
        let text = document.to_string();
        assert!(text.contains("\nerror: /last: is wrong"), "{text}");
        assert!(text.ends_with(&format!("\nand {} more", 5 * MOST - 2)), "{text}");
    }

    #[test]
    fn the_number_of_findings_in_memory_is_bounded() {
        let mut findings = Findings::default();
        for index in 0..4 * MOST {
            findings.note(Pointer::root().index(index), "is odd", "");
        }
        findings.error(Pointer::root().join("last"), "is wrong", "");
        assert_eq!(findings.clone().into_iter().count(), 2 * MOST);
        assert_eq!(findings.more(), 2 * MOST + 1);
        assert!(findings.has_errors());
    }
}
