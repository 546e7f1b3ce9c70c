//! What planning a change needs: the slots to change, claims on them, and checks of what can be
//! kept.
use overt_toolbox::{Context, Irreversible, ToolError};

use super::super::FileServer;
use super::super::access::{AbsolutePath, Follow, Mounts, Slot, View};
use super::super::error::{FileError, code};
use super::super::journal::{Journal, KeepError};
use super::super::work::Stop;
use super::super::write::remove::MOST_DEPTH;
use super::super::write::{self, HardLinks, PlanClaim, Tree, TreePurpose, TreeScan, Unplanned, is_ours};

/// The context in which a change is planned.
pub(crate) struct Planning<'a> {
    pub(crate) server: &'a FileServer,
    pub(crate) view: &'a View,
    pub(crate) stop: &'a Stop,
    pub(crate) claim: &'a PlanClaim,
    pub(crate) settings: &'a CallSettings,
}

/// The settings of one call.
#[derive(Debug, Clone)]
pub(crate) struct CallSettings {
    pub(crate) hardlinks: HardLinks,
    pub(crate) edit_max_bytes: u64,
    pub(crate) new_file_mode: u32,
    pub(crate) irreversible: Irreversibles,
    /// The id of the change in the journal. `None` for a preview, and without a journal.
    pub(crate) change: Option<String>,
}

/// What to do with a change that can't be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Irreversibles {
    Refuse,
    /// Ask a person about each of them.
    Ask,
}

impl CallSettings {
    pub(super) fn of(server: &FileServer, context: &Context) -> Result<Self, ToolError> {
        let change = match &server.journal {
            Some(journal) if !context.is_preview() => Some(journal.next_id()?),
            _ => None,
        };
        Ok(Self {
            hardlinks: HardLinks::of(&context.setting::<String>("hardlinks")?),
            edit_max_bytes: context.setting("edit_max_bytes")?,
            new_file_mode: if context.setting::<String>("new_file_mode")? == "0600" { 0o600 } else { 0o644 },
            irreversible: match context.setting::<String>("irreversible")?.as_str() {
                "ask" => Irreversibles::Ask,
                _ => Irreversibles::Refuse,
            },
            change,
        })
    }
}

