//! Reports the contradictions between a manifest and the running server in the author's terms.
use std::path::Path;

use overt_policy::{Finding, Findings, Pointer, Severity};
use overt_settings::toml_file::located;

use crate::error::{CommandError, user_error};
use crate::output::{Printer, one_line};
use crate::settings::ManifestFile;

/// Fails if the findings have an error; prints all other findings as warnings.
pub(super) fn judge(file: &ManifestFile, findings: &Findings, printer: &Printer) -> Result<(), CommandError> {
    if findings.has_errors() {
        return Err(refusal(file, findings));
    }
    remark(file, findings, printer);
    Ok(())
}

/// Returns the failure that says why the manifest can't be used.
pub(super) fn refusal(file: &ManifestFile, findings: &Findings) -> CommandError {
    let guesses = &file.manifest.guesses;
    let mut wrong = Findings::default();
    for (finding, count) in findings.counted().filter(|(finding, _)| finding.severity == Severity::Error) {
        wrong.add_many(finding.clone(), count);
    }
    let is_unconfirmed = wrong.iter().all(|finding| guesses.contains(&finding.at));
    let more = Some(wrong.unlisted()).filter(|more| *more > 0).map(|more| format!("and {more} more"));
    let mut found = file.manifest.locate(explained(&wrong, guesses));
    found.sort_by_key(|(line, _)| *line);
    let lines = found.iter().map(|(line, finding)| located(*line, finding));
    let lines: Vec<String> = lines.chain(more).collect();
    let (path, findings) = (file.path.display().to_string(), lines.join("\n"));
    match is_unconfirmed {
        true => user_error(format!("the manifest `{path}` is not confirmed yet\n{findings}"))
            .hinted("`overt describe --init` guessed these fields; Overt uses only what you confirm"),
        false => user_error(format!("the manifest `{path}` does not fit the server\n{findings}")),
    }
}

/// Warns about findings in a usable manifest, and says how many of its fields are only guessed.
pub(super) fn remark(file: &ManifestFile, findings: &Findings, printer: &Printer) {
    for (line, finding) in file.manifest.locate(explained(findings, &file.manifest.guesses)) {
        let finding = Finding { severity: Severity::Error, ..finding };
        printer.warn(&one_line(&format!("{} {}", file.path.display(), located(line, &finding))));
    }
    if findings.unlisted() > 0 {
        printer.warn(&format!("{} more findings in `{}`", findings.unlisted(), file.path.display()));
    }
    if !file.manifest.guesses.is_empty() {
        printer.warn(&guesses_line(&file.path, file.manifest.guesses.len()));
    }
}

/// Rewords findings about guessed fields: such a field is not confirmed, rather than missing.
fn explained(findings: &Findings, guesses: &[Pointer]) -> Findings {
    let mut explained = Findings::default();
    for (finding, count) in findings.counted() {
        let finding = match guesses.contains(&finding.at) {
            true => Finding {
                problem: "is not confirmed".to_owned(),
                fix: "check the value, then remove its name from the list `guessed` of this table".to_owned(),
                ..finding.clone()
            },
            false => finding.clone(),
        };
        explained.add_many(finding, count);
    }
    explained
}

fn guesses_line(path: &Path, count: usize) -> String {
    let (fields, them) = if count == 1 { ("field is", "it") } else { ("fields are", "them") };
    format!(
        "{count} {fields} not confirmed in `{}`, so Overt does not use {them}: check each, then remove its name from `guessed`",
        path.display()
    )
}
