//! The errors that the tools answer with, each described once, for the cards and the help of every tool that has it.
use overt_layers::record::KnownError;

use super::super::error::code;

/// What can be wrong with a path that is only looked at.
pub(crate) const READING: [&str; 11] = [
    code::INVALID_PATH,
    code::OUTSIDE_ROOT,
    code::NOT_ALLOWED,
    code::NOT_FOUND,
    code::NOT_A_FOLDER,
    code::PERMISSION_DENIED,
    code::LINK_LOOP,
    code::NAME_TOO_LONG,
    code::ROOT_GONE,
    code::CANCELLED,
    code::IO,
];

/// What can be wrong with a path that is to be changed.
pub(crate) const CHANGING: [&str; 6] =
    [code::IMMUTABLE, code::CONFLICT, code::TOO_LARGE, code::NO_SPACE, code::OTHER_FILE_SYSTEM, code::BUSY];

/// The descriptions of some codes, in their order.
pub(crate) fn known<'a>(codes: impl IntoIterator<Item = &'a &'static str>) -> Vec<KnownError> {
    codes.into_iter().filter_map(|wanted| TABLE.iter().find(|(code, ..)| code == wanted)).map(error).collect()
}

fn error((code, description, resolution): &(&str, &str, &str)) -> KnownError {
    KnownError {
        code: (*code).to_owned(),
        description: (*description).to_owned(),
        resolution: (*resolution).to_owned(),
    }
}

/// Code, what happened, what to do.
const TABLE: [(&str, &str, &str); 32] = [
    (code::INVALID_PATH, "The path is empty or holds a NUL character", "Write a path such as `src/main.rs`"),
    (
        code::OUTSIDE_ROOT,
        "The path is in no root, or a link in it leads out",
        "Use a path inside a root; `list_roots` names them",
    ),
    (
        code::NOT_ALLOWED,
        "What is in force hides the path",
        "Do without it, or ask the user to change what is allowed",
    ),
    (
        code::IMMUTABLE,
        "The path, or something in it, can be read and must not be changed",
        "Do without the change, or ask the user",
    ),
    (code::NOT_FOUND, "There is nothing at the path", "Look with `list_directory` or `find_files`"),
    (code::NOT_A_FILE, "The path is no regular file", "Name a regular file"),
    (code::NOT_A_FOLDER, "The path, or a part of it, is no directory", "Look with `get_file_info`"),
    (
        code::PERMISSION_DENIED,
        "The operating system does not allow it",
        "Ask the user to change the permissions",
    ),
    (code::LINK_LOOP, "Symbolic links lead in a circle, or through too many others", "Name the file itself"),
    (code::NAME_TOO_LONG, "A name has more than 255 bytes, or the path more than 4,095", "Use a shorter one"),
    (code::ROOT_GONE, "The root was moved or deleted while the server ran", "Ask the user to put it back"),
    (code::OTHER_FILE_SYSTEM, "Another file system is mounted there", "Ask the user to do it"),
    (code::NO_SPACE, "The disk is full; nothing was changed", "Ask the user to make room"),
    (
        code::LINE_OUT_OF_RANGE,
        "The file has fewer lines than the call asks for",
        "Use a smaller `start_line`, or `tail`",
    ),
    (
        code::NOT_TEXT,
        "The file is no text that can be read or changed here",
        "Use another program for it, or write it as a whole",
    ),
    (
        code::TOO_LARGE,
        "The file is larger than what is given or changed at once",
        "Use a part of it, or another program",
    ),
    (code::ANSWER_FULL, "The files before it have filled the answer", "Read it in a call of its own"),
    (
        code::HARD_LINK,
        "The file has a second name, which may be outside of every root",
        "Ask the user to allow it, or copy it",
    ),
    (
        code::INVALID_PATTERN,
        "The pattern can't be read, or would take too much",
        "Correct it, or search for plain text with `literal`",
    ),
    (code::INVALID_GLOB, "A glob can't be read", "Write globs such as `*.rs`, `src/**` or `!target`"),
    (code::INVALID_TIME, "A time is not in the form of RFC 3339", "Write it like `2026-05-08T10:00:00Z`"),
    (
        code::INVALID_CURSOR,
        "The cursor was not given by a listing with these arguments",
        "Leave it out, or repeat the arguments of the page before",
    ),
    (
        code::CONFLICT,
        "Somebody else changed it in the meantime; nothing was done",
        "Look at it again, and change what is there now",
    ),
    (
        code::TARGET_EXISTS,
        "Something stands there already, and nothing is overwritten",
        "Choose another name, or delete what is there first",
    ),
    (code::NOT_EMPTY, "The directory is not empty", "Set `recursive` to delete it with everything in it"),
    (code::FIND_EMPTY, "There is nothing to look for", "Give the text to replace"),
    (
        code::FIND_NOT_FOUND,
        "What was looked for is not there",
        "Read the file again, and copy the text exactly",
    ),
    (
        code::FIND_NOT_UNIQUE,
        "There is another number of matches than expected",
        "Put more of the lines around it into `find`, or give `expected_count`",
    ),
    (
        code::UNKNOWN_CHANGE,
        "There is no such change, or it is no longer kept",
        "Use the `change` that a tool has returned",
    ),
    (code::BUSY, "Too many changes wait for one another", "Try again later"),
    (code::CANCELLED, "The call was given up before it ended", "Call again if it is still wanted"),
    (code::IO, "The disk, or the operating system, failed", "Try again, or ask the user to look at the disk"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_path_is_described() {
        assert_eq!(known(&READING).len(), READING.len());
        assert_eq!(known(&CHANGING).len(), CHANGING.len());
    }
}
