//! Joins the declaration with the running server. All documents are made from the outcome, and what
//! a person should know first is printed.
use overt_documents::live::ServerInfo;
use overt_documents::{Description, ServerLocation};
use overt_policy::{Pointer, Severity};

use crate::commands::manifest::judge;
use crate::error::CommandError;
use crate::output::{Printer, one_line};
use crate::settings::{DescriptionSource, ManifestFile};
use crate::survey::Survey;

/// A server with its declaration, ready to be described.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) description: Description,
    pub(super) place: ServerLocation,
    /// Fields of the manifest that were guessed and that no person has confirmed.
    pub(super) guesses: Vec<Pointer>,
}

impl Subject {
    pub(super) fn join(
        survey: Survey,
        declared: &DescriptionSource,
        place: ServerLocation,
        printer: &Printer,
    ) -> Result<Self, CommandError> {
        match declared {
            DescriptionSource::Manifest(file) => Self::by_manifest(survey, file, place, printer),
            DescriptionSource::ByServer { passed_over } => {
                if let Some(path) = passed_over {
                    printer.note(&format!(
                        "`{}` of this directory configures Overt and is not a manifest, so it is not used here",
                        path.display()
                    ));
                }
                Ok(Self::by_server(survey, place, printer))
            }
        }
    }

    /// Returns the tools without a declaration.
    pub(super) fn undeclared(&self) -> impl Iterator<Item = &str> {
        let tools = self.description.tools.iter();
        tools.filter(|tool| tool.record.is_none()).map(|tool| tool.live.name.as_str())
    }

    fn by_manifest(
        survey: Survey,
        file: &ManifestFile,
        place: ServerLocation,
        printer: &Printer,
    ) -> Result<Self, CommandError> {
        if file.found {
            printer.note(&format!("using the manifest `{}` of this directory", file.path.display()));
        }
        let (description, findings) = Description::join(&file.manifest.declaration, survey.live);
        judge(file, &findings, printer)?;
        let guesses = file.manifest.guesses.clone();
        Ok(Self { description, place, guesses })
    }

    /// Describes a server without a manifest. What the server does not declare, or declares
    /// wrongly, is left out.
    fn by_server(mut survey: Survey, place: ServerLocation, printer: &Printer) -> Self {
        for (whose, findings) in &survey.unreadable {
            for finding in findings.iter() {
                printer.warn(&one_line(&format!("the dashdash of {whose} is not read whole: {finding}")));
            }
        }
        let says_something = survey.says_something();
        if survey.declaration.server.description.is_empty() {
            survey.declaration.server.description = own_words(&survey.live.info);
        }
        let (description, findings) = Description::described_by_server(&survey.declaration, survey.live);
        for finding in findings.iter() {
            match finding.at.as_str() {
                // Nearly every server has a finding here, and nothing is left out because of it.
                "/server/name" | "/server/description" => printer.detail(&one_line(&finding.to_string())),
                _ if finding.severity < Severity::Error => printer.detail(&one_line(&finding.to_string())),
                _ => printer.warn(&one_line(&format!("left out of what the server declares: {finding}"))),
            }
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

/// Returns how the server describes itself, or a sentence with its name if it does not.
fn own_words(info: &ServerInfo) -> String {
    const MOST_CHARACTERS: usize = 1000;
    let said = info.description.as_deref().or(info.instructions.as_deref()).unwrap_or_default();
    let paragraph: String =
        said.trim().split("\n\n").next().unwrap_or_default().chars().take(MOST_CHARACTERS).collect();
    match paragraph.is_empty() {
        true => format!("An MCP server that calls itself `{}`.", info.name),
        false => paragraph,
    }
}
