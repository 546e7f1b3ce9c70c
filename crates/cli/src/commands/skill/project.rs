//! `overt skill project`.
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use overt_documents::skill;
use overt_documents::skill::check::Profile;
use overt_policy::{Findings, Severity};

use super::files::Loaded;
use super::find::FoundSkill;
use crate::args::{Direction, ProjectSkillArgs};
use crate::error::{CommandError, Diagnostic, ErrorKind, Exit};
use crate::output::Printer;

/// The largest skill that is copied, in bytes.
const MOST_BYTES: u64 = 64 << 20;

#[derive(Debug, thiserror::Error)]
pub(super) enum ProjectError {
    #[error("`{}` has no SKILL.md that can be read", .0.display())]
    NoSkill(PathBuf),
    #[error("`{}` can't be made portable\n{findings}", path.display())]
    NotPortable { path: PathBuf, findings: Findings },
    #[error("`{}` is there already", .0.display())]
    Exists(PathBuf),
    #[error("the files of `{}` have more than {MOST_BYTES} bytes, or are too many", .0.display())]
    TooLarge(PathBuf),
    #[error("failed to write `{}`", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl Diagnostic for ProjectError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotPortable { .. } => ErrorKind::Findings,
            _ => ErrorKind::User,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Exists(_) => Some("remove it, or choose another directory".to_owned()),
            Self::NotPortable { .. } => {
                Some("`overt skill check` shows each problem with its line".to_owned())
            }
            _ => None,
        }
    }
}

pub(super) fn project(args: &ProjectSkillArgs, printer: &Printer) -> Result<Exit, CommandError> {
    let loaded = load(&args.directory)?;
    let text = converted(&loaded, args.direction)?;
    match &args.out {
        None => printer.document(&text)?,
        Some(out) => {
            let target = out.join(&loaded.name);
            copy(&loaded, &text, &target)?;
            printer.note(&format!("wrote `{}`", target.display()));
        }
    }
    Ok(Exit::Ok)
}

pub(super) fn load(directory: &Path) -> Result<Loaded, ProjectError> {
    let file = ["SKILL.md", "skill.md"].into_iter().find(|name| directory.join(name).exists());
    Loaded::read(&FoundSkill { directory: directory.to_owned(), file })
        .filter(|loaded| loaded.text().is_some())
        .ok_or_else(|| ProjectError::NoSkill(directory.to_owned()))
}

/// Returns the SKILL.md in the other form. A repository skill must pass its checks first (F-20).
pub(super) fn converted(loaded: &Loaded, direction: Direction) -> Result<String, ProjectError> {
    let text = loaded.text().unwrap_or_default();
    let result = match direction {
        Direction::Import => skill::import(text),
        Direction::Project => {
            let mut findings = Findings::default();
            let report = loaded.check(None, &[Profile::Seed001]);
            let is_repository = skill::is_repository(text);
            for found in report.violations.into_iter().filter(|_| is_repository) {
                if found.rule.severity(Profile::Seed001) == Some(Severity::Error) {
                    findings.error(found.at, found.problem, found.fix);
                }
            }
            match findings.has_errors() {
                true => Err(findings),
                false => skill::project(text, &loaded.name),
            }
        }
    };
    result.map_err(|findings| ProjectError::NotPortable { path: loaded.path(), findings })
}

/// Copies the skill with a new main file: writes a temporary directory, then renames it to
/// `target`.
fn copy(loaded: &Loaded, text: &str, target: &Path) -> Result<(), ProjectError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| ProjectError::Write { path, source }
    };
    if loaded.files.uncounted || loaded.files.bytes > MOST_BYTES {
        return Err(ProjectError::TooLarge(loaded.directory.clone()));
    }
    if fs::symlink_metadata(target).is_ok() {
        return Err(ProjectError::Exists(target.to_owned()));
    }
    let parent = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(failed(parent))?;
    let part = parent.join(format!(".{}.overt-{}", loaded.name, std::process::id()));
    let written = fs::create_dir(&part).and_then(|()| fill(loaded, text, &part));
    written.and_then(|()| fs::rename(&part, target)).map_err(|source| {
        let _ = fs::remove_dir_all(&part);
        failed(target)(source)
    })
}

fn fill(loaded: &Loaded, text: &str, part: &Path) -> io::Result<()> {
    for path in loaded.files.paths.iter().filter(|path| *path != loaded.file) {
        let to = part.join(path);
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(loaded.directory.join(path), &to)?;
    }
    let mut file = fs::File::create_new(part.join("SKILL.md"))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
