//! Removes a folder with everything in it, by handles. No link is followed, and no other file
//! system is entered.
use std::os::fd::AsFd as _;

use rustix::fs::{Dir, FileType};
use rustix::io::Errno;

use super::super::access::{Folder, Kind};
use super::super::error::FileError;
use super::disk::Disk;

/// Most nested folders, all of which are held open.
pub(crate) const MOST_DEPTH: usize = 256;

/// Removes the entry at a name. A missing entry is not an error.
pub(crate) fn all(disk: &Disk, folder: &Folder, name: &str) -> Result<(), FileError> {
    match folder.entry_facts(name)? {
        None => Ok(()),
        Some(facts) if facts.kind == Kind::Folder => inside(disk, folder, name),
        Some(_) => disk.remove(folder, name).map_err(|errno| FileError::system(errno, name)),
    }
}

/// Removes depth first. Re-reads a folder after each subfolder, so no list of names is kept.
fn inside(disk: &Disk, folder: &Folder, name: &str) -> Result<(), FileError> {
    let failed = |errno| FileError::system(errno, name);
    let mut open = vec![(folder.child_folder_here(name)?, name.to_owned())];
    while let Some((inner, _)) = open.last() {
        let mut deeper = None;
        for entry in Dir::read_from(inner.as_fd()).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let child = entry.file_name();
            if child == c"." || child == c".." {
                continue;
            }
            let Ok(child) = child.to_str() else {
                // Another program put this here, and it was never decided whether it may be
                // removed.
                return Err(failed(Errno::ILSEQ));
            };
            let is_folder = match entry.file_type() {
                FileType::Directory => true,
                FileType::Unknown => {
                    inner.entry_facts(child)?.is_some_and(|facts| facts.kind == Kind::Folder)
                }
                _ => false,
            };
            if is_folder && disk.remove_folder(inner, child).is_err() {
                deeper = Some(child.to_owned());
                break;
            }
            if !is_folder {
                disk.remove(inner, child).map_err(failed)?;
            }
        }
        if let Some(child) = deeper {
            if open.len() >= MOST_DEPTH {
                return Err(failed(Errno::NAMETOOLONG));
            }
            let next = open.last().map(|(inner, _)| inner.child_folder_here(&child)).transpose()?;
            open.extend(next.map(|next| (next, child)));
            continue;
        }
        let Some((_, done)) = open.pop() else { break };
        let parent = open.last().map_or(folder, |(parent, _)| parent);
        disk.remove_folder(parent, &done).map_err(failed)?;
    }
    Ok(())
}
