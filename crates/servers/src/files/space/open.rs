//! The system calls that open. Every one begins at a handle, stays beneath it, follows no link of `/proc`, waits for no pipe, and
//! is given up after a bounded number of tries when somebody keeps renaming what it walks through.
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

/// Somebody who renames on the way at full speed makes the system say `try again`; nothing else is ever tried instead.
const MOST_TRIES: usize = 128;

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

/// Opens one name in a folder, itself and not what it links to.
pub(super) fn child(folder: BorrowedFd<'_>, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    beneath(folder, one(name)?, flags, Links::Refuse, Mounts::Cross)
}

/// The same, if no other file system is mounted there.
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

/// Where a handle is now, as the system names it. None if it has no name any more, or one that is no text.
pub(super) fn where_is(handle: impl AsFd) -> Option<String> {
    let link = format!("/proc/self/fd/{}", handle.as_fd().as_raw_fd());
    fs::readlink(link, Vec::new()).ok()?.into_string().ok()
}
