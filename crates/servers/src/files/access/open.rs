//! The system calls that open. Every one begins at a handle, stays beneath it, follows no link of
//! `/proc`, waits for no pipe, and is given up after a bounded number of tries when another program
//! keeps renaming what it walks through.
use std::io::IoSliceMut;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{self, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::facts::Facts;

/// Whether symbolic links on the way, and at the end, are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    Refuse,
    FollowBeneath,
}

/// Whether another file system may be on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mounts {
    Cross,
    Stay,
}

/// A program that renames on the way at full speed makes the system say `try again`; nothing else
/// is ever tried instead.
pub(super) const MOST_TRIES: usize = 128;

/// What an open has that can read: no terminal becomes ours, and no pipe makes us wait.
const READING: OFlags = OFlags::NOCTTY.union(OFlags::NONBLOCK);

/// Opens what stands beneath a folder. `inner` has no `..`; empty, it is the folder itself.
pub(super) fn beneath(
    folder: BorrowedFd<'_>,
    inner: &str,
    flags: OFlags,
    links: Links,
    mounts: Mounts,
) -> Result<OwnedFd, Errno> {
    let inner = if inner.is_empty() { "." } else { inner };
    let reading = if flags.contains(OFlags::PATH) { OFlags::empty() } else { READING };
    let flags = flags | reading | OFlags::CLOEXEC;
    let mut resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    if links == Links::Refuse {
        resolve |= ResolveFlags::NO_SYMLINKS;
    }
    if mounts == Mounts::Stay {
        resolve |= ResolveFlags::NO_XDEV;
    }
    for _ in 0..MOST_TRIES {
        match fs::openat2(folder, inner, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            opened => return opened,
        }
    }
    Err(Errno::AGAIN)
}

/// Opens for reading what can be reached without waiting: all names on the way are known to the
/// system, none is a link, and none is on another file system. None of anything else, whatever it
/// is.
pub(super) fn at_once(folder: BorrowedFd<'_>, inner: &str) -> Option<OwnedFd> {
    let resolve = ResolveFlags::BENEATH
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_XDEV
        | ResolveFlags::CACHED;
    let flags = OFlags::RDONLY | READING | OFlags::CLOEXEC;
    fs::openat2(folder, inner, flags, Mode::empty(), resolve).ok()
}

/// The first bytes of a regular file, if the system has as many in its memory.
pub(super) fn read_at_once(file: impl AsFd, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    let flags = rustix::io::ReadWriteFlags::NOWAIT;
    let count = rustix::io::preadv2(file, &mut [IoSliceMut::new(&mut bytes)], 0, flags).ok()?;
    (count == length).then_some(bytes)
}

/// Whether what this file system holds can be opened and looked at without asking another machine
/// or another program.
pub(super) fn is_local(handle: impl AsFd) -> bool {
    // btrfs, ext, f2fs, overlayfs, tmpfs and XFS, as `statfs` numbers them.
    const LOCAL: [u64; 6] = [0x9123_683E, 0xEF53, 0xF2F5_2010, 0x794C_7630, 0x0102_1994, 0x5846_5342];
    fs::fstatfs(handle).is_ok_and(|found| u64::try_from(found.f_type).is_ok_and(|kind| LOCAL.contains(&kind)))
}

/// Opens one name in a folder, itself and not what it links to.
pub(super) fn child(folder: BorrowedFd<'_>, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    beneath(folder, one(name)?, flags, Links::Refuse, Mounts::Cross)
}

/// Opens a name in a folder, if no other file system is mounted there.
pub(super) fn child_here(folder: BorrowedFd<'_>, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    beneath(folder, one(name)?, flags, Links::Refuse, Mounts::Stay)
}

/// One name can't lead anywhere else once links are refused.
fn one(name: &str) -> Result<&str, Errno> {
    if name.is_empty() || name == "." || name == ".." || name.contains('/') {
        return Err(Errno::INVAL);
    }
    Ok(name)
}

pub(super) fn facts(handle: impl AsFd) -> Result<Facts, Errno> {
    fs::fstat(handle).map(|stat| Facts::of(&stat))
}

/// What a name in a folder stands for, itself and not what it links to. None if there is nothing.
pub(super) fn facts_of(folder: BorrowedFd<'_>, name: &str) -> Result<Option<Facts>, Errno> {
    match fs::statat(folder, name, fs::AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(Facts::of(&stat))),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Where a handle is now, as the system names it. None if the name is not text. A file that was
/// deleted or replaced has a name that only looks like one (`x (deleted)`), so a caller that uses
/// the name opens it again and compares.
pub(super) fn where_is(handle: impl AsFd) -> Option<String> {
    let link = format!("/proc/self/fd/{}", handle.as_fd().as_raw_fd());
    fs::readlink(link, Vec::new()).ok()?.into_string().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What needs no waiting is held to the same bounds: no link, nothing outside.
    #[test]
    fn at_once_follows_no_link_and_stays() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("root");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::write(root.join("sub/file"), "text").unwrap();
        std::fs::write(place.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink("sub", root.join("link")).unwrap();
        std::os::unix::fs::symlink("../secret", root.join("out")).unwrap();
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = fs::open(&root, flags, Mode::empty()).unwrap();
        for inner in ["link/file", "out", "../secret", "sub/../../secret", "/etc/passwd", "none"] {
            assert!(at_once(folder.as_fd(), inner).is_none(), "{inner}");
        }
        // The system may have forgotten the name meanwhile, or never keep any.
        if let Some(file) = at_once(folder.as_fd(), "sub/file") {
            assert!(read_at_once(&file, 4).is_none_or(|bytes| bytes == b"text"));
            assert!(read_at_once(&file, 5).is_none(), "there is no fifth byte");
        }
    }
}
