//! Runs all checks, one after the other, and prints the findings.
use super::{answers, servers, state, wrapping};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{DoctorReport, Section};
use crate::settings::DoctorSettings;

pub(crate) fn doctor(settings: &DoctorSettings, context: &CommandContext) -> Result<Exit, CommandError> {
    let printer = &context.printer;
    let mut sections: Vec<Section> = Vec::new();
    for file in &settings.files {
        printer.progress_start(&format!("checking {}", file.path.display()));
        sections.push(servers::check(file, settings, context));
    }
    printer.progress_start("checking the state folder");
    sections.extend(wrapping::check(settings, &context.env));
    sections.push(answers::check(settings));
    sections.push(state::check(settings));
    printer.progress_stop();
    let report = DoctorReport::new(sections);
    context.report(&report)?;
    Ok(if report.is_ok() { Exit::Ok } else { Exit::Findings })
}
