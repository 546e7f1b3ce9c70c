//! A problem with a document, for people and for programs.
use overt_policy::{Finding, Severity};
use serde::Serialize;

use super::safe::one_line;
use super::style::{DANGER, DIM, WARNING, paint};

/// A problem, as programs get it.
#[derive(Debug, Serialize)]
pub(crate) struct FindingData<'a> {
    severity: &'static str,
    /// The line in the file, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    at: &'a str,
    problem: &'a str,
    fix: &'a str,
}

impl<'a> FindingData<'a> {
    pub(super) fn of(finding: &'a Finding) -> Self {
        Self::at_line(None, finding)
    }

    pub(super) fn at_line(line: Option<usize>, finding: &'a Finding) -> Self {
        let Finding { severity, at, problem, fix } = finding;
        Self { severity: severity.as_str(), line, at: at.as_str(), problem, fix }
    }
}

/// A line of text: how severe it is, and what is said of it.
pub(super) fn finding_line(severity: Severity, said: &str) -> String {
    let style = match severity {
        Severity::Error => DANGER,
        Severity::Warning => WARNING,
        Severity::Note => DIM,
    };
    format!("  {} {}\n", paint(style, severity.as_str()), one_line(said))
}
