//! Runs all checks, one after the other, and prints the findings.
use super::{answers, servers, state};
use crate::args::Format;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{Health, Section, doctor_json, doctor_text};
use crate::settings::DoctorSettings;

pub(crate) fn doctor(settings: &DoctorSettings, context: &CommandContext) -> Result<Exit, CommandError> {
    let printer = &context.printer;
    let mut sections: Vec<Section> = Vec::new();
    for file in &settings.files {
        printer.progress_start(&format!("checking {}", file.path.display()));
        sections.push(servers::check(file, settings, context));
    }
    printer.progress_start("checking the state folder");
    sections.push(answers::check(settings));
    sections.push(state::check(settings));
    printer.progress_stop();
    match context.output.format {
        Format::Json => printer.json(doctor_json(&sections).as_json())?,
        Format::Text => printer.text(&doctor_text(&sections))?,
    }
    let is_wrong =
        sections.iter().flat_map(|section| &section.lines).any(|line| line.health == Health::Wrong);
    Ok(if is_wrong { Exit::Findings } else { Exit::Ok })
}
