//! The system calls of a change, each on an open folder and one name in it. Nothing else in the
//! server changes anything on a disk. A test can make any of them fail, or kill the process there.
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{
    self, AtFlags, FlockOperation, Gid, Mode, OFlags, RenameFlags, Timestamps, Uid, XattrFlags,
};
use rustix::io::Errno;

/// Makes the system calls. In tests, clones share one fault counter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Disk {
    durability: Durability,
    #[cfg(test)]
    pub(crate) fault: super::fault::Fault,
}

/// When a change must be on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Before the call ends.
    #[default]
    Fsync,
    /// When the system chooses.
    Rename,
}

/// What a rename does about an entry at the new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overwrite {
    Anything,
    Nothing,
    /// The entry must exist, and gets the old name.
    Exchanged,
}

/// Bytes per read or write.
pub(crate) const CHUNK: usize = 128 * 1024;

impl Disk {
    pub(crate) fn new(durability: Durability) -> Self {
        Self {
            durability,
            #[cfg(test)]
            fault: super::fault::Fault::default(),
        }
    }

    /// Injects the fault of a test; every system call begins here.
    #[cfg(test)]
    fn pass(&self) -> Result<(), Errno> {
        self.fault.pass()
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "tests let it fail")]
    #[inline]
    fn pass(&self) -> Result<(), Errno> {
        Ok(())
    }

    /// Creates a new file, accessible to us alone until its mode is set (FS-42).
    pub(crate) fn create(&self, folder: impl AsFd, name: &str) -> Result<File, Errno> {
        self.create_for(folder, name, 0o600)
    }

    /// Creates a new file with this mode, less the umask of the process.
    pub(super) fn create_for(&self, folder: impl AsFd, name: &str, mode: u32) -> Result<File, Errno> {
        self.pass()?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        fs::openat(folder, one(name)?, flags, Mode::from_raw_mode(mode)).map(File::from)
    }

    /// Creates a new folder.
    pub(crate) fn create_folder(&self, folder: impl AsFd, name: &str, mode: u32) -> Result<(), Errno> {
        self.pass()?;
        fs::mkdirat(folder, one(name)?, Mode::from_raw_mode(mode))
    }

    pub(super) fn create_link(&self, folder: impl AsFd, name: &str, target: &[u8]) -> Result<(), Errno> {
        self.pass()?;
        fs::symlinkat(target, folder, one(name)?)
    }

    pub(crate) fn read(&self, mut file: &File, into: &mut [u8]) -> Result<usize, Errno> {
        self.pass()?;
        loop {
            match io::Read::read(&mut file, into) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done.map_err(|error| errno(&error)),
            }
        }
    }

    pub(crate) fn write(&self, mut file: &File, bytes: &[u8]) -> Result<(), Errno> {
        for part in bytes.chunks(CHUNK) {
            self.pass()?;
            io::Write::write_all(&mut file, part).map_err(|error| errno(&error))?;
        }
        Ok(())
    }

    pub(crate) fn rewind(&self, mut file: &File) -> Result<(), Errno> {
        self.pass()?;
        io::Seek::rewind(&mut file).map_err(|error| errno(&error))
    }

    pub(super) fn set_mode(&self, file: impl AsFd, mode: u32) -> Result<(), Errno> {
        self.pass()?;
        fs::fchmod(file, Mode::from_raw_mode(mode))
    }

    pub(super) fn set_owner(&self, file: impl AsFd, uid: u32, gid: u32) -> Result<(), Errno> {
        self.pass()?;
        fs::fchown(file, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)))
    }

    pub(super) fn set_link_owner(
        &self,
        folder: impl AsFd,
        name: &str,
        uid: u32,
        gid: u32,
    ) -> Result<(), Errno> {
        self.pass()?;
        let (uid, gid) = (Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)));
        fs::chownat(folder, one(name)?, uid, gid, AtFlags::SYMLINK_NOFOLLOW)
    }

    pub(super) fn set_times(&self, file: impl AsFd, times: &Timestamps) -> Result<(), Errno> {
        self.pass()?;
        fs::futimens(file, times)
    }

    pub(super) fn set_attribute(&self, file: impl AsFd, name: &[u8], value: &[u8]) -> Result<(), Errno> {
        self.pass()?;
        fs::fsetxattr(file, name, value, XattrFlags::empty())
    }

    pub(super) fn remove_attribute(&self, file: impl AsFd, name: &[u8]) -> Result<(), Errno> {
        self.pass()?;
        fs::fremovexattr(file, name)
    }

    pub(super) fn set_link_times(
        &self,
        folder: impl AsFd,
        name: &str,
        times: &Timestamps,
    ) -> Result<(), Errno> {
        self.pass()?;
        fs::utimensat(folder, one(name)?, times, AtFlags::SYMLINK_NOFOLLOW)
    }

    /// Creates a hard link to a file.
    pub(super) fn link(&self, from: (impl AsFd, &str), to: (impl AsFd, &str)) -> Result<(), Errno> {
        self.pass()?;
        fs::linkat(from.0, one(from.1)?, to.0, one(to.1)?, AtFlags::empty())
    }

    /// Writes at an offset of a file.
    pub(super) fn write_at(&self, file: &File, bytes: &[u8], at: u64) -> Result<(), Errno> {
        self.pass()?;
        std::os::unix::fs::FileExt::write_all_at(file, bytes, at).map_err(|error| errno(&error))
    }

    pub(super) fn set_size(&self, file: &File, size: u64) -> Result<(), Errno> {
        self.pass()?;
        fs::ftruncate(file, size)
    }

    /// Locks a file, so that no sweeper removes it. If the file system has no locks, sweepers go by
    /// age alone.
    pub(crate) fn hold(&self, file: impl AsFd) -> Result<(), Errno> {
        self.pass()?;
        match fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::NOSYS | Errno::NOTSUP | Errno::NOLCK | Errno::INVAL) | Ok(()) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// Waits until the content of a file is on disk.
    pub(crate) fn sync(&self, file: impl AsFd) -> Result<(), Errno> {
        if self.durability == Durability::Rename {
            return Ok(());
        }
        self.pass()?;
        fs::fsync(file)
    }

    /// Waits until the entries of a folder are on disk.
    pub(crate) fn sync_folder(&self, folder: impl AsFd) -> Result<(), Errno> {
        if self.durability == Durability::Rename {
            return Ok(());
        }
        self.pass()?;
        // An `O_PATH` handle can't be synchronised.
        match fs::openat(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
            Ok(open) => fs::fsync(OwnedFd::as_fd(&open)),
            // A folder that can't be listed can still be written to.
            Err(Errno::ACCESS) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    pub(crate) fn rename(
        &self,
        from: (&impl AsFd, &str),
        to: (&impl AsFd, &str),
        over: Overwrite,
    ) -> Result<(), Errno> {
        self.pass()?;
        let flags = match over {
            Overwrite::Anything => RenameFlags::empty(),
            Overwrite::Nothing => RenameFlags::NOREPLACE,
            Overwrite::Exchanged => RenameFlags::EXCHANGE,
        };
        let (from, to) = ((from.0.as_fd(), one(from.1)?), (to.0.as_fd(), one(to.1)?));
        match fs::renameat_with(from.0, from.1, to.0, to.1, flags) {
            // Some file systems, such as NFS and 9p, have no rename that never replaces.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if over == Overwrite::Nothing => {
                rename_new(from, to)
            }
            done => done,
        }
    }

    pub(crate) fn remove(&self, folder: impl AsFd, name: &str) -> Result<(), Errno> {
        self.pass()?;
        fs::unlinkat(folder, one(name)?, AtFlags::empty())
    }

    pub(crate) fn remove_folder(&self, folder: impl AsFd, name: &str) -> Result<(), Errno> {
        self.pass()?;
        fs::unlinkat(folder, one(name)?, AtFlags::REMOVEDIR)
    }
}

