//! `overt skill new`.
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use overt_documents::skill::Template;
use serde::Serialize;

use crate::args::{Format, NewSkillArgs};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit, user_error};

/// The answer of `overt skill new`.
#[derive(Debug, Serialize)]
struct NewSkillReport {
    path: String,
}

pub(super) fn new(args: &NewSkillArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let template = Template::new(&args.name, args.description.as_deref(), args.form);
    let text = template.map_err(|findings| user_error(findings.to_string()))?.render();
    let directory = match args.dir.as_path() {
        here if here == Path::new(".") => PathBuf::from(&args.name),
        other => other.join(&args.name),
    };
    let path = directory.join("SKILL.md");
    let failed =
        |source: io::Error| user_error(format!("failed to write `{}`", path.display())).caused_by(source);
    fs::create_dir_all(&args.dir).map_err(failed)?;
    fs::create_dir(&directory).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => user_error(format!("`{}` is there already", directory.display()))
            .hinted("choose another name, or another directory with `--dir`"),
        _ => failed(source),
    })?;
    let mut file = fs::File::create_new(&path).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    let printer = &context.printer;
    match context.output.format {
        Format::Json => {
            printer.data(&NewSkillReport { path: path.display().to_string() })?;
        }
        Format::Text => {
            printer.text(&format!("{}\n", path.display()))?;
            printer.note("write the description and the steps, then run `overt skill check`");
        }
    }
    Ok(Exit::Ok)
}
