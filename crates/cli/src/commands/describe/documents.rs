//! The documents that can be made for a server, and what the others still need.
use overt_documents::Description;
use overt_documents::ai_help::{Format, Help, Section};
use overt_documents::document::{self, Document, Kind};
use overt_policy::word::StringEnum as _;
use overt_policy::{Finding, Findings, Severity};

use super::joined::Subject;
use crate::error::{CommandError, user_error};
use crate::output::{Printer, one_line};
use crate::settings::{Choice, DocumentSelection};
use overt_operator::near::valid_names;

const DECLARE: &str = "declare what is missing in a manifest; `overt describe --init` writes a first one";

/// Makes the chosen documents. A single chosen kind must be possible; with `--as all`, impossible
/// ones are left out with a warning.
pub(super) fn make(
    subject: &Subject,
    choice: &Choice,
    printer: &Printer,
) -> Result<Vec<Document>, CommandError> {
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
pub(super) fn all(subject: &Subject) -> Result<(Vec<Document>, Findings), CommandError> {
    let (documents, findings) = document::all(&subject.description, &subject.place);
    if findings.has_errors() {
        return Err(user_error(format!("there is something that must be in no document\n{findings}"))
            .hinted("take it out of the manifest, or out of what the server says"));
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
pub(super) fn not_one(documents: &[Document], what: DocumentSelection) -> CommandError {
    const MOST_NAMED: usize = 5;
    if let (DocumentSelection::One(kind), []) = (what, documents) {
        return user_error(format!("there is no document: no tool has what `--as {kind}` needs"))
            .hinted(DECLARE);
    }
    let mut names: Vec<&str> =
        documents.iter().take(MOST_NAMED).map(|document| document.path.as_str()).collect();
    if documents.len() > MOST_NAMED {
        names.push("…");
    }
    let (count, names) = (documents.len(), names.join(", "));
    user_error(format!("standard output takes one document, and these are {count}: {names}")).hinted(
        "`--out DIR` writes all into a directory, `--format json` prints all, and `--tool NAME` chooses a card",
    )
}

fn one(subject: &Subject, kind: Kind, choice: &Choice) -> Result<Vec<Document>, CommandError> {
    let about;
    let description = match &choice.tool {
        None => &subject.description,
        Some(tool) => {
            about = only(&subject.description, tool)?;
            &about
        }
    };
    let mut documents = document::render(kind, description, &subject.place).map_err(|findings| {
        user_error(format!("`--as {kind}` can't be made\n{}", grouped(&findings))).hinted(DECLARE)
    })?;
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
fn section_of(subject: &Subject, kind: Kind, name: &str) -> Result<Document, CommandError> {
    let help = Help::of(&subject.description, &subject.place);
    let (format, end) = if kind == Kind::Json { (Format::Json, "json") } else { (Format::Markdown, "md") };
    let section = Section::named(name);
    let result = section.and_then(|section| help.result(format, Some(section)));
    let (Some(section), Some(result)) = (section, result) else {
        let valid = valid_names(name, help.sections().map(Section::as_str));
        return Err(user_error(format!("no section `{name}`; {valid}")));
    };
    let text = match result.get("content").and_then(serde_json::Value::as_str) {
        Some(text) if format == Format::Markdown => text.to_owned(),
        _ => format!("{result:#}\n"),
    };
    Ok(Document { kind, path: format!("ai-help-{section}.{end}"), media_type: kind.media_type(), text })
}

/// Returns the description reduced to this tool.
fn only(description: &Description, tool: &str) -> Result<Description, CommandError> {
    let mut about = description.clone();
    about.tools.retain(|described| described.live.name == tool);
    if about.tools.is_empty() {
        let names = description.tools.iter().map(|tool| tool.live.name.as_str());
        let valid = match description.tools.is_empty() {
            true => "it has none".to_owned(),
            false => valid_names(tool, names),
        };
        return Err(user_error(format!("the server has no tool `{tool}`; {valid}")));
    }
    Ok(about)
}
