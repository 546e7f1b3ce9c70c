//! Removes, moves, copies and restores whole entries. Each appears or disappears under its name in
//! one step.
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

/// Removes the entry at a slot, with everything in it.
#[derive(Debug)]
pub(crate) struct Remove {
    pub(crate) slot: Slot,
    pub(crate) scanned: Tree,
    pub(crate) shown: String,
    pub(crate) keeping: Retention,
}

/// What happens to a file or folder that a change removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Retention {
    /// It is moved to the journal.
    Kept,
    /// It is removed for good, and a person agreed to that.
    Lost(Irreversible),
}

/// Moves or renames an entry.
#[derive(Debug)]
pub(crate) struct Move {
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) scanned: Tree,
    pub(crate) shown: String,
    pub(crate) shown_to: String,
}

/// Copies an entry.
#[derive(Debug)]
pub(crate) struct Copy {
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) scanned: Tree,
    pub(crate) shown: String,
    pub(crate) shown_to: String,
}

/// Restores what an earlier change removed.
#[derive(Debug)]
pub(crate) struct Restore {
    /// The id of the earlier change.
    pub(crate) id: String,
    pub(crate) to: Slot,
    pub(crate) print: String,
    pub(crate) bytes: u64,
    pub(crate) shown: String,
}

/// What making any change needs.
#[derive(Clone, Copy)]
pub(super) struct ChangeContext<'a> {
    pub(super) disk: &'a Disk,
    pub(super) journal: Option<(&'a Journal, &'a str)>,
    pub(super) view: &'a View,
    pub(super) stop: &'a Stop,
}

/// Bytes that a copy may exceed the planned size by, so that a file that grows a little does not
/// make the change fail.
const SLACK: u64 = 1 << 20;

impl Remove {
    pub(super) fn perform(&self, making: ChangeContext<'_>) -> Result<(), ChangeError> {
        check_unchanged(making, &self.slot, &self.scanned, TreePurpose::Change, &self.shown)?;
        let (folder, name) = (&self.slot.folder, &*self.slot.name);
        let Some((journal, id)) = making.journal.filter(|_| self.keeping == Retention::Kept) else {
            return remove_for_good(making, (folder, name), &self.scanned, &self.shown);
        };
        let kept = Journal::kept_name(id);
        match making.disk.rename((folder, name), (&journal.folder, &kept), Overwrite::Nothing) {
            Ok(()) => confirm(making.disk, &[folder, &journal.folder], &self.shown),
            Err(Errno::XDEV) => {
                let to = (&journal.folder, &*kept);
                copy_across_file_systems(making, (folder, name), to, self.scanned.bytes, &self.shown)?;
                // The copy lacks what another program wrote while it was made.
                check_unchanged(making, &self.slot, &self.scanned, TreePurpose::Change, &self.shown)
                    .inspect_err(|_| {
                        let _ = remove::all(making.disk, &journal.folder, &kept);
                    })?;
                let gone = remove_for_good(making, (folder, name), &self.scanned, &self.shown);
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
        check_unchanged(making, &self.from, &self.scanned, TreePurpose::Change, &self.shown)?;
        in_place(&self.to.folder, &self.shown_to)?;
        let from = (&self.from.folder, &*self.from.name);
        let to = (&self.to.folder, &*self.to.name);
        let over = if self.is_same_name() { Overwrite::Anything } else { Overwrite::Nothing };
        match making.disk.rename(from, to, over) {
            Ok(()) => confirm(making.disk, &[from.0, to.0], &self.shown),
            Err(Errno::XDEV) => {
                // The original stays until the copy is complete (FS-28).
                copy_across_file_systems(making, from, to, self.scanned.bytes, &self.shown_to)?;
                check_unchanged(making, &self.from, &self.scanned, TreePurpose::Change, &self.shown)
                    .inspect_err(|_| {
                        let _ = remove::all(making.disk, to.0, to.1);
                    })?;
                let gone = remove_for_good(making, from, &self.scanned, &self.shown);
                if gone.as_ref().is_err_and(|failed| !failed.is_made) {
                    let _ = remove::all(making.disk, to.0, to.1);
                }
                gone
            }
            Err(errno) => Err(not_made(renaming(errno, &self.shown, &self.shown_to))),
        }
    }

    /// Whether only the case of the name changes, on a file system that ignores case.
    fn is_same_name(&self) -> bool {
        is_same_name(&self.from, &self.to)
    }
}

/// Whether two names differ only in case and mean the same entry on this file system.
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
        check_unchanged(making, &self.from, &self.scanned, TreePurpose::See, &self.shown)?;
        in_place(&self.to.folder, &self.shown_to)?;
        let (from, to) = ((&self.from.folder, &*self.from.name), (&self.to.folder, &*self.to.name));
        copy_into_place(making, Some(making.view), self.scanned.bytes, &self.shown_to, from, to)
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
            Err(Errno::XDEV) => copy_across_file_systems(making, from, to, self.bytes, &self.shown),
            Err(errno) => Err(not_made(renaming(errno, &self.shown, &self.shown))),
        }
    }
}

