//! The violations that were found in one skill.
use overt_policy::finding::{Pointer, Severity};
use overt_policy::word::StringEnum as _;

use super::{Profile, Rule};
use crate::yaml::LineColumn;

/// The most violations of one skill that are kept; further ones are only counted.
const MOST: usize = 200;

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub rule: Rule,
    /// The field, such as `/x-personal-mcp/version`, or the root for the whole file.
    pub at: Pointer,
    pub place: LineColumn,
    /// What is wrong, in lower case and without a full stop.
    pub problem: String,
    /// What would be valid, or what to do.
    pub fix: String,
    /// The correction that `--fix` makes; `None` if it makes none.
    pub edit: Option<Edit>,
}

/// A correction that needs no judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Removes text before the front matter: a byte order mark, empty lines.
    Head,
    /// Puts a plain value in quotes.
    Quote,
    /// Writes a list or an object in block style.
    Block,
    /// Replaces the value with this text.
    Text(String),
}

/// All violations of one skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub violations: Vec<Violation>,
    /// The number of violations that are not listed.
    pub more: usize,
}

// === impl Violation ===

impl Violation {
    /// Returns the field as people write it, such as `x-personal-mcp.version`, or `None` for the
    /// whole file.
    pub fn field(&self) -> Option<String> {
        let steps: Vec<String> = self.at.steps().collect();
        (!steps.is_empty()).then(|| steps.join("."))
    }

    /// Returns the highest severity among these readers, or `None` if the rule does not apply to
    /// any of them.
    pub fn severity(&self, profiles: &[Profile]) -> Option<Severity> {
        profiles.iter().filter_map(|profile| self.rule.severity(*profile)).max()
    }

    /// Returns the readers among these to which the rule applies.
    pub fn profiles<'a>(&self, profiles: &'a [Profile]) -> impl Iterator<Item = Profile> + use<'a> {
        let rule = self.rule;
        profiles.iter().copied().filter(move |profile| rule.severity(*profile).is_some())
    }
}

// === impl Report ===

impl Report {
    /// Returns the report for a directory without a SKILL.md.
    pub fn missing() -> Self {
        let mut report = Self::default();
        let fix = "add one, or name a directory with skills; `overt skill new` starts one";
        report.add_for_skill(Rule::FileMissing, "is not there", fix);
        report
    }

    /// Returns the report for a SKILL.md that could not be read, with the reason.
    pub fn unreadable(problem: &str) -> Self {
        let mut report = Self::default();
        report.add_for_skill(Rule::FileUnreadable, problem, "put a file there that can be read");
        report
    }

    pub(crate) fn add(&mut self, violation: Violation) {
        if self.violations.len() < MOST {
            self.violations.push(violation);
        } else {
            self.more += 1;
        }
    }

    /// Adds a violation that concerns the whole skill.
    pub(crate) fn add_for_skill(&mut self, rule: Rule, problem: impl Into<String>, fix: impl Into<String>) {
        let (problem, fix) = (problem.into(), fix.into());
        let place = LineColumn { line: 1, column: 1 };
        self.add(Violation { rule, at: Pointer::root(), place, problem, fix, edit: None });
    }

    /// Returns the highest severity for this reader, or `None` if it has no complaints.
    pub fn worst(&self, profile: Profile) -> Option<Severity> {
        self.violations.iter().filter_map(|violation| violation.rule.severity(profile)).max()
    }

    /// Returns whether any of these readers rejects the skill.
    pub fn has_errors(&self, profiles: &[Profile]) -> bool {
        profiles.iter().any(|profile| self.worst(*profile) == Some(Severity::Error))
    }

    /// Returns whether every reader accepts the skill without errors or warnings.
    pub fn passes_all(&self) -> bool {
        Profile::ALL.iter().all(|profile| self.worst(*profile) < Some(Severity::Warning))
    }
}
