//! Explains why an edit does not fit, for a model that remembers a file almost correctly.
use super::super::error::{FileError, code};
use super::super::write::{EditError, EditMismatch, MOST_MATCHES};
use super::edit_schema::Input;

/// Returns an error that says what is wrong and what to do.
pub(super) fn explain(error: EditError, input: &Input, shown: &str, most: u64) -> FileError {
    let which = if input.edits.len() == 1 {
        "`find`".to_owned()
    } else {
        format!("`find` of edit {}", error.index + 1)
    };
    let expected = input.edits.get(error.index).and_then(|edit| edit.edit().expected).unwrap_or(1);
    let at = |lines: &[usize]| {
        let numbers: Vec<_> = lines.iter().map(ToString::to_string).collect();
        format!("line {}", numbers.join(", "))
    };
    match error.what {
        EditMismatch::Empty => FileError::new(
            code::FIND_EMPTY,
            format!("{which} is empty; nothing was changed"),
            "Put the text to replace into `find`.",
        ),
        EditMismatch::NotFound { near } if near.is_empty() => FileError::new(
            code::FIND_NOT_FOUND,
            format!("{which} is not in `{shown}`, nor is anything like it; nothing was changed"),
            "Read the file again with `read_file` and copy the text exactly.",
        ),
        EditMismatch::NotFound { near } => FileError::new(
            code::FIND_NOT_FOUND,
            format!("{which} is not in `{shown}`; nothing was changed; {near}\n"),
            "Copy the lines into `find` exactly as they are there, without the line numbers.",
        ),
        EditMismatch::Count { found, lines } => FileError::new(
            code::FIND_NOT_UNIQUE,
            format!(
                "{which} occurs {found} times in `{shown}`, and {expected} was expected: at {}; nothing was changed",
                at(&lines)
            ),
            format!(
                "Add surrounding lines to `find`, or set `expected_count` to {found} to replace all of them."
            ),
        ),
        EditMismatch::TooMany { found, is_all } => FileError::new(
            code::FIND_NOT_UNIQUE,
            format!(
                "{which} occurs {}{found} times in `{shown}`, and one edit replaces at most {MOST_MATCHES}; nothing was changed",
                if is_all { "" } else { "more than " }
            ),
            "Add surrounding text to `find`, or replace the whole file with `write_file`.",
        ),
        EditMismatch::Overlap { lines } => FileError::new(
            code::FIND_NOT_UNIQUE,
            format!("matches of {which} in `{shown}` overlap: at {}; nothing was changed", at(&lines)),
            "Add surrounding text to `find`.",
        ),
        // A stopped call gets no answer, so its text does not matter.
        EditMismatch::TooLarge | EditMismatch::Stopped => FileError::new(
            code::TOO_LARGE,
            format!(
                "edit {} would make `{shown}` larger than the {most} bytes that `edit_max_bytes` allows; nothing was changed",
                error.index + 1
            ),
            "Insert less text, or ask the user to raise `edit_max_bytes`.",
        ),
    }
}
