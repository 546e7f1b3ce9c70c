//! Writes the files after a yes: first the record, then a backup, then the file.
use std::path::PathBuf;

use overt_clients::files::{Edit, FolderLock};
use overt_clients::{ClientState, Processes};

use crate::error::{CommandError, user_error};
use crate::output::Printer;
use crate::settings::FoundFile;
use crate::wrap_records::WrapRecords;
use overt_operator::replace_file::replace_file;

/// The error without a person who confirms the change. The hint says what else is possible.
pub(super) fn unconfirmed(hint: &str) -> CommandError {
    user_error("nothing was written: without a terminal you can't be asked").hinted(hint)
}

/// Wrapping allows less, so an option may confirm it.
pub(super) const YES_WRITES: &str = "`--yes` writes what is shown; `--dry-run` only shows it";
/// Unwrapping allows more, so only a person may confirm it.
pub(super) const A_PERSON_WRITES: &str =
    "run it in a terminal, or with `--yes --passphrase-stdin`; `--dry-run` only shows it";

/// The change of one file.
#[derive(Debug)]
pub(super) struct Change<'a> {
    pub(super) file: &'a FoundFile,
    pub(super) before: &'a str,
    pub(super) after: &'a str,
}

/// The edits that a change makes, for the record beside the file.
#[derive(Debug, Clone, Copy)]
pub(super) enum RecordedEdits<'a> {
    /// The change makes these edits.
    Wrapped(&'a [Edit]),
    /// The change takes these edits back.
    Unwrapped(&'a [Edit]),
}

/// Returns an error with its causes as text.
fn chain(error: impl Into<CommandError>) -> String {
    error.into().chain()
}

/// Writes a file and returns the path of its backup, or why it was not written.
pub(super) fn write(
    change: &Change<'_>,
    remember: RecordedEdits<'_>,
    records: &WrapRecords,
    printer: &Printer,
) -> Result<PathBuf, String> {
    for client in &change.file.clients {
        match Processes::default().runs(client) {
            ClientState::Yes => {
                return Err(format!(
                    "{} is running and would overwrite the change; quit it (closing the window is not enough) and try again",
                    client.name
                ));
            }
            ClientState::Unknown => printer
                .warn(&format!("if {} is running it will overwrite the change; quit it first", client.name)),
            ClientState::No => {}
        }
    }
    let real = &change.file.real;
    let mut record = records.read(real).map_err(chain)?;
    if let RecordedEdits::Wrapped(edits) = remember {
        record.add(edits);
        records.write(real, &record).map_err(chain)?;
    }
    let _lock = match change.file.clients.iter().any(|client| client.locks) {
        true => Some(FolderLock::take(real).map_err(|error| format!("its lock can't be taken: {error}"))?),
        false => None,
    };
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H%M%SZ").to_string();
    let backup = records.back_up(real, change.before, &now).map_err(chain)?;
    replace_file(real, Some(change.before), change.after).map_err(chain)?;
    if let RecordedEdits::Unwrapped(edits) = remember {
        for edit in edits {
            record.entries.remove(&edit.entry);
        }
        records.write(real, &record).map_err(chain)?;
    }
    Ok(backup.path)
}
