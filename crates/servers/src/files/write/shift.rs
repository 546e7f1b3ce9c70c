//! Removes, moves, copies and brings back whole things: what goes or comes does so at once, under
//! its name or not at all.
use std::collections::HashMap;

use overt_toolbox::Irreversible;
use rustix::io::Errno;

use super::super::access::{Folder, Kind, Slot, View};
use super::super::error::FileError;
use super::super::journal::Journal;
use super::super::work::Stop;
use super::change_error::{ChangeError, unconfirmed};
use super::copy::Copying;
use super::disk::{Disk, Overwrite};
use super::tree::{self, Tree, TreePurpose, TreeScan};
use super::{remove, temp};

/// What stands at a slot, with everything in it, goes.
#[derive(Debug)]
pub(crate) struct Remove {
    pub(crate) slot: Slot,
    pub(crate) seen: Tree,
    pub(crate) shown: String,
    pub(crate) keeping: Retention,
}

/// What happens to a file or folder that a change removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Retention {
    /// It goes to the journal, where there is one.
    Kept,
    /// A change of ours had made it, and undoing that removes it for good: it is too large to be
    /// kept.
    MadeByUs,
    /// It is gone for good, and a person agreed to that.
    Lost(Irreversible),
}

/// It gets another name.
#[derive(Debug)]
pub(crate) struct Move {
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) seen: Tree,
    pub(crate) shown: String,
    pub(crate) shown_to: String,
}

/// It is there twice.
#[derive(Debug)]
pub(crate) struct Copy {
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) seen: Tree,
    pub(crate) shown: String,
    pub(crate) shown_to: String,
}

/// What an earlier change removed comes back.
#[derive(Debug)]
pub(crate) struct Restore {
    /// The earlier change.
    pub(crate) id: String,
    pub(crate) to: Slot,
    pub(crate) print: String,
    pub(crate) bytes: u64,
    pub(crate) shown: String,
}

/// What every change needs.
#[derive(Clone, Copy)]
pub(super) struct ChangeContext<'a> {
    pub(super) disk: &'a Disk,
    pub(super) journal: Option<(&'a Journal, &'a str)>,
    pub(super) view: &'a View,
    pub(super) stop: &'a Stop,
}

/// Bytes that may be copied beyond what was counted: a file that grows a little must not make the
/// change fail.
const SLACK: u64 = 1 << 20;

impl Remove {
    pub(super) fn perform(&self, making: ChangeContext<'_>) -> Result<(), ChangeError> {
        still(making, &self.slot, &self.seen, TreePurpose::Change, &self.shown)?;
        let (folder, name) = (&self.slot.folder, &*self.slot.name);
        let Some((journal, id)) = making.journal.filter(|_| self.keeping == Retention::Kept) else {
            return take_away(making, (folder, name), &self.seen, &self.shown);
        };
        let kept = Journal::kept_name(id);
        match making.disk.rename((folder, name), (&journal.folder, &kept), Overwrite::Nothing) {
            Ok(()) => confirm(making.disk, &[folder, &journal.folder], &self.shown),
            Err(Errno::XDEV) => {
                let to = (&journal.folder, &*kept);
                elsewhere(making, (folder, name), to, self.seen.bytes, &self.shown)?;
                // What another program wrote while it was copied is not in the copy.
                still(making, &self.slot, &self.seen, TreePurpose::Change, &self.shown).inspect_err(
                    |_| {
                        let _ = remove::all(making.disk, &journal.folder, &kept);
                    },
                )?;
                let gone = take_away(making, (folder, name), &self.seen, &self.shown);
                if gone.as_ref().is_err_and(|failed| !failed.is_made) {
                    let _ = remove::all(making.disk, &journal.folder, &kept);
                }
                gone
            }
            Err(errno) => Err(not_made(FileError::system(errno, &self.shown))),
        }
    }
}

