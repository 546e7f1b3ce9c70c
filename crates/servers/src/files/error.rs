//! Errors of file operations, written for a model: what is wrong, what is valid and what to do. No
//! error names a path that the client did not name, except the roots that it may use.
use std::fmt;

use overt_toolbox::ToolError;
use rustix::io::Errno;

/// The most roots that one error names.
const MOST_NAMED: usize = 3;

/// The reason why an operation on a file was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileError {
    pub(crate) code: &'static str,
    pub(crate) problem: String,
    pub(crate) next: String,
}

/// The error codes. They are those of seed 002 where it defines one.
pub(crate) mod code {
    /// Declares the codes and, for tests, the list of all of them.
    macro_rules! codes {
        ($($name:ident = $text:literal,)*) => {
            $(pub(crate) const $name: &str = $text;)*

            #[cfg(test)]
            pub(crate) const ALL: &[&str] = &[$($text),*];
        };
    }

    codes! {
        INVALID_PATH = "INVALID_PATH",
        OUTSIDE_ROOT = "PATH_OUTSIDE_ROOT",
        IS_ROOT = "PATH_IS_ROOT",
        INVALID_ARGUMENTS = "INVALID_ARGUMENTS",
        NOT_ALLOWED = "PATH_NOT_ALLOWED",
        IMMUTABLE = "PATH_IMMUTABLE",
        GUARDED = "PATH_GUARDED",
        NOT_FOUND = "FILE_NOT_FOUND",
        NOT_A_FILE = "NOT_A_FILE",
        NOT_A_FOLDER = "NOT_A_DIRECTORY",
        SYSTEM_DENIED = "SYSTEM_DENIED",
        LINK_LOOP = "LINK_LOOP",
        NAME_TOO_LONG = "NAME_TOO_LONG",
        ROOT_GONE = "ROOT_GONE",
        OTHER_FILE_SYSTEM = "OTHER_FILE_SYSTEM",
        NO_SPACE = "NO_SPACE",
        LINE_OUT_OF_RANGE = "LINE_OUT_OF_RANGE",
        NOT_TEXT = "NOT_TEXT",
        TOO_LARGE = "FILE_TOO_LARGE",
        ANSWER_FULL = "ANSWER_FULL",
        HARD_LINK = "HARD_LINK",
        INVALID_PATTERN = "INVALID_PATTERN",
        INVALID_GLOB = "INVALID_GLOB",
        INVALID_TIME = "INVALID_TIME",
        INVALID_CURSOR = "INVALID_CURSOR",
        TARGET_EXISTS = "TARGET_EXISTS",
        CONFLICT = "CONFLICT",
        NOT_EMPTY = "DIRECTORY_NOT_EMPTY",
        FIND_EMPTY = "FIND_EMPTY",
        FIND_NOT_FOUND = "FIND_NOT_FOUND",
        FIND_NOT_UNIQUE = "FIND_NOT_UNIQUE",
        NOT_KEPT = "NOT_KEPT",
        UNDONE_BY_PERSON = "UNDONE_BY_PERSON",
        UNKNOWN_CHANGE = "UNKNOWN_CHANGE",
        TOO_MANY_WATCHES = "TOO_MANY_WATCHES",
        BUSY = "BUSY",
        CANCELLED = "CANCELLED",
        IO = "IO_ERROR",
    }
}

impl FileError {
    pub(crate) fn new(code: &'static str, problem: impl Into<String>, next: impl Into<String>) -> Self {
        Self { code, problem: problem.into(), next: next.into() }
    }

