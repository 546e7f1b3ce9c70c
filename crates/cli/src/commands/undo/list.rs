//! `overt undo --list`: the changes that can be undone, across roots, sessions and restarts.
use overt_servers::files::{History, PastChange, UndoError};

use overt_operator::undo::{in_words, name_sessions};

use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{ChangeRow, ChangesReport, UndoPossibility};
use crate::settings::{UndoSettings, logs_in};

pub(super) fn list(
    settings: &UndoSettings,
    history: &History,
    mut changes: Vec<PastChange>,
    context: &CommandContext,
) -> Result<Exit, CommandError> {
    name_sessions(&logs_in(&settings.logs), &mut changes);
    let rows: Vec<ChangeRow> = changes
        .into_iter()
        .map(|change| {
            let possible = match history.plan(std::slice::from_ref(&change.id)) {
                Ok(_) => UndoPossibility::Yes,
                Err(UndoError::Changed { by: Some(later), .. }) => UndoPossibility::After(later),
                Err(error) => UndoPossibility::No(in_words(&error)),
            };
            ChangeRow { change, possible }
        })
        .collect();
    context.report(&ChangesReport::new(&rows))?;
    Ok(Exit::Ok)
}