impl Move {
    pub(super) fn perform(&self, making: ChangeContext<'_>) -> Result<(), ChangeError> {
        still(making, &self.from, &self.seen, TreePurpose::Change, &self.shown)?;
        in_place(&self.to.folder, &self.shown_to)?;
        let from = (&self.from.folder, &*self.from.name);
        let to = (&self.to.folder, &*self.to.name);
        let over = if self.is_same_name() { Overwrite::Anything } else { Overwrite::Nothing };
        match making.disk.rename(from, to, over) {
            Ok(()) => confirm(making.disk, &[from.0, to.0], &self.shown),
            Err(Errno::XDEV) => {
                // The old one stays until the new one is safely there (FS-28).
                elsewhere(making, from, to, self.seen.bytes, &self.shown_to)?;
                still(making, &self.from, &self.seen, TreePurpose::Change, &self.shown).inspect_err(
                    |_| {
                        let _ = remove::all(making.disk, to.0, to.1);
                    },
                )?;
                let gone = take_away(making, from, &self.seen, &self.shown);
                if gone.as_ref().is_err_and(|failed| !failed.is_made) {
                    let _ = remove::all(making.disk, to.0, to.1);
                }
                gone
            }
            Err(errno) => Err(not_made(renaming(errno, &self.shown, &self.shown_to))),
        }
    }

    /// Whether only the case of the name changes, where the file system takes both for the same.
    fn is_same_name(&self) -> bool {
        is_same_name(&self.from, &self.to)
    }
}

/// Whether two names differ only in case, and the file system takes both for the same.
pub(crate) fn is_same_name(from: &Slot, to: &Slot) -> bool {
    let (Some(one), Some(other)) = (from.now, to.now) else { return false };
    from.folder.facts.is_same(&to.folder.facts)
        && from.name != to.name
        && from.name.to_lowercase() == to.name.to_lowercase()
        && one.is_same(&other)
        && (one.links == 1 || one.kind == Kind::Folder)
}

impl Copy {
    pub(super) fn perform(&self, making: ChangeContext<'_>) -> Result<(), ChangeError> {
        still(making, &self.from, &self.seen, TreePurpose::See, &self.shown)?;
        in_place(&self.to.folder, &self.shown_to)?;
        let (from, to) = ((&self.from.folder, &*self.from.name), (&self.to.folder, &*self.to.name));
        beside(making, Some(making.view), self.seen.bytes, &self.shown_to, from, to)
    }
}

impl Restore {
    pub(super) fn perform(&self, making: ChangeContext<'_>, journal: &Journal) -> Result<(), ChangeError> {
        in_place(&self.to.folder, &self.shown)?;
        let kept = Journal::kept_name(&self.id);
        let (from, to) = ((&journal.folder, &*kept), (&self.to.folder, &*self.to.name));
        match making.disk.rename(from, to, Overwrite::Nothing) {
            Ok(()) => {
                journal.released(&self.id);
                confirm(making.disk, &[to.0, from.0], &self.shown)
            }
            Err(Errno::XDEV) => elsewhere(making, from, to, self.bytes, &self.shown),
            Err(errno) => Err(not_made(renaming(errno, &self.shown, &self.shown))),
        }
    }
}

/// Fails if what the plan saw is no longer what is there.
fn still(
    making: ChangeContext<'_>,
    slot: &Slot,
    seen: &Tree,
    want: TreePurpose,
    shown: &str,
) -> Result<(), ChangeError> {
    in_place(&slot.folder, shown)?;
    let looking = TreeScan { view: Some(making.view), want, target: None, shown, stop: making.stop };
    let now = tree::look(&slot.folder, &slot.name, looking).map_err(not_made)?;
    if now.identity == seen.identity { Ok(()) } else { Err(not_made(FileError::conflict(shown))) }
}

fn in_place(folder: &Folder, shown: &str) -> Result<(), ChangeError> {
    if folder.is_in_place() { Ok(()) } else { Err(not_made(FileError::conflict(shown))) }
}

/// Moves something to another file system.
fn elsewhere(
    making: ChangeContext<'_>,
    from: (&Folder, &str),
    to: (&Folder, &str),
    bytes: u64,
    shown: &str,
) -> Result<(), ChangeError> {
    beside(making, None, bytes, shown, from, to)
}