    /// Describes an error of the operating system; `shown` is the path as the client wrote it.
    pub(crate) fn system(errno: Errno, shown: &str) -> Self {
        match errno {
            Errno::NOENT => Self::new(
                code::NOT_FOUND,
                format!("`{shown}` does not exist"),
                "Find it with `find_files`, or see what is there with `list_directory`.",
            ),
            Errno::NOTDIR => Self::new(
                code::NOT_A_FOLDER,
                format!("`{shown}`, or a part of it, is not a directory"),
                "Name a directory, or read the file with `read_file`.",
            ),
            Errno::ISDIR => Self::new(
                code::NOT_A_FILE,
                format!("`{shown}` is a directory"),
                "Name a file in it; `list_directory` shows them.",
            ),
            Errno::ACCESS | Errno::PERM | Errno::ROFS => Self::new(
                code::SYSTEM_DENIED,
                format!("the operating system does not allow this for `{shown}`"),
                "Ask the user to change its permissions and call again, or use another file.",
            ),
            Errno::LOOP => Self::new(
                code::LINK_LOOP,
                format!("`{shown}` leads through too many symbolic links"),
                "Name the file itself instead of a link to it; `find_files` finds it.",
            ),
            Errno::NAMETOOLONG => Self::new(
                code::NAME_TOO_LONG,
                "the path, or a name in it, is too long",
                "A name has at most 255 bytes, and a path 4,095; use a shorter one.",
            ),
            Errno::NOSPC | Errno::DQUOT => Self::new(
                code::NO_SPACE,
                format!("there is no space left for `{shown}`; nothing was changed"),
                "Ask the user to free some space, then call again.",
            ),
            Errno::XDEV => Self::outside(shown),
            other => Self::new(
                code::IO,
                format!("the operating system reported an error for `{shown}`: {other}"),
                "Call again; if that fails too, ask the user to check the disk.",
            ),
        }
    }

    /// Another program changed the file between the plan and the change.
    pub(crate) fn conflict(shown: &str) -> Self {
        Self::new(
            code::CONFLICT,
            format!("`{shown}` was changed by another program meanwhile; nothing was done"),
            "Read it again and repeat the change on what is there now.",
        )
    }

    /// Another program keeps replacing the file while it is being opened.
    pub(crate) fn replaced(shown: &str) -> Self {
        Self::new(
            code::IO,
            format!(
                "`{shown}` leads to a file that is replaced again and again while it is opened; nothing was done"
            ),
            "Call again.",
        )
    }

    /// The name that was to be created is taken.
    pub(crate) fn exists(shown: &str) -> Self {
        Self::new(
            code::TARGET_EXISTS,
            format!("`{shown}` already exists; nothing was done"),
            "Choose another name, or delete what is there first.",
        )
    }

    /// The path is in no root.
    pub(crate) fn outside(shown: &str) -> Self {
        Self::new(
            code::OUTSIDE_ROOT,
            format!("`{shown}` is outside of every root"),
            "Use a path inside a root; `list_roots` names the roots.",
        )
    }

    /// The path is in none of these roots, the default one first.
    pub(crate) fn outside_of(roots: &[impl fmt::Display], shown: &str) -> Self {
        let named: Vec<String> = roots.iter().take(MOST_NAMED).map(|root| format!("`{root}`")).collect();
        let next = match (&named[..], roots.len() - named.len()) {
            ([], _) => "No root is left for this call; ask the user which one to use.".to_owned(),
            (_, 0) => format!("Use a path in {}; `list_roots` names the roots.", named.join(" or ")),
            (_, more) => {
                format!(
                    "Use a path in {}, or in {more} more; `list_roots` names the roots.",
                    named.join(", ")
                )
            }
        };
        Self { next, ..Self::outside(shown) }
    }

    /// The path is in a root, but the policy in force hides it.
    pub(crate) fn hidden(shown: &str) -> Self {
        Self::new(
            code::NOT_ALLOWED,
            format!("`{shown}` is hidden by policy"),
            "Work without it, or ask the user to allow it and call again.",
        )
    }

    /// The file has more than one hard link.
    pub(crate) fn hard_link(shown: &str) -> Self {
        Self::new(
            code::HARD_LINK,
            format!("`{shown}` has a second name (a hard link), which may be outside of every root"),
            "Ask the user to set `hardlinks` to `read` and call again, or work without the file.",
        )
    }

    /// Whether the roots or the settings forbid the operation. Otherwise the operation failed.
    pub(crate) fn is_refusal(&self) -> bool {
        [code::OUTSIDE_ROOT, code::NOT_ALLOWED, code::IMMUTABLE, code::GUARDED, code::HARD_LINK]
            .contains(&self.code)
    }

    pub(crate) fn immutable(shown: &str) -> Self {
        Self::new(
            code::IMMUTABLE,
            format!("`{shown}` is read-only by policy; nothing was changed"),
            "Work without the change, or ask the user to allow it and call again.",
        )
    }
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        let is_refusal = error.is_refusal();
        let error = Self::new(error.problem).next(error.next).code(error.code);
        if is_refusal { error.refusal() } else { error }
    }
}
