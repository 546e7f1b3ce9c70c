//! Runs the task that the settings name.
use std::path::Path;

use overt_documents::document::Document;

use super::joined::Subject;
use super::{check, documents, folder, init, measured};
use crate::args::Format;
use crate::commands::session::with_server;
use crate::context::CommandContext;
use crate::cost::Cost;
use crate::error::{CommandError, Exit};
use crate::output::{CostReport, DocumentsReport, Printer, WrittenReport, one_line};
use crate::settings::{Choice, Describe, DescribeSettings, DescriptionSource};
use crate::survey::{OwnText, Survey, survey};

pub(crate) fn describe(settings: &DescribeSettings, context: &CommandContext) -> Result<Exit, CommandError> {
    // Some servers show some tools only to clients that can be asked questions. A description must
    // not depend on whether a person is there, so this client never offers to be asked.
    let context = &context.without_a_person();
    with_server(&settings.connection, context, async |client, printer| {
        // Models receive the exact text, so the cost is that of the exact text.
        let own_text =
            if matches!(settings.task, Describe::Cost) { OwnText::Exact } else { OwnText::Published };
        let survey = survey(client, own_text, printer).await?;
        printer.progress_stop();
        match &settings.task {
            Describe::Cost => {
                context.report(&CostReport::new(&Cost::of(&survey.live)?))?;
                Ok(Exit::Ok)
            }
            Describe::Init(out) => init::init(&survey, out.as_deref(), printer),
            Describe::Print(declared, choice) => print(settings, survey, (declared, choice), context),
            Describe::Write(declared, choice, out, existing) => {
                let made = make(settings, survey, declared, choice, printer)?;
                let made: Vec<(String, String)> =
                    made.into_iter().map(|document| (document.path, document.text)).collect();
                let written = folder::write(out, &made, *existing)?;
                match context.output.format {
                    Format::Json => printer.data(&WrittenReport::new(&written))?,
                    Format::Text => say_written(&written, out, printer),
                }
                Ok(Exit::Ok)
            }
            Describe::Check(declared, paths) => {
                let subject = subject(settings, survey, declared, printer)?;
                check::check(&subject, paths, context)
            }
        }
    })
}

fn say_written(written: &[(String, &'static str)], out: &Path, printer: &Printer) {
    for (path, fate) in written {
        printer.detail(&one_line(&format!("{fate} {path}")));
    }
    let count = |wanted: &str| written.iter().filter(|(_, fate)| *fate == wanted).count();
    let counts = ["wrote", "replaced", "unchanged"].map(|fate| (fate, count(fate)));
    let parts: Vec<String> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(fate, count)| format!("{fate} {count}"))
        .collect();
    printer.note(&format!("documents in {}: {}", out.display(), parts.join(", ")));
}

fn print(
    settings: &DescribeSettings,
    survey: Survey,
    (declared, choice): (&DescriptionSource, &Choice),
    context: &CommandContext,
) -> Result<Exit, CommandError> {
    let printer = &context.printer;
    let made = make(settings, survey, declared, choice, printer)?;
    match (context.output.format, made.as_slice()) {
        (Format::Json, documents) => printer.data(&DocumentsReport::new(documents))?,
        (Format::Text, [document]) => printer.document(&document.text)?,
        (Format::Text, documents) => return Err(documents::not_one(documents, choice.what)),
    }
    Ok(Exit::Ok)
}

fn make(
    settings: &DescribeSettings,
    survey: Survey,
    declared: &DescriptionSource,
    choice: &Choice,
    printer: &Printer,
) -> Result<Vec<Document>, CommandError> {
    let subject = subject(settings, survey, declared, printer)?;
    documents::make(&subject, choice, printer)
}

/// Returns the declaration joined with the running server, and with measured latencies.
fn subject(
    settings: &DescribeSettings,
    survey: Survey,
    declared: &DescriptionSource,
    printer: &Printer,
) -> Result<Subject, CommandError> {
    let mut subject = Subject::join(survey, declared, settings.place.clone(), printer)?;
    if let Some(dir) = &settings.audit {
        measured::add(&mut subject, dir)?;
    }
    Ok(subject)
}
