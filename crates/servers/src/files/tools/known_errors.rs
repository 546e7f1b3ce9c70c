//! The errors of the tools. Each is described once, for the cards and the help of every tool that
//! has it.
use overt_layers::record::KnownError;

use super::super::error::code;

/// Errors of most tools that take a path.
const READING: [&str; 14] = [
    code::INVALID_PATH,
    code::OUTSIDE_ROOT,
    code::NOT_ALLOWED,
    code::NOT_FOUND,
    code::NOT_A_FILE,
    code::NOT_A_FOLDER,
    code::HARD_LINK,
    code::INVALID_CURSOR,
    code::SYSTEM_DENIED,
    code::LINK_LOOP,
    code::NAME_TOO_LONG,
    code::ROOT_GONE,
    code::CANCELLED,
    code::IO,
];

/// Further errors of most changing tools.
const CHANGING: [&str; 9] = [
    code::IS_ROOT,
    code::TARGET_EXISTS,
    code::IMMUTABLE,
    code::GUARDED,
    code::CONFLICT,
    code::TOO_LARGE,
    code::NO_SPACE,
    code::OTHER_FILE_SYSTEM,
    code::BUSY,
];

/// Returns the errors that the tools share. They are listed once, for the whole server.
pub(crate) fn shared(is_read_only: bool) -> Vec<KnownError> {
    let changing: &[&str] = if is_read_only { &[] } else { &CHANGING };
    described(READING.iter().chain(changing))
}

/// Returns the descriptions of these codes, in order.
pub(crate) fn described<'a>(codes: impl IntoIterator<Item = &'a &'static str>) -> Vec<KnownError> {
    codes.into_iter().filter_map(|wanted| TABLE.iter().find(|(code, ..)| code == wanted)).map(error).collect()
}

fn error((code, description, resolution): &(&str, &str, &str)) -> KnownError {
    KnownError {
        code: (*code).to_owned(),
        description: (*description).to_owned(),
        resolution: (*resolution).to_owned(),
    }
}

/// Code, description, resolution.
const TABLE: [(&str, &str, &str); 36] = [
    (
        code::INVALID_PATH,
        "The path is empty, has a NUL character, or can't be used for this",
        "Write a path such as `src/main.rs`",
    ),
    (
        code::OUTSIDE_ROOT,
        "The path, or a link in it, leads outside of every root",
        "Use a path inside a root; `list_roots` names the roots",
    ),
    (code::IS_ROOT, "The path is a root, or contains one", "Name something inside the root"),
    (code::NOT_ALLOWED, "The policy hides the path", "Work without it, or ask the user to allow it"),
    (
        code::IMMUTABLE,
        "The path, or something in it, is read-only by policy",
        "Work without the change, or ask the user to allow it",
    ),
    (
        code::GUARDED,
        "It would start servers, permit tools or change Overt",
        "Ask the user to make the change",
    ),
    (code::NOT_FOUND, "Nothing exists at the path", "Find it with `find_files` or `list_directory`"),
    (code::NOT_A_FILE, "The path is not a regular file", "Name a regular file"),
    (code::NOT_A_FOLDER, "The path, or a part of it, is not a directory", "Name a directory"),
    (code::SYSTEM_DENIED, "The operating system does not allow it", "Ask the user to change the permissions"),
    (
        code::LINK_LOOP,
        "Symbolic links lead in a circle, or through too many others",
        "Name the file itself instead of a link",
    ),
    (code::NAME_TOO_LONG, "A name has more than 255 bytes, or the path more than 4,095", "Use a shorter one"),
    (
        code::ROOT_GONE,
        "The root was moved or deleted since the server started",
        "Ask the user to put it back",
    ),
    (
        code::OTHER_FILE_SYSTEM,
        "The change would cross to another file system",
        "Name the files one by one, or ask the user to do it",
    ),
    (code::NO_SPACE, "The disk is full; nothing was changed", "Ask the user to free some space"),
    (
        code::LINE_OUT_OF_RANGE,
        "The file has fewer lines than the call asks for",
        "Use a smaller `start_line`, or `tail`",
    ),
    (
        code::NOT_TEXT,
        "The file is not text that can be edited",
        "Replace the whole file with `write_file`, or leave it",
    ),
    (
        code::TOO_LARGE,
        "The file or the change is larger than one call reads or makes",
        "Use smaller parts, or ask the user to raise the limit that the error names",
    ),
    (code::ANSWER_FULL, "The files before it took all the room of the answer", "Read it with `read_file`"),
    (
        code::HARD_LINK,
        "The file has a second name, which may be outside of every root",
        "Copy it and change the copy, or ask the user to allow it",
    ),
    (
        code::INVALID_PATTERN,
        "The pattern is not valid, or too large",
        "Correct it, or search for plain text with `literal`",
    ),
    (code::INVALID_GLOB, "A glob is not valid", "Write globs such as `*.rs`, `src/**` or `target/`"),
    (code::INVALID_TIME, "A time is not in RFC 3339 format", "Write it like `2026-05-08T10:00:00Z`"),
    (
        code::INVALID_CURSOR,
        "The cursor does not belong to these arguments",
        "Leave it out, or repeat the arguments of the page before",
    ),
    (
        code::CONFLICT,
        "The file was changed since it was read or planned; nothing was done",
        "Read it again and repeat the change",
    ),
    (
        code::TARGET_EXISTS,
        "Something already exists at the target",
        "Choose another name, or delete what is there first",
    ),
    (
        code::NOT_EMPTY,
        "The directory is not empty",
        "Set `recursive` to true to delete it with everything in it",
    ),
    (code::FIND_EMPTY, "`find` is empty", "Put the text to replace into `find`"),
    (code::FIND_NOT_FOUND, "`find` is not in the file", "Read the file again and copy the text exactly"),
    (
        code::FIND_NOT_UNIQUE,
        "`find` occurs more or less often than expected",
        "Add surrounding lines to `find`, or set `expected_count`",
    ),
    (
        code::UNKNOWN_CHANGE,
        "The change is unknown or no longer kept",
        "Use a `change` that `list_changes` shows",
    ),
    (
        code::NOT_KEPT,
        "It was too large to keep, and the user agreed to lose it",
        "Go on without it, or ask the user for a backup",
    ),
    (
        code::UNDONE_BY_PERSON,
        "The user took it back, and this would redo it",
        "Leave it, or make a new change",
    ),
    (code::BUSY, "Too many other changes are being made", "Call again later"),
    (code::CANCELLED, "The call was stopped before it was done", "Call again if you still need the result"),
    (
        code::IO,
        "The disk or the operating system reported an error",
        "Call again, or ask the user to check the disk",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_path_is_described() {
        assert_eq!(shared(true).len(), READING.len());
        assert_eq!(shared(false).len(), READING.len() + CHANGING.len());
    }
}
