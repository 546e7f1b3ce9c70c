//! `overt skill read`.
use super::fetch::{self, FetchError};
use crate::args::{Format, ReadSkillArgs};
use crate::commands::session::with_server;
use crate::context::CommandContext;
use crate::failure::{Complaint, Exit, Failure};
use crate::near::valid_names;
use crate::output::skill_file_json;

/// The reason why a file was not printed.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error("the skill has no file `{path}`; {valid}")]
    NoFile { path: String, valid: String },
    #[error("`{0}` is a binary file, and standard output is a terminal")]
    Binary(String),
}

impl Complaint for ReadError {
    fn hint(&self) -> Option<String> {
        matches!(self, Self::Binary(_)).then(|| "write it to a file with `>`".to_owned())
    }
}

pub(super) fn read(args: &ReadSkillArgs, context: &CommandContext) -> Result<Exit, Failure> {
    let connection = fetch::connection(&args.target, args.from.as_deref(), &context.env)?;
    with_server(&connection, context, async |client, printer| {
        printer.progress_start("asking for the skill");
        let manifest = fetch::manifest(client, &args.uri).await?;
        let files = manifest.files();
        let file = files.iter().find(|file| file.path == args.path).cloned().ok_or_else(|| {
            let valid = valid_names(&args.path, files.iter().map(|file| file.path.as_str()));
            ReadError::NoFile { path: args.path.clone(), valid }
        })?;
        let load = fetch::begin(client, manifest).await?;
        let file = match file.path == load.main().path() {
            true => load.main().clone(),
            false => {
                let bytes = fetch::read(client, &file.uri).await?;
                load.verify(&file, bytes).map_err(FetchError::Verify)?
            }
        };
        printer.progress_stop();
        match (context.output.format, std::str::from_utf8(file.bytes())) {
            (Format::Json, _) => printer.json(skill_file_json(load.manifest(), &file).as_json())?,
            (Format::Text, _) if !context.env.stdout_is_terminal => printer.exact(file.bytes())?,
            (Format::Text, Ok(text)) => printer.document(text)?,
            (Format::Text, Err(_)) => return Err(ReadError::Binary(file.path().to_owned()).into()),
        }
        Ok(Exit::Ok)
    })
}