/// It is made under another name, and then gets its own.
fn beside(
    making: ChangeContext<'_>,
    view: Option<&View>,
    bytes: u64,
    shown: &str,
    from: (&Folder, &str),
    to: (&Folder, &str),
) -> Result<(), ChangeError> {
    let ChangeContext { disk, stop, .. } = making;
    let left = bytes.saturating_add(SLACK);
    let mut copying =
        Copying { disk, view, stop, shown, left, held: None, linked: HashMap::new(), top: None };
    let name = temp::name().map_err(|errno| not_made(FileError::system(errno, shown)))?;
    let made = copying.all(from, (to.0, &name)).and_then(|()| {
        disk.rename((to.0, &name), to, Overwrite::Nothing).map_err(|errno| renaming(errno, shown, shown))
    });
    if let Err(error) = made {
        let _ = remove::all(disk, to.0, &name);
        return Err(not_made(error));
    }
    confirm(disk, &[to.0], shown)
}

/// Removes for good. It disappears at once, and what is in it goes afterwards. Another program may
/// have changed it since it was looked at last, so it is looked at once more under a name that no
/// other program knows, and put back if it is not what was seen.
fn take_away(
    making: ChangeContext<'_>,
    at: (&Folder, &str),
    seen: &Tree,
    shown: &str,
) -> Result<(), ChangeError> {
    let (disk, (folder, name)) = (making.disk, at);
    let failed = |errno| not_made(FileError::system(errno, shown));
    let aside = temp::removal_name(seen).map_err(failed)?;
    let swept = temp::name().map_err(failed)?;
    match disk.rename(at, (folder, &aside), Overwrite::Nothing) {
        Ok(()) => {}
        // overlayfs can't rename a folder of a lower layer (I-06). What goes piece by piece can't
        // be put back, so it counts as made from its first piece on.
        Err(Errno::XDEV) if seen.kind == Kind::Folder => {
            remove::all(disk, folder, name).map_err(|error| in_part(&error, shown))?;
            return confirm(disk, &[folder], shown);
        }
        Err(errno) => return Err(failed(errno)),
    }
    if !tree::print(folder, &aside).is_ok_and(|now| now == seen.print) {
        return Err(put_back(disk, folder, &aside, name, shown));
    }
    // From now on it may be swept, also in part.
    let is_swept = disk.rename((folder, &aside), (folder, &swept), Overwrite::Nothing).is_ok();
    drop(remove::all(disk, folder, if is_swept { &swept } else { &aside }));
    confirm(disk, &[folder], shown)
}

/// Gives what another program wrote its name back.
fn put_back(disk: &Disk, folder: &Folder, aside: &str, name: &str, shown: &str) -> ChangeError {
    match disk.rename((folder, aside), (folder, name), Overwrite::Nothing) {
        Ok(()) => not_made(FileError::conflict(shown)),
        // They have written it once more, over what was taken aside.
        Err(Errno::EXIST) => {
            drop(remove::all(disk, folder, aside));
            not_made(FileError::conflict(shown))
        }
        Err(errno) => {
            let error = FileError::system(errno, shown);
            ChangeError {
                error: FileError::new(
                    error.code,
                    format!(
                        "`{shown}` was changed by somebody else meanwhile and can't be put back: {}",
                        error.problem
                    ),
                    format!(
                        "It is in the same directory under the name `{aside}`; ask the user to rename it."
                    ),
                ),
                is_made: true,
            }
        }
    }
}

fn in_part(error: &FileError, shown: &str) -> ChangeError {
    let error = FileError::new(
        error.code,
        format!("`{shown}` was removed only in part: {}", error.problem),
        "Delete what is left of it; undo this change then to get all of it back.",
    );
    ChangeError { error, is_made: true }
}

fn confirm(disk: &Disk, folders: &[&Folder], shown: &str) -> Result<(), ChangeError> {
    folders.iter().try_for_each(|folder| disk.sync_folder(folder)).map_err(|errno| unconfirmed(errno, shown))
}

fn renaming(errno: Errno, shown: &str, shown_to: &str) -> FileError {
    match errno {
        Errno::EXIST | Errno::NOTEMPTY => FileError::exists(shown_to),
        errno => FileError::system(errno, shown),
    }
}

fn not_made(error: FileError) -> ChangeError {
    ChangeError { error, is_made: false }
}
