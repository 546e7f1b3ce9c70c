//! `overt describe --init`: a first manifest. What the server declares about itself is taken over as far as it fits the
//! server.
use std::path::Path;

use overt_spec::manifest;

use super::folder;
use crate::failure::{Exit, Failure};
use crate::output::{Printer, one_line};
use crate::survey::Survey;

pub(super) fn init(survey: &Survey, out: Option<&Path>, printer: &Printer) -> Result<Exit, Failure> {
    for (whose, findings) in &survey.unreadable {
        findings.iter().for_each(|finding| {
            printer.warn(&one_line(&format!("not taken over from {whose}: {finding}")));
        });
    }
    let text = manifest::init(&survey.live, &survey.said);
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
