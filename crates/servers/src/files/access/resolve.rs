//! Opens a path and finds the real path of what was opened. Without links, that is the path as
//! written. If there are links on the way, the system reports where they led. This path counts only
//! if it belongs to the very file that was opened, by device and inode (I-01).
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::super::error::{FileError, code};
use super::open::{self, Links, MOST_TRIES, Mounts};
use super::path::AbsolutePath;
use super::roots::RootDir;
use super::rules::PathAccess;
use super::view::View;

/// Where an open file is, by the path that the system reports for its handle.
enum HandleLocation {
    /// The path belongs to the open file.
    At(AbsolutePath),
    /// The file was deleted, replaced or moved after it was opened.
    Replaced,
    /// The file is not in the folder from which it was reached, or its path is not UTF-8.
    Outside,
}

impl View {
    /// Opens a client's path. The path is decided as written and, if it contains links, also by
    /// where it led.
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

    /// Opens a path that was decided as written, and returns where it led. The caller must decide
    /// about that place too.
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
            // No link was followed, so the real path is the path as written.
            Ok(handle) => Ok((handle, path.clone())),
            Err(Errno::LOOP) => self.follow(root_dir, inner, flags, mounts, shown),
            Err(errno) => Err(refused(root_dir, inner, errno, mounts, shown)),
        }
    }

    /// Opens a path with links, which must stay in the folder. If the file is replaced meanwhile,
    /// opens it again.
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

    /// Decides about a path that contains links and can't be opened. If the place that it names is
    /// hidden, the client must not learn what is there, or whether anything is.
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

/// Returns where a part of a path leads. `None` if it leads nowhere, or out of the folder.
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

/// Returns the path of an open file, if opening that path again finds the same file.
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
