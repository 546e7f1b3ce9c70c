//! `overt skill new`.
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use overt_documents::skill::Template;
use overt_policy::Findings;
use overt_wire::json::Object;

use crate::args::{Format, NewSkillArgs};
use crate::context::CommandContext;
use crate::failure::{Complaint, Exit, Failure};

#[derive(Debug, thiserror::Error)]
pub(super) enum NewError {
    #[error("{0}")]
    Name(Findings),
    #[error("`{}` is there already", .0.display())]
    Exists(PathBuf),
    #[error("failed to write `{}`", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl Complaint for NewError {
    fn hint(&self) -> Option<String> {
        matches!(self, Self::Exists(_))
            .then(|| "choose another name, or another directory with `--dir`".to_owned())
    }
}

pub(super) fn new(args: &NewSkillArgs, context: &CommandContext) -> Result<Exit, Failure> {
    let template = Template::new(&args.name, args.description.as_deref(), args.form);
    let text = template.map_err(NewError::Name)?.render();
    let directory = match args.dir.as_path() {
        here if here == Path::new(".") => PathBuf::from(&args.name),
        other => other.join(&args.name),
    };
    let path = directory.join("SKILL.md");
    let failed = |source| NewError::Write { path: path.clone(), source };
    fs::create_dir_all(&args.dir).map_err(failed)?;
    fs::create_dir(&directory).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => NewError::Exists(directory.clone()),
        _ => failed(source),
    })?;
    let mut file = fs::File::create_new(&path).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    let printer = &context.printer;
    match context.output.format {
        Format::Json => {
            let path = Object::new().string("path", &path.display().to_string()).finish();
            printer.json(path.as_json())?;
        }
        Format::Text => {
            printer.text(&format!("{}\n", path.display()))?;
            printer.note("write the description and the steps, then run `overt skill check`");
        }
    }
    Ok(Exit::Ok)
}
