//! What was found about one skill.
use overt_policy::finding::{Pointer, Severity};
use overt_policy::word::StringEnum as _;

use super::{Profile, Rule};
use crate::yaml::LineColumn;

/// More violations of one skill are only counted.
const MOST: usize = 200;

/// A rule that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub rule: Rule,
    /// The field, such as `/x-personal-mcp/version`; the root for the whole file.
    pub at: Pointer,
    pub place: LineColumn,
    /// What is wrong, in lower case and without a full stop.
    pub problem: String,
    /// What is valid or what to do.
    pub fix: String,
    /// What `--fix` does about it.
    pub edit: Option<Edit>,
}

/// A change that needs no judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Take away what stands before the front matter: a byte order mark, empty lines.
    Head,
    /// Put a plain value in quotes.
    Quote,
    /// Write a list or an object in block style.
    Block,
    /// Put this text in the place of the value.
    Text(String),
}

/// Everything that is wrong with one skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub violations: Vec<Violation>,
    /// How many there are beside those.
    pub more: usize,
}

// === impl Violation ===

impl Violation {
    /// The field as people write it, such as `x-personal-mcp.version`; none for the whole file.
    pub fn field(&self) -> Option<String> {
        let steps: Vec<String> = self.at.steps().collect();
        (!steps.is_empty()).then(|| steps.join("."))
    }

    /// The worst that it is for one of these readers; none if all of them don't mind.
    pub fn severity(&self, profiles: &[Profile]) -> Option<Severity> {
        profiles.iter().filter_map(|profile| self.rule.severity(*profile)).max()
    }

    /// The readers among these that mind.
    pub fn profiles<'a>(&self, profiles: &'a [Profile]) -> impl Iterator<Item = Profile> + use<'a> {
        let rule = self.rule;
        profiles.iter().copied().filter(move |profile| rule.severity(*profile).is_some())
    }
}

// === impl Report ===

impl Report {
    /// Of a directory without a SKILL.md.
    pub fn missing() -> Self {
        let mut report = Self::default();
        let fix = "add one, or name a directory with skills; `overt skill new` starts one";
        report.whole(Rule::Reference, "Missing required file: SKILL.md", "");
        report.whole(Rule::FileMissing, "is not there", fix);
        report
    }

    /// Of a SKILL.md that could not be read, with the reason.
    pub fn unreadable(problem: &str) -> Self {
        let mut report = Self::default();
        report.whole(Rule::FileUnreadable, problem, "put a file there that can be read");
        report
    }

    pub(crate) fn add(&mut self, violation: Violation) {
        if self.violations.len() < MOST {
            self.violations.push(violation);
        } else {
            self.more += 1;
        }
    }

    /// Adds a violation of the whole skill.
    pub(crate) fn whole(&mut self, rule: Rule, problem: impl Into<String>, fix: impl Into<String>) {
        let (problem, fix) = (problem.into(), fix.into());
        let place = LineColumn { line: 1, column: 1 };
        self.add(Violation { rule, at: Pointer::root(), place, problem, fix, edit: None });
    }

    /// The worst for this reader; `None` if it minds nothing.
    pub fn worst(&self, profile: Profile) -> Option<Severity> {
        self.violations.iter().filter_map(|violation| violation.rule.severity(profile)).max()
    }

    /// Whether a reader of these refuses the skill.
    pub fn has_errors(&self, profiles: &[Profile]) -> bool {
        profiles.iter().any(|profile| self.worst(*profile) == Some(Severity::Error))
    }

    /// Whether every reader accepts the skill without a word; notes don't count.
    pub fn passes_all(&self) -> bool {
        Profile::ALL.iter().all(|profile| self.worst(*profile) < Some(Severity::Warning))
    }
}
