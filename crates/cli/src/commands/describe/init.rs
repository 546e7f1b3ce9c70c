//! `overt describe --init`: a first manifest. What the server declares about itself is taken over as far as it fits the
//! server.
use std::path::Path;

use overt_spec::manifest;
use overt_spec::{Declaration, Description};

use super::folder;
use crate::failure::{Exit, Failure};
use crate::output::{Printer, one_line};
use crate::survey::Survey;

pub(super) fn init(survey: &Survey, out: Option<&Path>, printer: &Printer) -> Result<Exit, Failure> {
    let said = fitting(survey, printer);
    let text = manifest::init(&survey.live, &said);
    match out {
        None => printer.document(&text)?,
        Some(path) => {
            folder::create(path, &text)?;
            printer.note(&format!(
                "wrote {}; look at what is `guessed` in it, then `overt describe --manifest {}`",
                path.display(),
                path.display()
            ));
        }
    }
    Ok(Exit::Ok)
}

/// What the server declares and what does not contradict it.
fn fitting(survey: &Survey, printer: &Printer) -> Declaration {
    let (description, findings) = Description::join(&survey.said, survey.live.clone());
    let wrong = |at: &str| findings.iter().any(|finding| finding.at.as_str().starts_with(at));
    for (whose, findings) in &survey.unreadable {
        findings.iter().for_each(|finding| {
            printer.warn(&one_line(&format!("not taken over from {whose}: {finding}")));
        });
    }
    let mut said = survey.said.clone();
    if wrong("/server/name") {
        said.server.name = None;
    }
    if wrong("/server/description") {
        said.server.description = String::new();
    }
    said.tools.retain(|name, _| {
        description.tools.iter().any(|tool| tool.live.name == *name && tool.record.is_some())
    });
    said
}
