//! Scans everything beneath a name before any of it is changed: what it is, how much, and whether
//! all of it may be changed. Memory does not grow with the number of files, except for the names in
//! the folders on the current path.
use std::os::fd::AsFd as _;

use overt_wire::hex::hex;
use rustix::fs::{AtFlags, Dir, StatxAttributes, StatxFlags};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::super::access::{AbsolutePath, Facts, Folder, Kind, View};
use super::super::error::{FileError, code};
use super::super::work::Stop;
use super::remove::MOST_DEPTH;

/// What a scan is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TreePurpose {
    /// Moving or removing: one entry that must stay blocks the whole change (B-05). An entry that
    /// can't be seen blocks a move too, because other rules may apply at the destination.
    Change,
    /// Copying: entries that can't be seen are skipped.
    See,
    /// Entries of the server itself, which no rule decides about.
    Own,
}

/// The parameters of a scan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TreeScan<'a> {
    /// `None` if nothing is decided.
    pub(crate) view: Option<&'a View>,
    pub(crate) want: TreePurpose,
    /// The destination. Every name must be allowed there too.
    pub(crate) target: Option<&'a AbsolutePath>,
    /// The path as the client wrote it.
    pub(crate) shown: &'a str,
    pub(crate) stop: &'a Stop,
}

/// The findings of a scan.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub(crate) kind: Kind,
    pub(crate) files: u64,
    pub(crate) folders: u64,
    pub(crate) others: u64,
    pub(crate) bytes: u64,
    /// Fingerprint of names, kinds, sizes and times. A copy that kept them has the same one.
    pub(crate) print: String,
    /// Fingerprint that also covers what only this very entry has, such as device, inode and time
    /// of the last change.
    pub(crate) identity: String,
    /// What people are shown: the first entries, and totals.
    pub(crate) listed: overt_toolbox::Tree,
    /// The number of files with another hard link, which may be anywhere.
    pub(crate) hard_links: u64,
    /// The number of pipes, sockets and devices, which can't be copied.
    pub(crate) specials: u64,
}

/// Most entries of one tree.
const MOST_ENTRIES: u64 = 1_000_000;

/// A folder on the current path, with its remaining names in descending order.
struct Level {
    folder: Folder,
    names: Vec<String>,
    inner: String,
}

struct Walk<'a> {
    scan: TreeScan<'a>,
    tree: Tree,
    print: Sha256,
    identity: Sha256,
}

/// Scans the entry at a name in a folder.
pub(crate) fn scan_tree(folder: &Folder, name: &str, scan: TreeScan<'_>) -> Result<Tree, FileError> {
    let shown = scan.shown;
    let (facts, is_mount) =
        see(folder, name, shown)?.ok_or_else(|| FileError::system(Errno::NOENT, shown))?;
    let tree = Tree {
        kind: facts.kind,
        files: 0,
        folders: 0,
        others: 0,
        bytes: 0,
        print: String::new(),
        identity: String::new(),
        listed: overt_toolbox::Tree::new(),
        hard_links: 0,
        specials: 0,
    };
    let mut walk = Walk { scan, tree, print: Sha256::new(), identity: Sha256::new() };
    walk.take(folder, name, "", &facts, is_mount)?;
    if facts.kind == Kind::Folder {
        walk.inside(folder, name)?;
    }
    Ok(walk.finish())
}

/// Returns the fingerprint of the entry at a name, without deciding about it.
pub(super) fn print(folder: &Folder, name: &str) -> Result<String, FileError> {
    let scan =
        TreeScan { view: None, want: TreePurpose::Own, target: None, shown: name, stop: &Stop::default() };
    scan_tree(folder, name, scan).map(|tree| tree.print)
}

