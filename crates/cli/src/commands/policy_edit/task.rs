//! Shows the change, asks, and writes it.
use std::fs;
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::path::{Path, PathBuf};

use overt_layers::audit::{Entry, Kind};
use overt_policy::config::Config;
use overt_policy::toml_edit::EditError;
use overt_policy::toml_file::{FileError, MOST_BYTES};
use overt_wire::json::Object;

use super::plan::{added, caution, removed, words};
use super::subject::{known, subject};
use crate::args::Format;
use crate::commands::grants::{CommandContext, Records, authorize_answerer};
use crate::failure::{Complaint, Exit, Failure};
use crate::output::{file_diff, one_line};
use crate::settings::{Env, OfFiles, PolicyChange, PolicyEditSettings, Table as _};

/// Nothing was written.
#[derive(Debug, thiserror::Error)]
enum PolicyEditError {
    #[error("`{}` can't be read", .0.display())]
    Read(PathBuf, #[source] io::Error),
    #[error("`{}` can't be written", .0.display())]
    Write(PathBuf, #[source] io::Error),
    #[error("`{}` can't be changed", .0.display())]
    Edit(PathBuf, #[source] EditError),
    #[error("`{}` can't be used with the change", .0.display())]
    Unusable(PathBuf, #[source] FileError),
    #[error("`{}` was changed meanwhile", .0.display())]
    ChangedMeanwhile(PathBuf),
    #[error("there is nothing to take back")]
    NothingThere,
    #[error("nothing was written, because nobody could be asked")]
    NobodyAsked,
}

impl Complaint for PolicyEditError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Edit(..) => "change it by hand; docs/control.md has the format".to_owned(),
            Self::Unusable(path, _) => {
                format!("`overt policy check {}` says what is wrong with it", path.display())
            }
            Self::ChangedMeanwhile(_) => "try again".to_owned(),
            Self::NobodyAsked => "`--yes` writes without asking".to_owned(),
            Self::Read(..) | Self::Write(..) | Self::NothingThere => return None,
        })
    }
}

pub(crate) fn policy_edit(settings: &PolicyEditSettings, env: &Env) -> Result<Exit, Failure> {
    let context = CommandContext::new(&settings.state, settings.talk, Some(&settings.audit), env)
        .with_passphrase(settings.passphrase);
    let needs_server = matches!(settings.change, PolicyChange::Permit { .. });
    let subject = subject(settings, &known(settings.state.path())?, needs_server)?;
    let path = target(&settings.file);
    let before = read(&path)?;
    let old = before.as_deref().unwrap_or_default();
    let edited = match settings.is_removal {
        true => removed(old, settings.change, &subject),
        false => added(old, settings.change, &subject).map(Some),
    };
    let new = edited
        .map_err(|error| PolicyEditError::Edit(path.clone(), error))?
        .ok_or(PolicyEditError::NothingThere)?;
    let meaning = words(settings.change, &subject, settings.is_removal);
    if new == old {
        return report(&context, &path, false, &format!("{meaning}, as before"));
    }
    Config::parse(&new, &path.display().to_string(), &OfFiles::declared())
        .map_err(|error| PolicyEditError::Unusable(path.clone(), error))?;
    context.printer.note(file_diff(&path, old, &new).trim_end());
    if let Some(caution) = caution(&subject).filter(|_| !settings.is_removal) {
        context.printer.warn(caution);
    }
    if !settings.unasked && !is_agreed(&context, env, &meaning)? {
        context.printer.note("nothing was written");
        return Ok(Exit::Ok);
    }
    let record = Entry {
        target: Some(settings.what.clone()),
        reason: Some(format!("your overt.toml: {meaning}")),
        ..Entry::new(Kind::PolicyLoad)
    };
    // Whatever allows more needs a person.
    let widens = matches!(settings.change, PolicyChange::Permit { .. }) != settings.is_removal;
    if widens {
        authorize_answerer(&context, [record.clone()])?;
    }
    if read(&path)? != before {
        return Err(PolicyEditError::ChangedMeanwhile(path).into());
    }
    Records::open(&context)?.write(record)?;
    write(&path, &new).map_err(|error| PolicyEditError::Write(path.clone(), error))?;
    report(&context, &path, true, &format!("{meaning}; servers that run follow within a second"))
}

fn report(context: &CommandContext<'_>, path: &Path, is_changed: bool, note: &str) -> Result<Exit, Failure> {
    let path = path.display().to_string();
    let data =
        Object::new().string("file", &path).value("changed", &is_changed).string("meaning", note).finish();
    match context.format {
        Format::Json => context.printer.json(data.as_json())?,
        Format::Text => context.printer.note(&one_line(note)),
    }
    Ok(Exit::Ok)
}

fn is_agreed(context: &CommandContext<'_>, env: &Env, meaning: &str) -> Result<bool, PolicyEditError> {
    if !env.can_ask() {
        return Err(PolicyEditError::NobodyAsked);
    }
    context.printer.prompt(&format!("{}. Write this? [Y/n] ", one_line(meaning)));
    let mut line = String::new();
    let read = io::stdin().lock().take(64).read_line(&mut line);
    // No line at all is no agreement.
    Ok(matches!(read, Ok(1..)) && matches!(line.trim(), "" | "y" | "Y" | "yes"))
}

/// The file itself, where a link leads to it: a link stays a link.
fn target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn read(path: &Path) -> Result<Option<String>, PolicyEditError> {
    let failed = |error| PolicyEditError::Read(path.to_owned(), error);
    let file = match fs::File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    let mut text = String::new();
    file.take(MOST_BYTES as u64 + 1).read_to_string(&mut text).map_err(failed)?;
    Ok(Some(text))
}

/// Old or new, never half; with the mode that it had. A file that would be empty is removed.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if text.trim().is_empty() {
        return fs::remove_file(path);
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let new = folder.join(format!(".overt.toml.{}", overt_layers::seal::random_name()));
    let written = fs::File::create_new(&new).and_then(|mut file| {
        if let Ok(before) = fs::metadata(path) {
            file.set_permissions(before.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}
