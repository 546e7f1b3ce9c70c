//! `overt skill read`.
use super::fetch;
use crate::args::{Format, ReadSkillArgs};
use crate::commands::session::with_server;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit, user_error};
use crate::output::SkillFileReport;
use overt_operator::near::valid_names;

pub(super) fn read(args: &ReadSkillArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let connection = fetch::connection(&args.target, args.from.as_deref(), &context.env)?;
    with_server(&connection, context, async |client, printer| {
        printer.progress_start("asking for the skill");
        let manifest = fetch::manifest(client, &args.uri).await?;
        let files = manifest.files();
        let file = files.iter().find(|file| file.path == args.path).cloned().ok_or_else(|| {
            let valid = valid_names(&args.path, files.iter().map(|file| file.path.as_str()));
            user_error(format!("the skill has no file `{}`; {valid}", args.path))
        })?;
        let load = fetch::begin(client, manifest).await?;
        let file = match file.path == load.main().path() {
            true => load.main().clone(),
            false => {
                let bytes = fetch::read(client, &file.uri).await?;
                load.verify(&file, bytes).map_err(fetch::refused)?
            }
        };
        printer.progress_stop();
        match (context.output.format, std::str::from_utf8(file.bytes())) {
            (Format::Json, _) => printer.data(&SkillFileReport::new(load.manifest(), &file))?,
            (Format::Text, _) if !context.env.stdout_is_terminal => printer.exact(file.bytes())?,
            (Format::Text, Ok(text)) => printer.document(text)?,
            (Format::Text, Err(_)) => {
                let path = file.path();
                return Err(user_error(format!(
                    "`{path}` is a binary file, and standard output is a terminal"
                ))
                .hinted("write it to a file with `>`"));
            }
        }
        Ok(Exit::Ok)
    })
}
