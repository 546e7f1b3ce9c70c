//! The documents that can be made for a server, and what the others still need.
use overt_documents::Description;
use overt_documents::ai_help::{Format, Help, Section};
use overt_documents::document::{self, Document, Kind};
use overt_policy::word::StringEnum as _;
use overt_policy::{Finding, Findings, Severity};

use super::joined::Subject;
use crate::failure::Complaint;
use crate::near::valid_names;
use crate::output::{Printer, one_line};
use crate::settings::{Choice, DocumentSelection};

/// The reason why a document can't be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum DocumentError {
    #[error("`--as {kind}` can't be made\n{}", grouped(findings))]
    Needs { kind: Kind, findings: Findings },
    #[error("there is something that must be in no document\n{0}")]
    Secret(Findings),
    #[error("the server has no tool `{tool}`; {valid}")]
    UnknownTool { tool: String, valid: String },
    #[error("no section `{section}`; {valid}")]
    UnknownSection { section: String, valid: String },
    #[error("standard output takes one document, and these are {count}: {names}")]
    Several { count: usize, names: String },
    #[error("there is no document: no tool has what `--as {0}` needs")]
    None(Kind),
}

impl Complaint for DocumentError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Needs { .. } | Self::None(_) => {
                "declare what is missing in a manifest; `overt describe --init` writes a first one".to_owned()
            }
            Self::Secret(_) => "take it out of the manifest, or out of what the server says".to_owned(),
            Self::Several { .. } => {
                "`--out DIR` writes all into a directory, `--format json` prints all, and `--tool NAME` chooses a card"
                    .to_owned()
            }
            Self::UnknownTool { .. } | Self::UnknownSection { .. } => return None,
        })
    }
}

/// Makes the chosen documents. A single chosen kind must be possible; with `--as all`, impossible
/// ones are left out with a warning.
pub(super) fn make(
    subject: &Subject,
    choice: &Choice,
    printer: &Printer,
) -> Result<Vec<Document>, DocumentError> {
    match choice.what {
        DocumentSelection::All => {
            let (documents, left_out) = all(subject)?;
            folded(&left_out).iter().for_each(|(_, line)| printer.warn(&one_line(line)));
            Ok(documents)
        }
        DocumentSelection::One(kind) => one(subject, kind, choice),
    }
}

/// Returns every document that can be made, and what the others need.
pub(super) fn all(subject: &Subject) -> Result<(Vec<Document>, Findings), DocumentError> {
    let (documents, findings) = document::all(&subject.description, &subject.place);
    if findings.has_errors() {
        return Err(DocumentError::Secret(findings));
    }
    Ok((documents, findings))
}

/// Folds the findings into one line for each field, instead of one for each tool.
fn folded(findings: &Findings) -> Vec<(Severity, String)> {
    let mut fields: Vec<(&Finding, usize)> = Vec::new();
    for (finding, count) in findings.counted() {
        match fields.iter_mut().find(|(first, _)| first.is_like(finding)) {
            Some((_, known)) => *known += count,
            None => fields.push((finding, count)),
        }
    }
    let line = |finding: &Finding, count: usize| match count {
        1 => finding.to_string(),
        _ => format!("{} ({count} tools): {}; {}", finding.at.of_any_tool(), finding.problem, finding.fix),
    };
    let lines = fields.into_iter().map(|(finding, count)| (finding.severity, line(finding, count)));
    let more = Some(findings.more()).filter(|more| *more > 0);
    lines.chain(more.map(|more| (Severity::Warning, format!("{more} more findings")))).collect()
}

/// Folds the findings into lines of an error message.
fn grouped(findings: &Findings) -> String {
    let lines = folded(findings).into_iter().map(|(severity, line)| format!("{}: {line}", severity.as_str()));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the error for several documents where one is expected, or for no document at all.
pub(super) fn not_one(documents: &[Document], what: DocumentSelection) -> DocumentError {
    const MOST: usize = 5;
    if let (DocumentSelection::One(kind), []) = (what, documents) {
        return DocumentError::None(kind);
    }
    let mut names: Vec<&str> = documents.iter().take(MOST).map(|document| document.path.as_str()).collect();
    if documents.len() > MOST {
        names.push("…");
    }
    DocumentError::Several { count: documents.len(), names: names.join(", ") }
}

fn one(subject: &Subject, kind: Kind, choice: &Choice) -> Result<Vec<Document>, DocumentError> {
    let about;
    let description = match &choice.tool {
        None => &subject.description,
        Some(tool) => {
            about = only(&subject.description, tool)?;
            &about
        }
    };
    let mut documents = document::render(kind, description, &subject.place)
        .map_err(|findings| DocumentError::Needs { kind, findings })?;
    if choice.tool.is_some() && kind == Kind::Card {
        // The index of cards would list only this card.
        documents.truncate(1);
    }
    match &choice.section {
        None => Ok(documents),
        Some(section) => section_of(subject, kind, section).map(|document| vec![document]),
    }
}

/// Returns one section of the help. The whole help was searched for secrets before.
fn section_of(subject: &Subject, kind: Kind, name: &str) -> Result<Document, DocumentError> {
    let help = Help::of(&subject.description, &subject.place);
    let (format, end) = if kind == Kind::Json { (Format::Json, "json") } else { (Format::Markdown, "md") };
    let section = Section::named(name);
    let result = section.and_then(|section| help.result(format, Some(section)));
    let (Some(section), Some(result)) = (section, result) else {
        let valid = valid_names(name, help.sections().map(Section::as_str));
        return Err(DocumentError::UnknownSection { section: name.to_owned(), valid });
    };
    let text = match result.get("content").and_then(serde_json::Value::as_str) {
        Some(text) if format == Format::Markdown => text.to_owned(),
        _ => format!("{result:#}\n"),
    };
    Ok(Document { kind, path: format!("ai-help-{section}.{end}"), media_type: kind.media_type(), text })
}

/// Returns the description reduced to this tool.
fn only(description: &Description, tool: &str) -> Result<Description, DocumentError> {
    let mut about = description.clone();
    about.tools.retain(|described| described.live.name == tool);
    if about.tools.is_empty() {
        let names = description.tools.iter().map(|tool| tool.live.name.as_str());
        let valid = match description.tools.is_empty() {
            true => "it has none".to_owned(),
            false => valid_names(tool, names),
        };
        return Err(DocumentError::UnknownTool { tool: tool.to_owned(), valid });
    }
    Ok(about)
}
