//! From a path to an open handle and the real path of what it is a handle of. A path without links
//! is what it is called. Where links are on the way, the system names the place that they led to;
//! that name counts only if it stands for the very file that was opened, by device and inode
//! (I-01).
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::super::error::{FileError, code};
use super::open::{self, Links, MOST_TRIES, Mounts};
use super::path::AbsolutePath;
use super::roots::RootDir;
use super::rules::PathAccess;
use super::view::View;

/// Where an open file is, by the name that the system gives for its handle.
enum HandleLocation {
    /// The name stands for the file that the handle is a handle of.
    At(AbsolutePath),
    /// The file was deleted, replaced or moved since it was opened.
    Replaced,
    /// It is not in the folder that it was reached from.
    Outside,
}

impl View {
    /// Opens a path that a client wrote. It is decided as it was written and, if links were on the
    /// way, as it is.
    pub(super) fn open(
        &self,
        text: &str,
        flags: OFlags,
        want: PathAccess,
    ) -> Result<(OwnedFd, AbsolutePath), FileError> {
        let path = self.absolute(text)?;
        self.decide(&path, want, text)?;
        let (handle, real) = self.open_whole(&path, flags, Mounts::Cross, text)?;
        if real != path {
            self.decide(&real, want, text)?;
        }
        Ok((handle, real))
    }

    /// Opens a decided path. What comes back is where it led to, which is still to be decided.
    pub(super) fn open_whole(
        &self,
        path: &AbsolutePath,
        flags: OFlags,
        mounts: Mounts,
        shown: &str,
    ) -> Result<(OwnedFd, AbsolutePath), FileError> {
        let (root_dir, inner) = self.roots.root_dir_of(path).ok_or_else(|| FileError::outside(shown))?;
        root_dir.check()?;
        match open::beneath(root_dir.handle(), inner, flags, Links::Refuse, mounts) {
            // No link was followed: it is what it is called.
            Ok(handle) => Ok((handle, path.clone())),
            Err(Errno::LOOP) => self.follow(root_dir, inner, flags, mounts, shown),
            Err(errno) => Err(refused(root_dir, inner, errno, mounts, shown)),
        }
    }

    /// There are links on the way: they are followed as long as they stay. A file that is replaced
    /// while it is opened is opened again.
    fn follow(
        &self,
        root_dir: &RootDir,
        inner: &str,
        flags: OFlags,
        mounts: Mounts,
        shown: &str,
    ) -> Result<(OwnedFd, AbsolutePath), FileError> {
        for _ in 0..MOST_TRIES {
            let opened = open::beneath(root_dir.handle(), inner, flags, Links::FollowBeneath, mounts);
            let handle = opened.map_err(|errno| match self.decide_on_the_way(root_dir, inner, shown) {
                Ok(()) => refused(root_dir, inner, errno, mounts, shown),
                Err(hidden) => hidden,
            })?;
            match locate(root_dir, &handle) {
                HandleLocation::At(real) => return Ok((handle, real)),
                HandleLocation::Replaced => {}
                HandleLocation::Outside => return Err(FileError::outside(shown)),
            }
        }
        Err(FileError::replaced(shown))
    }

    /// Of a path that can't be opened and has links in it, whether the place that it names is
    /// hidden: what is there, and whether anything is, stays unknown to the client.
    fn decide_on_the_way(&self, root_dir: &RootDir, inner: &str, shown: &str) -> Result<(), FileError> {
        let ends = inner.rmatch_indices('/').map(|(end, _)| end);
        for end in [inner.len()].into_iter().chain(ends) {
            let Some(real) = follow_part(root_dir, &inner[..end], shown)? else { continue };
            let rest = inner[end..].split('/').filter(|name| !name.is_empty());
            return self.decide(&rest.fold(real, |path, name| path.child(name)), PathAccess::See, shown);
        }
        Ok(())
    }
}

/// Where a part of a path leads to. None if it leads nowhere, or out of the folder.
fn follow_part(root_dir: &RootDir, part: &str, shown: &str) -> Result<Option<AbsolutePath>, FileError> {
    for _ in 0..MOST_TRIES {
        let opened =
            open::beneath(root_dir.handle(), part, OFlags::PATH, Links::FollowBeneath, Mounts::Cross);
        let Ok(found) = opened else { return Ok(None) };
        match locate(root_dir, &found) {
            HandleLocation::At(real) => return Ok(Some(real)),
            HandleLocation::Replaced => {}
            HandleLocation::Outside => return Ok(None),
        }
    }
    Err(FileError::replaced(shown))
}

/// The path of an open file, if a second look finds the same file there.
fn locate(root_dir: &RootDir, handle: &OwnedFd) -> HandleLocation {
    let Some(real) = open::where_is(handle).and_then(|real| AbsolutePath::from_system(&real)) else {
        return HandleLocation::Outside;
    };
    let Some(inner) = root_dir.path().inner(&real) else { return HandleLocation::Outside };
    let again = open::beneath(root_dir.handle(), inner, OFlags::PATH, Links::Refuse, Mounts::Cross);
    let facts = |handle: &OwnedFd| open::facts(handle.as_fd());
    match (again.and_then(|again| facts(&again)), facts(handle)) {
        (Ok(again), Ok(opened)) if again.is_same(&opened) => HandleLocation::At(real),
        _ => HandleLocation::Replaced,
    }
}

fn refused(root_dir: &RootDir, inner: &str, errno: Errno, mounts: Mounts, shown: &str) -> FileError {
    if errno == Errno::XDEV && mounts == Mounts::Stay {
        let crossing =
            open::beneath(root_dir.handle(), inner, OFlags::PATH, Links::FollowBeneath, Mounts::Cross);
        if crossing.is_ok() {
            return FileError::new(
                code::OTHER_FILE_SYSTEM,
                format!("`{shown}` is on another file system that is mounted inside the root"),
                "This server does not move or delete across a mount; ask the user to do it.",
            );
        }
    }
    FileError::system(errno, shown)
}
