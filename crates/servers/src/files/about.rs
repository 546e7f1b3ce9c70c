//! What models and people are told about the server, as it was started: nothing that is not there.
use super::compat::Compat;
use super::sandbox::Sandbox;

/// How the server was started, as far as it matters to those who use it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub(super) compat: Option<Compat>,
    pub(super) is_read_only: bool,
    pub(super) has_journal: bool,
}

impl Manner {
    /// How to use the tools.
    pub(super) fn instructions(self) -> String {
        let (roots, look) = match self.compat {
            None => ("list_roots", "`list_directory`, `find_files`, `search_files`, `read_file`"),
            Some(Compat::Official) => {
                ("list_allowed_directories", "`list_directory`, `search_files`, `read_text_file`")
            }
        };
        let what = if self.is_read_only { "look at" } else { "look at and change" };
        let mut words = format!(
            "Use these tools to {what} files in the roots that `{roots}` names. Paths are relative to the default root, or absolute. "
        );
        if self.is_read_only {
            words += &format!("Look with {look}. Nothing can be changed here.");
            return words;
        }
        words += &format!(
            "Look before you change: {look}. Change a part of a file with `edit_file`, a whole one with `write_file`. "
        );
        words += match self.has_journal {
            true => "Every change can be undone with `revert_change`.",
            false => "No change can be undone.",
        };
        words
    }

    /// What it is and when to use it.
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

    /// The same with how the second wall stands, for the server's card (FS-44).
    pub(super) fn card(self, sandbox: &Sandbox) -> String {
        format!("{} Sandbox `{}`: {sandbox}.", self.description(), sandbox.word())
    }
}
