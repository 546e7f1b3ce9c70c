//! The system calls that open files. Every one begins at a handle, stays beneath it, follows no
//! link of `/proc` and waits for no pipe. If another program keeps renaming things on the way, the
//! call gives up after a bounded number of tries.
use std::io::IoSliceMut;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::{self, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use super::facts::Facts;

/// Whether symbolic links are followed, both on the way and at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    Refuse,
    FollowBeneath,
}

/// Whether the path may cross into another file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mounts {
    Cross,
    Stay,
}

/// Most tries of one open. The system says `try again` when another program renames things on the
/// way at full speed. Every try makes the same call; there is no fallback.
pub(super) const MOST_TRIES: usize = 128;

/// Flags of every open for reading: no terminal becomes the controlling terminal, and no pipe
/// blocks.
const READING: OFlags = OFlags::NOCTTY.union(OFlags::NONBLOCK);

/// Opens a path beneath a folder. `inner` has no `..`; if it is empty, the folder itself is opened.
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

/// Opens a file for reading if that needs no waiting: the system has every name on the way in its
/// cache, no name is a link, and none is on another file system. Returns `None` in all other cases.
pub(super) fn at_once(folder: BorrowedFd<'_>, inner: &str) -> Option<OwnedFd> {
    let resolve = ResolveFlags::BENEATH
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_XDEV
        | ResolveFlags::CACHED;
    let flags = OFlags::RDONLY | READING | OFlags::CLOEXEC;
    fs::openat2(folder, inner, flags, Mode::empty(), resolve).ok()
}

/// Reads the first `length` bytes of a regular file, if the system has all of them in memory.
pub(super) fn read_at_once(file: impl AsFd, length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    let flags = rustix::io::ReadWriteFlags::NOWAIT;
    let count = rustix::io::preadv2(file, &mut [IoSliceMut::new(&mut bytes)], 0, flags).ok()?;
    (count == length).then_some(bytes)
}

/// Whether files of this file system can be opened and inspected without asking another machine or
/// another program.
pub(super) fn is_local(handle: impl AsFd) -> bool {
    // The `statfs` numbers of btrfs, ext, f2fs, overlayfs, tmpfs and XFS.
    const LOCAL: [u64; 6] = [0x9123_683E, 0xEF53, 0xF2F5_2010, 0x794C_7630, 0x0102_1994, 0x5846_5342];
    fs::fstatfs(handle).is_ok_and(|found| u64::try_from(found.f_type).is_ok_and(|kind| LOCAL.contains(&kind)))
}

/// Opens an entry of a folder. Links are refused.
pub(super) fn child(folder: BorrowedFd<'_>, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    beneath(folder, one(name)?, flags, Links::Refuse, Mounts::Cross)
}

/// Opens an entry of a folder, if no other file system is mounted there. Links are refused.
pub(super) fn child_here(folder: BorrowedFd<'_>, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    beneath(folder, one(name)?, flags, Links::Refuse, Mounts::Stay)
}

/// Checks that `name` is a single name. A single name can't lead elsewhere once links are refused.
fn one(name: &str) -> Result<&str, Errno> {
    if name.is_empty() || name == "." || name == ".." || name.contains('/') {
        return Err(Errno::INVAL);
    }
    Ok(name)
}

pub(super) fn facts(handle: impl AsFd) -> Result<Facts, Errno> {
    fs::fstat(handle).map(|stat| Facts::of(&stat))
}

/// Returns the facts of an entry of a folder, without following a link. `None` if it does not
/// exist.
pub(super) fn facts_of(folder: BorrowedFd<'_>, name: &str) -> Result<Option<Facts>, Errno> {
    match fs::statat(folder, name, fs::AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(Facts::of(&stat))),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Returns the current path of a handle, as the system reports it, or `None` if it is not UTF-8.
/// For a deleted or replaced file the result only looks like a path (`x (deleted)`), so a caller
/// that uses the path must open it again and compare.
pub(super) fn where_is(handle: impl AsFd) -> Option<String> {
    let link = format!("/proc/self/fd/{}", handle.as_fd().as_raw_fd());
    fs::readlink(link, Vec::new()).ok()?.into_string().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opening without waiting obeys the same bounds: no link, nothing outside the folder.
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
        // The system may have dropped the name from its cache, or may cache none at all.
        if let Some(file) = at_once(folder.as_fd(), "sub/file") {
            assert!(read_at_once(&file, 4).is_none_or(|bytes| bytes == b"text"));
            assert!(read_at_once(&file, 5).is_none(), "there is no fifth byte");
        }
    }
}
