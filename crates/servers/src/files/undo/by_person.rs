//! Keeps an agent from redoing what a person undid.
use super::super::error::{FileError, code};
use super::super::journal::{Journal, Record};
use super::super::tools::Planning;
use super::is_void;

/// Fails if a person undid something with this change, or decided with a later one whether it
/// holds: undoing it would take back what the person did.
pub(crate) fn check_not_by_person(
    planning: &Planning<'_>,
    journal: &Journal,
    record: &Record,
) -> Result<(), FileError> {
    if record.is_by_person() {
        return Err(undone_by_person(record));
    }
    let mut later: Vec<Record> = journal.all().take_while(|later| later.id > record.id).collect();
    // From the oldest on, the undoing of a change comes before the undoing of that undoing.
    later.reverse();
    let mut chain = vec![record.id.as_str()];
    for later in &later {
        if later.undoes.as_deref().is_some_and(|undone| chain.contains(&undone)) {
            if later.is_by_person() && !is_void(planning, later) {
                return Err(undone_by_person(later));
            }
            chain.push(&later.id);
        }
    }
    Ok(())
}

/// The error for a change about which a person decided.
fn undone_by_person(by: &Record) -> FileError {
    let undone = by.undoes.as_deref().unwrap_or(&by.id);
    FileError::new(
        code::UNDONE_BY_PERSON,
        format!("the user took back the change `{undone}` with `overt undo`, and only a person redoes that"),
        "Leave it as it is, or make a new change with `edit_file` or `write_file`, which is judged like any other. An older change can be undone \
         by its `change`, which `list_changes` shows.",
    )
}
