//! `overt card diff`.
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use overt_documents::card::{self, Card, Change, ChangeSeverity, Mode};
use overt_policy::Pointer;
use overt_wire::json::Json;

use super::files;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit, user_error};
use crate::output::{ComparedCard, ComparedCardsReport};

pub(super) fn compare(old: &Path, new: &Path, context: &CommandContext) -> Result<Exit, CommandError> {
    let compared = match (old.is_dir(), new.is_dir()) {
        (true, true) => directories(old, new)?,
        (false, false) => vec![ComparedCard {
            source: new.display().to_string(),
            changes: card::diff(&read(old)?, &read(new)?),
        }],
        (true, false) => return Err(unlike(old, new)),
        (false, true) => return Err(unlike(new, old)),
    };
    let report = ComparedCardsReport::new(&compared);
    context.report(&report)?;
    Ok(if report.breaking() == 0 { Exit::Ok } else { Exit::Findings })
}

fn unlike(directory: &Path, file: &Path) -> CommandError {
    user_error(format!("`{}` is a directory, and `{}` is none", directory.display(), file.display()))
        .hinted("compare two files, or two directories")
}

/// Compares all cards of two directories, matched by file name.
fn directories(old: &Path, new: &Path) -> Result<Vec<ComparedCard>, CommandError> {
    let (old, mut new) = (by_name(old)?, by_name(new)?);
    let mut compared = Vec::new();
    for (name, old) in old {
        let changes = match new.remove(&name) {
            Some(new) => card::diff(&read(&old)?, &read(&new)?),
            None => vec![card_change(ChangeSeverity::Breaking, "the card is gone")],
        };
        compared.push(ComparedCard { source: name.to_string_lossy().into_owned(), changes });
    }
    for name in new.into_keys() {
        let changes = vec![card_change(ChangeSeverity::Change, "the card is new")];
        compared.push(ComparedCard { source: name.to_string_lossy().into_owned(), changes });
    }
    Ok(compared)
}

fn by_name(directory: &Path) -> Result<BTreeMap<OsString, PathBuf>, CommandError> {
    let files = files::in_directory(directory)?;
    Ok(files.into_iter().filter_map(|file| Some((file.file_name()?.to_owned(), file))).collect())
}

fn card_change(weight: ChangeSeverity, what: &str) -> Change {
    Change { weight, at: Pointer::root(), what: what.to_owned(), was: None, is: None }
}

/// Reads a card. Seed mode accepts one without an `audit`.
fn read(path: &Path) -> Result<Card, CommandError> {
    let source_name = path.display().to_string();
    let text = files::one(path)?.text.unwrap_or_default();
    let no_json = || user_error(format!("`{source_name}` is not a JSON document"));
    let value = match Json::parse(&text) {
        Ok(json) => json.read().map_err(|source| no_json().caused_by(source))?,
        Err(fault) => return Err(no_json().caused_by(fault)),
    };
    let (card, _) = card::read(&value, Mode::Seed).map_err(|findings| {
        user_error(format!("`{source_name}` is not a valid card\n{findings}"))
            .hinted("`overt card check --mode seed` says the same of every card")
    })?;
    Ok(card)
}