/// Fails if the entry differs from what the plan saw.
fn check_unchanged(
    making: ChangeContext<'_>,
    slot: &Slot,
    scanned: &Tree,
    want: TreePurpose,
    shown: &str,
) -> Result<(), ChangeError> {
    in_place(&slot.folder, shown)?;
    let scan = TreeScan { view: Some(making.view), want, target: None, shown, stop: making.stop };
    let now = tree::scan_tree(&slot.folder, &slot.name, scan).map_err(not_made)?;
    if now.identity == scanned.identity { Ok(()) } else { Err(not_made(FileError::conflict(shown))) }
}

fn in_place(folder: &Folder, shown: &str) -> Result<(), ChangeError> {
    if folder.is_in_place() { Ok(()) } else { Err(not_made(FileError::conflict(shown))) }
}

/// Copies an entry to another file system, with its ownership.
fn copy_across_file_systems(
    making: ChangeContext<'_>,
    from: (&Folder, &str),
    to: (&Folder, &str),
    bytes: u64,
    shown: &str,
) -> Result<(), ChangeError> {
    copy_into_place(making, None, bytes, shown, from, to)
}

/// Copies an entry under a temporary name, and then gives it its own name.
fn copy_into_place(
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

/// Removes an entry for good. It disappears in one step, and its contents are removed afterwards.
/// Another program may have changed it after the last check. So it is checked again under a name
/// that no other program knows, and put back if it differs from what was seen.
fn remove_for_good(
    making: ChangeContext<'_>,
    at: (&Folder, &str),
    scanned: &Tree,
    shown: &str,
) -> Result<(), ChangeError> {
    let (disk, (folder, name)) = (making.disk, at);
    let failed = |errno| not_made(FileError::system(errno, shown));
    let aside = temp::removal_name(scanned).map_err(failed)?;
    let swept = temp::name().map_err(failed)?;
    match disk.rename(at, (folder, &aside), Overwrite::Nothing) {
        Ok(()) => {}
        // overlayfs can't rename a folder of a lower layer (I-06). A removal piece by piece can't
        // be reverted, so it counts as made from the first piece on.
        Err(Errno::XDEV) if scanned.kind == Kind::Folder => {
            remove::all(disk, folder, name).map_err(|error| in_part(&error, shown))?;
            return confirm(disk, &[folder], shown);
        }
        Err(errno) => return Err(failed(errno)),
    }
    if !tree::print(folder, &aside).is_ok_and(|now| now == scanned.print) {
        return Err(put_back(disk, folder, &aside, name, shown));
    }
    // From here on a sweep may remove it, even in part.
    let is_swept = disk.rename((folder, &aside), (folder, &swept), Overwrite::Nothing).is_ok();
    drop(remove::all(disk, folder, if is_swept { &swept } else { &aside }));
    confirm(disk, &[folder], shown)
}

/// Gives another program's entry its name back.
fn put_back(disk: &Disk, folder: &Folder, aside: &str, name: &str, shown: &str) -> ChangeError {
    match disk.rename((folder, aside), (folder, name), Overwrite::Nothing) {
        Ok(()) => not_made(FileError::conflict(shown)),
        // The other program has written a new entry at the name, so the one set aside is obsolete.
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
