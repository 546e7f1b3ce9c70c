//! `overt describe --init`: writes a first manifest. It takes over what the server declares about
//! itself, as far as this fits the server.
use std::path::Path;

use overt_documents::manifest::{self, Manifest};

use super::folder;
use crate::error::{CommandError, Exit, user_error};
use crate::output::{Printer, one_line};
use crate::survey::Survey;

pub(super) fn init(survey: &Survey, out: Option<&Path>, printer: &Printer) -> Result<Exit, CommandError> {
    for (whose, findings) in &survey.unreadable {
        findings.iter().for_each(|finding| {
            printer.warn(&one_line(&format!("not taken over from {whose}: {finding}")));
        });
    }
    let text = manifest::init(&survey.live, &survey.declaration);
    // The server may declare a secret, which must not be written down, or something that no
    // manifest can express.
    if let Err(error) = Manifest::parse(&text) {
        return Err(user_error(format!(
            "what the server says about itself can't be put into a manifest, so nothing was written\n{error}"
        ))
        .hinted("the places are those of the manifest; write one by hand, docs/describe.md has the format"));
    }
    match out {
        None => printer.document(&text)?,
        Some(path) => {
            folder::create(path, &text)?;
            printer.note(&format!(
                "wrote {path}; check what is `guessed` in it, then run this command again with `--manifest {path}` in place \
                 of `--init --out {path}`",
                path = path.display()
            ));
        }
    }
    Ok(Exit::Ok)
}
