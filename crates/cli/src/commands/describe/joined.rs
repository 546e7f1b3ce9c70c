//! What is declared beside the running server: what every document is made from, and what a person should know first.
use std::path::Path;

use overt_spec::live::ServerInfo;
use overt_spec::manifest::located;
use overt_spec::{Description, Finding, Findings, Place, Pointer, Severity};

use crate::failure::{Complaint, Failure};
use crate::output::{Printer, one_line};
use crate::settings::{Declared, ManifestFile};
use crate::survey::Survey;

/// A server that can be described.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) description: Description,
    pub(super) place: Place,
    /// Fields of the manifest that were guessed and that nobody has confirmed.
    pub(super) guesses: Vec<Pointer>,
}

/// The manifest and the server contradict each other.
#[derive(Debug, thiserror::Error)]
#[error("the manifest `{path}` does not fit the server\n{findings}")]
pub(super) struct Misfit {
    path: String,
    findings: String,
}

impl Complaint for Misfit {}

impl Subject {
    pub(super) fn join(
        survey: Survey,
        declared: &Declared,
        place: Place,
        printer: &Printer,
    ) -> Result<Self, Failure> {
        match declared {
            Declared::Manifest(file) => Self::by_manifest(survey, file, place, printer),
            Declared::ByServer => Ok(Self::by_server(survey, place, printer)),
        }
    }

    /// The tools that nothing is said about.
    pub(super) fn undeclared(&self) -> impl Iterator<Item = &str> {
        let tools = self.description.tools.iter();
        tools.filter(|tool| tool.record.is_none()).map(|tool| tool.live.name.as_str())
    }

    fn by_manifest(
        survey: Survey,
        file: &ManifestFile,
        place: Place,
        printer: &Printer,
    ) -> Result<Self, Failure> {
        let path = file.path.display().to_string();
        if file.found {
            printer.note(&format!("using the manifest `{path}` of this directory"));
        }
        let (description, findings) = Description::join(&file.manifest.declaration, survey.live);
        let findings = explained(findings, &file.manifest.guesses);
        let (wrong, rest): (Vec<_>, Vec<_>) = file
            .manifest
            .locate(findings)
            .into_iter()
            .partition(|(_, finding)| finding.severity == Severity::Error);
        if !wrong.is_empty() {
            let lines: Vec<String> = wrong.iter().map(|(line, finding)| located(*line, finding)).collect();
            return Err(Misfit { path, findings: lines.join("\n") }.into());
        }
        for (line, finding) in rest {
            printer.warn(&one_line(&format!(
                "{path} {}",
                located(line, &Finding { severity: Severity::Error, ..finding })
            )));
        }
        let guesses = file.manifest.guesses.clone();
        if !guesses.is_empty() {
            printer.warn(&guesses_line(&file.path, guesses.len()));
        }
        Ok(Self { description, place, guesses })
    }

    /// Without a manifest everything that the server doesn't say, or says wrongly, is left out.
    fn by_server(mut survey: Survey, place: Place, printer: &Printer) -> Self {
        for (whose, findings) in &survey.unreadable {
            for finding in findings.iter() {
                printer.warn(&one_line(&format!("the dashdash of {whose} is not read whole: {finding}")));
            }
        }
        let says_something = survey.says_something();
        if survey.said.server.description.is_empty() {
            survey.said.server.description = own_words(&survey.live.info);
        }
        let (description, findings) = Description::join(&survey.said, survey.live);
        for finding in findings.iter() {
            printer.detail(&one_line(&finding.to_string()));
        }
        if !says_something {
            printer.warn(
                "there is no manifest, and the server declares nothing about itself; `overt describe --init` writes a \
                 first manifest",
            );
        }
        Self { description, place, guesses: Vec::new() }
    }
}

/// What the server says that it is, in its own words as far as it has any.
fn own_words(info: &ServerInfo) -> String {
    const MOST: usize = 1000;
    let said = info.description.as_deref().or(info.instructions.as_deref()).unwrap_or_default();
    let paragraph: String = said.trim().split("\n\n").next().unwrap_or_default().chars().take(MOST).collect();
    match paragraph.is_empty() {
        true => format!("An MCP server that calls itself `{}`.", info.name),
        false => paragraph,
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
            explained.push(finding.severity, finding.at, finding.problem, finding.fix);
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
