//! What is wrong with a manifest beside the running server, as its author reads it.
use std::path::Path;

use overt_policy::toml_file::located;
use overt_policy::{Finding, Findings, Pointer, Severity};

use crate::failure::{Complaint, Failure};
use crate::output::{Printer, one_line};
use crate::settings::ManifestFile;

/// The manifest and the server contradict each other.
#[derive(Debug, thiserror::Error)]
#[error("the manifest `{path}` does not fit the server\n{findings}")]
struct Misfit {
    path: String,
    findings: String,
}

impl Complaint for Misfit {}

/// An error in the findings is a failure; the rest is said.
pub(super) fn judge(file: &ManifestFile, findings: Findings, printer: &Printer) -> Result<(), Failure> {
    if findings.has_errors() {
        return Err(refusal(file, findings));
    }
    remark(file, findings, printer);
    Ok(())
}

/// Why the manifest can't be used.
pub(super) fn refusal(file: &ManifestFile, findings: Findings) -> Failure {
    let mut findings = file.manifest.locate(explained(findings, &file.manifest.guesses));
    findings.sort_by_key(|(line, _)| *line);
    let wrong = findings.iter().filter(|(_, finding)| finding.severity == Severity::Error);
    let lines: Vec<String> = wrong.map(|(line, finding)| located(*line, finding)).collect();
    Misfit { path: file.path.display().to_string(), findings: lines.join("\n") }.into()
}

/// What is worth knowing about a manifest that can be used, and how much of it is only guessed.
pub(super) fn remark(file: &ManifestFile, findings: Findings, printer: &Printer) {
    for (line, finding) in file.manifest.locate(explained(findings, &file.manifest.guesses)) {
        let finding = Finding { severity: Severity::Error, ..finding };
        printer.warn(&one_line(&format!("{} {}", file.path.display(), located(line, &finding))));
    }
    if !file.manifest.guesses.is_empty() {
        printer.warn(&guesses_line(&file.path, file.manifest.guesses.len()));
    }
}

/// What is missing because it is only guessed is said to be just that.
fn explained(findings: Findings, guesses: &[Pointer]) -> Findings {
    let mut explained = Findings::default();
    for finding in findings {
        if guesses.contains(&finding.at) {
            let fix = "look at it, and take its name off the list `guessed`";
            explained.push(finding.severity, finding.at, "is a guess that nobody has confirmed", fix);
        } else {
            explained.add(finding);
        }
    }
    explained
}

fn guesses_line(path: &Path, count: usize) -> String {
    let (are, they) = if count == 1 { ("field is", "it is") } else { ("fields are", "they are") };
    format!(
        "{count} {are} only guessed in `{}`; {they} in no document until somebody takes them off `guessed`",
        path.display()
    )
}