impl Walk<'_> {
    fn inside(&mut self, folder: &Folder, name: &str) -> Result<(), FileError> {
        let top = folder.child_folder_here(name).map_err(|error| self.named(error))?;
        let mut open = vec![self.level(top, String::new())?];
        while let Some(level) = open.last_mut() {
            let Some(name) = level.names.pop() else {
                open.pop();
                continue;
            };
            self.scan.stop.check()?;
            let inner = if level.inner.is_empty() { name.clone() } else { format!("{}/{name}", level.inner) };
            let path = level.folder.path.child(&name);
            if !self.may(&path, &inner)? {
                continue;
            }
            let Some((facts, is_mount)) = see(&level.folder, &name, self.scan.shown)? else { continue };
            self.take(&level.folder, &name, &inner, &facts, is_mount)?;
            if facts.kind == Kind::Folder {
                let next = level.folder.child_folder_here(&name).map_err(|error| self.named(error))?;
                if open.len() >= MOST_DEPTH {
                    return Err(self.too_large(&format!("is deeper than {MOST_DEPTH} directories")));
                }
                open.push(self.level(next, inner)?);
            }
        }
        Ok(())
    }

    fn level(&self, folder: Folder, inner: String) -> Result<Level, FileError> {
        let failed = |errno| FileError::system(errno, self.scan.shown);
        let mut names = Vec::new();
        for entry in Dir::read_from(folder.as_fd()).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            match entry.file_name().to_str() {
                Ok("." | "..") => {}
                Ok(name) => names.push(name.to_owned()),
                // An entry that can't be named can't be decided about. It must not be left out
                // silently.
                Err(_) => {
                    return Err(FileError::new(
                        code::NOT_ALLOWED,
                        format!(
                            "`{}` contains an entry whose name is not UTF-8; nothing was done",
                            self.scan.shown
                        ),
                        "Ask the user to rename it, or name the other entries one by one.",
                    ));
                }
            }
            if names.len() as u64 > MOST_ENTRIES {
                return Err(self.too_large(&format!("has more than {MOST_ENTRIES} entries")));
            }
        }
        names.sort_unstable_by(|one, other| other.cmp(one));
        Ok(Level { folder, names, inner })
    }

    /// Whether the scan includes the entry. Fails if the entry blocks the change.
    fn may(&self, path: &AbsolutePath, inner: &str) -> Result<bool, FileError> {
        let TreeScan { view, want, target, shown, .. } = self.scan;
        let Some(view) = view else { return Ok(true) };
        let is_there = want != TreePurpose::See || view.sees(path);
        let may =
            want != TreePurpose::Change || (view.may_change(path) && (target.is_none() || view.sees(path)));
        if is_there && may && target.is_none_or(|target| view.may_change(&target.child(inner))) {
            return Ok(true);
        }
        if !is_there {
            return Ok(false);
        }
        // The error does not name the entry, because the client may not be allowed to know of it.
        Err(FileError::new(
            code::IMMUTABLE,
            format!("`{shown}` contains something that is read-only or hidden by policy; nothing was done"),
            "Name the entries that may be changed one by one, or ask the user to change the policy.",
        ))
    }

    fn take(
        &mut self,
        folder: &Folder,
        name: &str,
        inner: &str,
        facts: &Facts,
        is_mount: bool,
    ) -> Result<(), FileError> {
        if is_mount {
            return Err(FileError::new(
                code::OTHER_FILE_SYSTEM,
                format!("another file system is mounted at or in `{}`", self.scan.shown),
                "This server does not move, copy or delete across a mount; ask the user to do it.",
            ));
        }
        let tree = &mut self.tree;
        let mut link = Vec::new();
        let mut size = 0;
        let mut modified = 0;
        match facts.kind {
            Kind::File => {
                tree.files += 1;
                tree.hard_links += u64::from(facts.links > 1);
                (size, modified) = (facts.size, facts.modified);
            }
            Kind::Folder => tree.folders += 1,
            Kind::Link => {
                tree.others += 1;
                let target = rustix::fs::readlinkat(folder, name, Vec::new());
                link = target.map_err(|errno| FileError::system(errno, self.scan.shown))?.into_bytes();
            }
            Kind::Other(_) => {
                tree.others += 1;
                tree.specials += 1;
            }
        }
        tree.bytes = tree.bytes.saturating_add(size);
        if tree.files + tree.folders + tree.others > MOST_ENTRIES {
            return Err(self.too_large(&format!("has more than {MOST_ENTRIES} entries")));
        }
        // The folder itself is shown on a line of its own.
        match facts.kind {
            _ if inner.is_empty() => {}
            Kind::File => tree.listed.file(inner, size),
            Kind::Folder => tree.listed.folder(inner),
            Kind::Link | Kind::Other(_) => tree.listed.other(inner),
        }
        let lead = format!("{}:{inner}:{}:{size}:{modified}:{}:", inner.len(), facts.kind.word(), link.len());
        let Facts { device, inode, changed, mode, uid, gid, .. } = facts;
        let own = format!("{device}:{inode}:{changed}:{mode}:{uid}:{gid};");
        for digest in [&mut self.print, &mut self.identity] {
            digest.update(&lead);
            digest.update(&link);
        }
        self.identity.update(own);
        Ok(())
    }

    fn finish(self) -> Tree {
        Tree { print: hex(&self.print.finalize()), identity: hex(&self.identity.finalize()), ..self.tree }
    }

    /// Adds to an error the path that the client wrote.
    fn named(&self, error: FileError) -> FileError {
        if error.code == code::OUTSIDE_ROOT {
            return FileError::new(
                code::OTHER_FILE_SYSTEM,
                format!("another file system is mounted in `{}`", self.scan.shown),
                "This server does not move, copy or delete across a mount; ask the user to do it.",
            );
        }
        FileError { problem: format!("`{}`: {}", self.scan.shown, error.problem), ..error }
    }

    fn too_large(&self, why: &str) -> FileError {
        FileError::new(
            code::TOO_LARGE,
            format!("`{}` {why}, which is too much for one call; nothing was done", self.scan.shown),
            "Name its parts one by one, or ask the user to do it.",
        )
    }
}

impl Tree {
    pub(crate) fn entries(&self) -> u64 {
        self.files + self.folders + self.others
    }
}

/// Returns the facts of an entry, without following a link, and whether it is a mount point.
fn see(folder: &Folder, name: &str, shown: &str) -> Result<Option<(Facts, bool)>, FileError> {
    let failed = |errno| FileError::system(errno, shown);
    let Some(facts) = folder
        .entry_facts(name)
        .map_err(|error| FileError { problem: format!("`{shown}`: {}", error.problem), ..error })?
    else {
        return Ok(None);
    };
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    match rustix::fs::statx(folder, name, flags, StatxFlags::empty()) {
        Ok(more) => Ok(Some((facts, more.stx_attributes.contains(StatxAttributes::MOUNT_ROOT)))),
        Err(Errno::NOENT) => Ok(None),
        // On a system that can't tell, an entry on another device is a mount point.
        Err(Errno::NOSYS) => Ok(Some((facts, facts.device != folder.facts.device))),
        Err(errno) => Err(failed(errno)),
    }
}
