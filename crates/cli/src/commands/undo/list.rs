//! `overt undo --list`: the changes that can be undone, across roots, sessions and restarts.
use overt_servers::files::{History, PastChange, UndoError};

use super::sessions::name_sessions;
use crate::args::Format;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{ChangeRow, UndoPossibility, changes_json, changes_text};
use crate::settings::UndoSettings;

pub(super) fn list(
    settings: &UndoSettings,
    history: &History,
    mut changes: Vec<PastChange>,
    context: &CommandContext,
) -> Result<Exit, CommandError> {
    name_sessions(&settings.logs, &mut changes);
    let rows: Vec<ChangeRow> = changes
        .into_iter()
        .map(|change| {
            let possible = match history.plan(std::slice::from_ref(&change.id)) {
                Ok(_) => UndoPossibility::Yes,
                Err(UndoError::Changed { by: Some(later), .. }) => UndoPossibility::After(later),
                Err(error) => UndoPossibility::No(super::error::in_words(&error)),
            };
            ChangeRow { change, possible }
        })
        .collect();
    let printer = &context.printer;
    match context.output.format {
        Format::Json => printer.json(changes_json(&rows).as_json())?,
        Format::Text if rows.is_empty() => {
            printer.note("no change is left to undo; `overt log` has everything that was done");
        }
        Format::Text => printer.text(&changes_text(&rows, printer.width()))?,
    }
    Ok(Exit::Ok)
}
