//! Formats the findings about files of policies and rules.
use overt_policy::{Finding, Severity};
use overt_wire::json::{Array, JsonBuf, Object};
use overt_wire::text::Untrusted;

use super::safe::one_line;
use super::style::{DANGER, DIM, NAME, WARNING, paint};

/// A file that was checked.
#[derive(Debug)]
pub(crate) struct CheckedFile {
    pub(crate) path: String,
    /// The findings, each with its line where that is known.
    pub(crate) findings: Vec<(Option<usize>, Finding)>,
}

impl CheckedFile {
    pub(crate) fn has_errors(&self) -> bool {
        self.findings.iter().any(|(_, finding)| finding.severity == Severity::Error)
    }
}

pub(crate) fn files_text(files: &[CheckedFile]) -> String {
    let mut out = String::new();
    for file in files {
        let state = match (file.has_errors(), file.findings.is_empty()) {
            (true, _) => paint(DANGER, "can't be used".to_owned()),
            (false, false) => paint(WARNING, "can be used, but look at it".to_owned()),
            (false, true) => "good".to_owned(),
        };
        out.push_str(&format!("{}: {state}\n", paint(NAME, Untrusted(&file.path))));
        file.findings.iter().for_each(|(line, finding)| out.push_str(&finding_text(*line, finding)));
    }
    out
}

fn finding_text(line: Option<usize>, finding: &Finding) -> String {
    let style = match finding.severity {
        Severity::Error => DANGER,
        Severity::Warning => WARNING,
        Severity::Note => DIM,
    };
    let place = line.map_or_else(String::new, |line| format!("line {line}: "));
    let text = one_line(&format!("{place}{finding}"));
    format!("  {} {text}\n", paint(style, finding.severity.as_str()))
}

pub(crate) fn files_json(files: &[CheckedFile]) -> JsonBuf {
    let entry = |file: &CheckedFile| {
        let findings = file.findings.iter().map(|(line, finding)| {
            let mut object = Object::new().string("severity", finding.severity.as_str());
            if let Some(line) = line {
                object = object.value("line", line);
            }
            object
                .string("at", finding.at.as_str())
                .string("problem", &finding.problem)
                .string("fix", &finding.fix)
                .finish()
        });
        Object::new()
            .string("file", &file.path)
            .value("ok", &!file.has_errors())
            .json("findings", list(findings).as_json())
            .finish()
    };
    Object::new().json("files", list(files.iter().map(entry)).as_json()).finish()
}

fn list(entries: impl Iterator<Item = JsonBuf>) -> JsonBuf {
    entries.fold(Array::new(), |array, entry| array.json(entry.as_json())).finish()
}