/// Renames without replacing, for a file system that has no call for it: creates a hard link, then
/// removes the old name. For folders, and on file systems without hard links, another program could
/// create the new name between the check and the rename.
fn rename_new(from: (BorrowedFd<'_>, &str), to: (BorrowedFd<'_>, &str)) -> Result<(), Errno> {
    let about = fs::statat(from.0, from.1, AtFlags::SYMLINK_NOFOLLOW)?;
    if fs::FileType::from_raw_mode(about.st_mode) != fs::FileType::Directory {
        match fs::linkat(from.0, from.1, to.0, to.1, AtFlags::empty()) {
            Ok(()) => {
                return fs::unlinkat(from.0, from.1, AtFlags::empty()).inspect_err(|_| {
                    let _ = fs::unlinkat(to.0, to.1, AtFlags::empty());
                });
            }
            Err(Errno::PERM | Errno::NOTSUP | Errno::NOSYS | Errno::INVAL | Errno::MLINK) => {}
            Err(errno) => return Err(errno),
        }
    }
    match fs::statat(to.0, to.1, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(Errno::EXIST),
        Err(Errno::NOENT) => fs::renameat(from.0, from.1, to.0, to.1),
        Err(errno) => Err(errno),
    }
}

/// Checks that `name` is a single name, which can't lead out of its folder.
fn one(name: &str) -> Result<&str, Errno> {
    match name {
        "" | "." | ".." => Err(Errno::INVAL),
        name if name.contains('/') => Err(Errno::INVAL),
        name => Ok(name),
    }
}

fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FS-29: even without a system call for it, nothing is replaced.
    #[test]
    fn fs_29_a_new_name_without_the_call_for_it() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let folder = File::open(place.path()).unwrap();
        let go = |from, to| rename_new((folder.as_fd(), from), (folder.as_fd(), to));
        std::fs::write(at("a"), "A").unwrap();
        std::fs::create_dir(at("d")).unwrap();
        std::os::unix::fs::symlink("nowhere", at("l")).unwrap();
        for (from, to) in [("a", "d"), ("a", "l"), ("d", "a"), ("d", "l"), ("l", "a")] {
            assert_eq!(go(from, to), Err(Errno::EXIST), "{from} {to}");
        }
        assert_eq!(go("none", "x"), Err(Errno::NOENT));
        for (from, to) in [("a", "b"), ("d", "e"), ("l", "m")] {
            assert_eq!(go(from, to), Ok(()), "{from} {to}");
            assert!(at(from).symlink_metadata().is_err());
        }
        assert_eq!(std::fs::read(at("b")).unwrap(), b"A");
        assert_eq!(std::fs::read_link(at("m")).unwrap().to_str(), Some("nowhere"));
        assert!(at("e").is_dir());
    }
}
