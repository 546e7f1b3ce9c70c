//! Finds the changes that the arguments mean.
use std::time::SystemTime;

use overt_servers::files::{Batch, History, PastChange, UndoError};
use overt_state::audit::Source;

use super::error::UndoProblem;
use super::sessions::changes_of;

/// Selects changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// The most recent changes that are not undone yet, up to this number.
    Last(usize),
    ChangeRef(Vec<ChangeRef>),
    /// The changes of the session that made the last change.
    LastSession,
    /// The changes of the session whose id, as `overt log` shows it, begins with this text.
    Session(String),
    Since(SystemTime),
}

/// A change by its id, or a path whose last change is selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeRef {
    Id(String),
    Path(String),
}

/// Maximum number of changes undone together.
pub const MOST_UNDONE: usize = 1_000;

/// Returns the selected changes, the newest first, or in the order in which they are named. Undone
/// changes, and undoings of others, are left out unless they are selected by id.
pub fn select(
    history: &History,
    selection: &Selection,
    only: &[String],
    logs: &[Source],
) -> Result<Vec<PastChange>, UndoProblem> {
    let holds = |change: &PastChange| !change.is_undone && change.undoes.is_none();
    let is_wanted = |change: &PastChange| holds(change) && touches(change, only);
    Ok(match selection {
        Selection::Last(count) => {
            let changes = history.changes().filter(is_wanted);
            // Skip the newest changes as long as they need no undoing: a killed server never made
            // them, or somebody reverted them by hand.
            changes.skip_while(|change| history.is_void(&change.id)).take(*count).collect()
        }
        Selection::Since(moment) => history
            .changes()
            .take_while(|change| change.at >= *moment)
            .filter(is_wanted)
            .take(MOST_UNDONE)
            .collect(),
        Selection::LastSession => {
            let last = history.changes().find(holds).ok_or(UndoProblem::NothingLeft)?;
            let is_same =
                |change: &PastChange| change.session == last.session && change.client == last.client;
            history.changes().filter(is_same).filter(is_wanted).take(MOST_UNDONE).collect()
        }
        Selection::Session(id) => {
            let mut sessions = changes_of(logs, id);
            if sessions.len() > 1 {
                return Err(UndoProblem::SeveralSessions(id.clone(), sessions.into_keys().collect()));
            }
            let made = sessions.pop_first().map(|(_, made)| made).unwrap_or_default();
            // A change that is in no log is matched by the journal's own session id.
            let is_of_session = |change: &PastChange| {
                made.contains(&change.id) || change.session.as_deref() == Some(id.as_str())
            };
            let found: Vec<PastChange> = history.changes().filter(is_of_session).collect();
            if found.is_empty() {
                return Err(UndoProblem::NoSession(id.clone()));
            }
            found.into_iter().filter(is_wanted).take(MOST_UNDONE).collect()
        }
        Selection::ChangeRef(names) => {
            let mut changes = Vec::new();
            for name in names {
                changes.push(match name {
                    ChangeRef::Id(id) => by_id(history, id)?,
                    ChangeRef::Path(path) => by_path(history, path)?,
                });
            }
            changes.retain(|change| touches(change, only));
            changes
        }
    })
}

pub(super) fn by_id(history: &History, id: &str) -> Result<PastChange, UndoProblem> {
    let is_meant = |change: &PastChange| change.id == id || change.short_id() == id;
    let mut found: Vec<PastChange> = history.changes().filter(is_meant).collect();
    match found.len() {
        0 => Err(UndoProblem::NoChange(id.to_owned())),
        1 => Ok(found.remove(0)),
        _ => Err(UndoProblem::Several(id.to_owned(), found.into_iter().map(|change| change.id).collect())),
    }
}

/// Returns the newest change of a path that was not undone. Changes that were never made, or were
/// reverted by hand, are skipped.
fn by_path(history: &History, path: &str) -> Result<PastChange, UndoProblem> {
    let paths = [path.to_owned()];
    let holds = |change: &PastChange| !change.is_undone && change.undoes.is_none() && touches(change, &paths);
    let found = history.changes().filter(holds).find(|change| !history.is_void(&change.id));
    found.ok_or_else(|| UndoProblem::NoChangeOf(path.to_owned()))
}

/// Says whether a change touched one of the paths, or something below it.
fn touches(change: &PastChange, only: &[String]) -> bool {
    let is_within = |path: &str, folder: &str| {
        path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    only.is_empty() || change.paths.iter().any(|path| only.iter().any(|wanted| is_within(path, wanted)))
}

/// Plans to undo all changes. Changes that were never made, or were reverted by hand, are left out,
/// unless there are no others.
pub fn plan(history: &History, changes: &[PastChange]) -> Result<Batch, UndoProblem> {
    let mut ids: Vec<String> = changes.iter().map(|change| change.id.clone()).collect();
    loop {
        match history.plan(&ids) {
            Ok(batch) => return Ok(batch),
            Err(UndoError::Nothing(id)) if ids.len() > 1 => ids.retain(|other| *other != id),
            Err(error) => {
                let stays = changes.iter().find(|change| change.id == change_of(&error));
                let files = stays.map_or(1, |change| change.paths.len());
                let rest = rest(history, &ids, &error);
                return Err(UndoProblem::Refused { error, rest, files });
            }
        }
    }
}

/// Returns the changes that can be undone without the one that can't.
fn rest(history: &History, ids: &[String], error: &UndoError) -> Vec<String> {
    let stays = change_of(error);
    let rest: Vec<String> = ids.iter().filter(|id| *id != stays).cloned().collect();
    if !rest.is_empty() && history.plan(&rest).is_ok() { rest } else { Vec::new() }
}

/// Returns the change that can't be undone.
fn change_of(error: &UndoError) -> &str {
    match error {
        UndoError::Changed { change, .. }
        | UndoError::Gone { change, .. }
        | UndoError::Refused { change, .. }
        | UndoError::Unknown(change)
        | UndoError::Nothing(change) => change,
    }
}