impl Planning<'_> {
    /// Claims the paths of the plan.
    pub(crate) fn take(&self, slots: &[&Slot]) -> Result<(), Unplanned> {
        self.claim.take(slots.iter().map(|slot| slot.path()).collect())
    }

    /// Reserves memory for contents, beside those of all other calls. Must be called after the
    /// claim.
    pub(crate) fn take_room(&self, bytes: u64) -> Result<(), Unplanned> {
        self.claim.take_room(bytes)
    }

    /// Returns the slot for new content. Links that stay in the roots are followed. Names of
    /// unfinished files are refused.
    pub(crate) fn slot(&self, text: &str) -> Result<Slot, FileError> {
        self.view.slot(text, Follow::Yes, Mounts::Cross).and_then(|slot| free(slot, text))
    }

    /// Returns the slot for something that is moved, deleted or created. A link is not followed.
    pub(crate) fn slot_itself(&self, text: &str, mounts: Mounts) -> Result<Slot, FileError> {
        let slot = self.view.slot(text, Follow::No, mounts).and_then(|slot| free(slot, text))?;
        if self.view.holds_root(&slot.path()) {
            return Err(FileError::new(
                code::IS_ROOT,
                format!("`{text}` contains a root, which can't be moved, replaced or deleted"),
                "Name something inside the root.",
            ));
        }
        Ok(slot)
    }

    /// Scans everything at a name. `target` is the destination, if it is moved or copied.
    pub(crate) fn scan(
        &self,
        slot: &Slot,
        want: TreePurpose,
        target: Option<&AbsolutePath>,
        shown: &str,
    ) -> Result<Tree, FileError> {
        let scan = TreeScan { view: Some(self.view), want, target, shown, stop: self.stop };
        write::scan_tree(&slot.folder, &slot.name, scan)
    }

    /// Returns the outermost missing folder on the way to a path, and the names inside it down to
    /// the path itself.
    pub(crate) fn missing(&self, text: &str) -> Result<(Slot, Vec<String>), FileError> {
        let mut path = self.view.absolute(text)?;
        let mut inner: Vec<String> = Vec::new();
        let slot = loop {
            match self.view.outer_slot(&path, text) {
                Ok(slot) => break slot,
                Err(error) if error.code == code::NOT_FOUND => {}
                Err(error) => return Err(error),
            }
            let Some((parent, name)) = path.split() else { return Err(FileError::outside(text)) };
            inner.insert(0, name.to_owned());
            path = parent;
        };
        // Decides about everything on the way before any of it is created.
        let mut path = slot.path();
        for name in &inner {
            path = path.child(name);
            if !self.view.may_change(&path) {
                return Err(FileError::hidden(text));
            }
        }
        if slot.now.is_some() {
            return if inner.is_empty() {
                Err(FileError::exists(text))
            } else {
                Err(FileError::system(rustix::io::Errno::NOTDIR, text))
            };
        }
        // A deeper tree could be created but not undone.
        if inner.len() >= MOST_DEPTH {
            return Err(FileError::new(
                code::TOO_LARGE,
                format!(
                    "`{text}` is {} directories deep that do not exist; one call makes at most {MOST_DEPTH}",
                    inner.len() + 1
                ),
                "Make the outer ones first with `create_directory`.",
            ));
        }
        Ok((free(slot, text)?, inner))
    }

    /// Fails if a tree that goes elsewhere contains a file with a second hard link, and the
    /// settings forbid reading such files: at the new place it could be read (FS-12).
    pub(crate) fn check_hard_links(&self, seen: &Tree, shown: &str) -> Result<(), FileError> {
        if seen.hard_links == 0 || self.settings.hardlinks != HardLinks::Deny {
            return Ok(());
        }
        Err(FileError::new(
            code::HARD_LINK,
            format!(
                "`{shown}` is or contains a file with several names (hard links), which may be outside of every root"
            ),
            "Ask the user to set `hardlinks` to `read` and call again, or work without the file.",
        ))
    }

    /// Returns why something that is removed can't be kept: there is no journal, it is too large,
    /// or it can't be copied to the file system of the journal.
    pub(crate) fn unkept(&self, slot: &Slot, seen: &Tree, shown: &str) -> Option<KeepError> {
        let Some(journal) = self.server.journal.as_ref() else { return Some(no_journal()) };
        if let Err(unkept) = journal.check_room(Journal::needed_room(seen.bytes, seen.entries()), shown) {
            return Some(unkept);
        }
        let is_elsewhere = journal.folder.facts.device != slot.folder.facts.device;
        (seen.specials > 0 && is_elsewhere).then(|| KeepError {
            code: code::OTHER_FILE_SYSTEM,
            why: format!(
                "`{shown}` is or contains a pipe, a socket or a device, which can't be kept in a journal on another file system"
            ),
            instead: "Name the other entries one by one, or ask the user to delete it.",
        })
    }

    /// Fails if the journal can't keep so many bytes, or if there is none.
    pub(crate) fn check_room(&self, bytes: u64, shown: &str) -> Result<(), KeepError> {
        self.server.journal.as_ref().map_or(Err(no_journal()), |journal| journal.check_room(bytes, shown))
    }

    /// Refuses a change that can't be undone, or lets a person be asked about it, as the operator
    /// has set it.
    pub(crate) fn refuse_or_ask(&self, unkept: KeepError) -> Result<Irreversible, FileError> {
        match self.settings.irreversible {
            Irreversibles::Refuse => Err(unkept.into()),
            Irreversibles::Ask => Ok(unkept.into()),
        }
    }
}

fn no_journal() -> KeepError {
    KeepError {
        code: code::NOT_KEPT,
        why: "this server keeps no journal (`journal_max_bytes` is 0)".to_owned(),
        instead: "Ask the user to start the server with a journal.",
    }
}

fn free(slot: Slot, text: &str) -> Result<Slot, FileError> {
    if is_ours(&slot.name) {
        return Err(FileError::new(
            code::INVALID_PATH,
            format!("`{text}` has a name that this server uses for unfinished files"),
            "Choose another name.",
        ));
    }
    Ok(slot)
}
