//! What models and people are told about the server. The text mentions only what the server was
//! started with.
use overt_policy::record::{Invocation, KnownError, ServerRecord, Trouble};

use super::compat::Compat;
use super::options::OperatorLimits;
use super::tools;

/// The start options that change what the server says about itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServerMode {
    pub(super) compat: Option<Compat>,
    pub(super) is_read_only: bool,
    pub(super) has_journal: bool,
}

impl ServerMode {
    /// Tells a model how to use the tools.
    pub(super) fn instructions(self) -> String {
        let (roots, look) = match self.compat {
            None => ("list_roots", "`list_directory`, `find_files`, `search_files`, `read_file`"),
            Some(Compat::Official) => {
                ("list_allowed_directories", "`list_directory`, `search_files`, `read_text_file`")
            }
        };
        let what = if self.is_read_only { "look at" } else { "look at and change" };
        let mut words = format!(
            "Use these tools to {what} files in the roots that `{roots}` names. Paths are relative to the default root, or absolute. Lines \
             are counted from 1. "
        );
        if self.is_read_only {
            words += &format!("Look with {look}. Nothing can be changed.");
            return words;
        }
        words += &format!(
            "Look before you change: {look}. Change a part of a file with `edit_file`, a whole file with `write_file`. "
        );
        words += match self.has_journal {
            true => "Changes can be undone with `revert_change`; the user is asked about one that can't be.",
            false => "No change can be undone.",
        };
        words
    }

    /// Says what the server does and when to use it.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self { is_read_only: true, .. } => {
                "Reads and searches files in folders that the user chose, and changes nothing. Use when the user asks to look at or find \
                 files."
            }
            Self { has_journal: true, .. } => {
                "Reads, searches, edits and organises files in folders that the user chose, shows each change before it is made, and can \
                 undo it. Use when the user asks to look at, find, write, change, move or delete files."
            }
            Self { has_journal: false, .. } => {
                "Reads, searches, edits and organises files in folders that the user chose, and shows each change before it is made. Use \
                 when the user asks to look at, find, write, change, move or delete files."
            }
        }
    }

    /// Returns everything that is declared about the server.
    pub(super) fn record(self, enforced: &OperatorLimits) -> ServerRecord {
        ServerRecord {
            when_to_use: self.when_to_use(),
            not_for: self.not_for(),
            install: [("source".to_owned(), "cargo install --locked --path crates/overt".to_owned())].into(),
            invocation: Some(Invocation {
                model_invocable: Some(true),
                user_invocable: Some(true),
                allowed_tools: Vec::new(),
            }),
            rate_limit: enforced.rate_limit,
            best_practices: self.best_practices(),
            troubleshooting: troubleshooting(),
            errors: self.errors(),
            categories: vec!["files".to_owned()],
            license: Some("MIT OR Apache-2.0".to_owned()),
            homepage: crate::package::HOMEPAGE.map(str::to_owned),
            repository: crate::package::REPOSITORY.map(str::to_owned),
            audit: enforced.audit.clone(),
            ..ServerRecord::new(self.description())
        }
    }

    fn when_to_use(self) -> Vec<String> {
        let mut uses = vec!["list, find or read files", "search for text in files"];
        if !self.is_read_only {
            uses.extend(["create, edit, move, copy or delete files"]);
        }
        if !self.is_read_only && self.has_journal {
            uses.extend(["see what was changed, or undo a change"]);
        }
        uses.into_iter().map(str::to_owned).collect()
    }

    fn not_for(self) -> Vec<String> {
        let mut not_for = vec![
            "running programs or commands: use a shell",
            "files outside of the roots: ask the user to serve their folder",
            "files on other machines or on the web",
        ];
        if self.is_read_only {
            not_for.push("changing files: this server was started with `--read-only`");
        }
        not_for.into_iter().map(str::to_owned).collect()
    }

    fn best_practices(self) -> Vec<String> {
        let from_a_shell = "From a shell, `overt call fs TOOL name=value` calls the same tools; `overt --ai-help` describes the program";
        if self.compat.is_some() {
            return vec![from_a_shell.to_owned()];
        }
        let mut practices = vec![
            "Search with `search_files` before reading whole files, and read the lines around a match with `start_line` and `limit`",
            "If an answer has `next_cursor`, repeat the call with it to get the next page",
        ];
        if !self.is_read_only {
            practices.extend([
                "Give the `etag` of `read_file` as `if_etag` of `edit_file` or `write_file`, so that nothing is changed that somebody else changed since",
                "Put edits that belong together into one `edit_file`, with a `path` in each edit: all of them are made, or none",
                "Call a changing tool with `_meta.preview` to see what it would do",
            ]);
        }
        practices.push(from_a_shell);
        practices.into_iter().map(str::to_owned).collect()
    }

    /// Returns the errors that the tools share, and those of the layers in front of them.
    fn errors(self) -> Vec<KnownError> {
        let of_toolbox = overt_toolbox::known_errors();
        let of_layers = overt_layers::known_errors();
        tools::shared_errors(self.is_read_only).into_iter().chain(of_toolbox).chain(of_layers).collect()
    }
}

fn troubleshooting() -> Vec<Trouble> {
    let trouble = |problem: &str, cause: &str, solution: &str| Trouble {
        problem: problem.to_owned(),
        cause: cause.to_owned(),
        solution: solution.to_owned(),
    };
    vec![
        trouble(
            "A path is refused with PATH_OUTSIDE_ROOT",
            "The path, or a link in it, leads outside of the folders that are served",
            "Use a path inside a root, or ask the user to allow it or to serve the folder: `overt fs FOLDER`",
        ),
        trouble(
            "An edit is refused with FIND_NOT_FOUND",
            "The file differs from what `find` says, often in whitespace",
            "Read the file again; the error shows the nearest lines and how they differ",
        ),
    ]
}
