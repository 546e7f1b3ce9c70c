//! How a file operation says no: to a model, which is told what is wrong, what is valid and what to do. No error names a path
//! that the client did not name.
use overt_toolbox::ToolError;
use rustix::io::Errno;

/// Why an operation on a file was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileError {
    pub(crate) code: &'static str,
    pub(crate) problem: String,
    pub(crate) next: String,
}

/// The words for programs. Where seed 002 has one, it is the same.
pub(crate) mod code {
    pub(crate) const INVALID_PATH: &str = "INVALID_PATH";
    pub(crate) const OUTSIDE_ROOT: &str = "PATH_OUTSIDE_ROOT";
    pub(crate) const NOT_ALLOWED: &str = "PATH_NOT_ALLOWED";
    pub(crate) const IMMUTABLE: &str = "PATH_IMMUTABLE";
    pub(crate) const NOT_FOUND: &str = "FILE_NOT_FOUND";
    pub(crate) const NOT_A_FILE: &str = "NOT_A_FILE";
    pub(crate) const NOT_A_FOLDER: &str = "NOT_A_DIRECTORY";
    pub(crate) const PERMISSION_DENIED: &str = "PERMISSION_DENIED";
    pub(crate) const LINK_LOOP: &str = "LINK_LOOP";
    pub(crate) const NAME_TOO_LONG: &str = "NAME_TOO_LONG";
    pub(crate) const ROOT_GONE: &str = "ROOT_GONE";
    pub(crate) const OTHER_FILE_SYSTEM: &str = "OTHER_FILE_SYSTEM";
    pub(crate) const NO_SPACE: &str = "NO_SPACE";
    pub(crate) const LINE_OUT_OF_RANGE: &str = "LINE_OUT_OF_RANGE";
    pub(crate) const NOT_TEXT: &str = "NOT_TEXT";
    pub(crate) const TOO_LARGE: &str = "FILE_TOO_LARGE";
    pub(crate) const ANSWER_FULL: &str = "ANSWER_FULL";
    pub(crate) const HARD_LINK: &str = "HARD_LINK";
    pub(crate) const INVALID_PATTERN: &str = "INVALID_PATTERN";
    pub(crate) const INVALID_GLOB: &str = "INVALID_GLOB";
    pub(crate) const INVALID_TIME: &str = "INVALID_TIME";
    pub(crate) const INVALID_CURSOR: &str = "INVALID_CURSOR";
    pub(crate) const TARGET_EXISTS: &str = "TARGET_EXISTS";
    pub(crate) const CONFLICT: &str = "CONFLICT";
    pub(crate) const NOT_EMPTY: &str = "DIRECTORY_NOT_EMPTY";
    pub(crate) const FIND_EMPTY: &str = "FIND_EMPTY";
    pub(crate) const FIND_NOT_FOUND: &str = "FIND_NOT_FOUND";
    pub(crate) const FIND_NOT_UNIQUE: &str = "FIND_NOT_UNIQUE";
    pub(crate) const NOT_KEPT: &str = "NOT_KEPT";
    pub(crate) const UNKNOWN_CHANGE: &str = "UNKNOWN_CHANGE";
    pub(crate) const TOO_MANY_WATCHES: &str = "TOO_MANY_WATCHES";
    pub(crate) const BUSY: &str = "BUSY";
    pub(crate) const CANCELLED: &str = "CANCELLED";
    pub(crate) const IO: &str = "IO_ERROR";
}

impl FileError {
    pub(crate) fn new(code: &'static str, problem: impl Into<String>, next: impl Into<String>) -> Self {
        Self { code, problem: problem.into(), next: next.into() }
    }

    /// What the system said about something that the client named `shown`.
    pub(crate) fn system(errno: Errno, shown: &str) -> Self {
        match errno {
            Errno::NOENT => Self::new(
                code::NOT_FOUND,
                format!("`{shown}` does not exist"),
                "Use `list_directory` or `find_files` to see what is there.",
            ),
            Errno::NOTDIR => Self::new(
                code::NOT_A_FOLDER,
                format!("`{shown}` or a part of it is not a directory"),
                "Use `get_file_info` to see what it is.",
            ),
            Errno::ISDIR => Self::new(
                code::NOT_A_FILE,
                format!("`{shown}` is a directory"),
                "Name a file in it; `list_directory` shows what is there.",
            ),
            Errno::ACCESS | Errno::PERM | Errno::ROFS => Self::new(
                code::PERMISSION_DENIED,
                format!("the operating system does not allow this for `{shown}`"),
                "Ask the user to change the permissions of the file, or use another one.",
            ),
            Errno::LOOP => Self::new(
                code::LINK_LOOP,
                format!("`{shown}` leads through too many symbolic links"),
                "Name the file itself.",
            ),
            Errno::NAMETOOLONG => Self::new(
                code::NAME_TOO_LONG,
                "the path, or a name in it, is too long",
                "A name has at most 255 bytes, a path 4,095.",
            ),
            Errno::NOSPC | Errno::DQUOT => Self::new(
                code::NO_SPACE,
                format!("there is no space left for `{shown}`; nothing was changed"),
                "Ask the user to make room.",
            ),
            Errno::XDEV => Self::outside(shown),
            other => Self::new(
                code::IO,
                format!("`{shown}`: the operating system said `{other}`"),
                "Try again, or ask the user to look at the disk.",
            ),
        }
    }

    /// Somebody else changed it between the plan and the change.
    pub(crate) fn conflict(shown: &str) -> Self {
        Self::new(
            code::CONFLICT,
            format!("`{shown}` was changed by another program meanwhile; nothing was done"),
            "Read it again and repeat the change on what is there now.",
        )
    }

    /// It is replaced faster than it can be opened.
    pub(crate) fn replaced(shown: &str) -> Self {
        Self::new(
            code::IO,
            format!(
                "`{shown}` leads to a file that is replaced again and again while it is opened; nothing was done"
            ),
            "Try again.",
        )
    }

    /// Something stands where something new was to be.
    pub(crate) fn exists(shown: &str) -> Self {
        Self::new(
            code::TARGET_EXISTS,
            format!("`{shown}` exists already; nothing was done"),
            "Choose another name, or delete what is there first.",
        )
    }

    /// The path leads to a place that is in no root.
    pub(crate) fn outside(shown: &str) -> Self {
        Self::new(
            code::OUTSIDE_ROOT,
            format!("`{shown}` is outside of every root"),
            "Use a path inside one of the roots; `list_roots` names them.",
        )
    }

    /// The path is in a root, and what is in force hides it.
    pub(crate) fn hidden(shown: &str) -> Self {
        Self::new(
            code::NOT_ALLOWED,
            format!("`{shown}` is hidden by policy"),
            "Work without it, or ask the user to allow it.",
        )
    }

    /// The file has a second name.
    pub(crate) fn hard_link(shown: &str) -> Self {
        Self::new(
            code::HARD_LINK,
            format!("`{shown}` has a second name, which may be outside of every root"),
            "Copy its content to a file of its own, or ask the user to allow files with several names (`hardlinks`).",
        )
    }

    pub(crate) fn immutable(shown: &str) -> Self {
        Self::new(
            code::IMMUTABLE,
            format!("`{shown}` is read-only by policy"),
            "Work without the change, or ask the user to allow it.",
        )
    }
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        Self::new(error.problem).next(error.next).code(error.code)
    }
}
