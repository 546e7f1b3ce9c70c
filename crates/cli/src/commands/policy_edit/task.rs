//! Shows the change, asks, and writes it.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use overt_layers::audit::{Entry, Kind};
use overt_policy::config::Config;
use overt_policy::toml_edit::EditError;
use overt_policy::toml_file::FileError;
use overt_wire::json::Object;

use super::plan::{added, caution, removed, words};
use super::subject::{known, subject};
use crate::args::Format;
use crate::commands::grants::{CommandContext, Records, authorize_answerer};
use crate::commands::prompter::{OnEnter, Prompter};
use crate::failure::{Complaint, Exit, Failure};
use crate::output::{file_diff, one_line, patch_text};
use crate::replace_file::{ReplaceError, link_target, read_if_any, replace_file};
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
    let path = link_target(&settings.file);
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
    context.printer.note(patch_text(&file_diff(&path, old, &new)).trim_end());
    if let Some(caution) = caution(&subject).filter(|_| !settings.is_removal) {
        context.printer.warn(caution);
    }
    if !settings.unasked {
        if !env.can_ask() {
            return Err(PolicyEditError::NobodyAsked.into());
        }
        let question = format!("{}. Write this?", one_line(&meaning));
        if !Prompter::new(&context.printer).confirm(&question, OnEnter::Yes) {
            context.printer.note("nothing was written");
            return Ok(Exit::Ok);
        }
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
    write(&path, before.as_deref(), &new)?;
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

fn read(path: &Path) -> Result<Option<String>, PolicyEditError> {
    read_if_any(path).map_err(|error| PolicyEditError::Read(path.to_owned(), error))
}

/// A file that would be empty is removed.
fn write(path: &Path, before: Option<&str>, text: &str) -> Result<(), PolicyEditError> {
    let failed = |source| PolicyEditError::Write(path.to_owned(), source);
    if text.trim().is_empty() {
        return fs::remove_file(path).map_err(failed);
    }
    replace_file(path, before, text).map_err(|error| match error {
        ReplaceError::Changed(path) => PolicyEditError::ChangedMeanwhile(path),
        error @ ReplaceError::Io { .. } => failed(error.into_cause()),
    })
}
