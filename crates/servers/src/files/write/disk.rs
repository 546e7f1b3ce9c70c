//! The system calls of a change, each on an open folder and one name in it. Nothing else in the server changes anything on a disk.
//! A test can let any of them fail, or end the process there.
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{
    self, AtFlags, FlockOperation, Gid, Mode, OFlags, RenameFlags, Timestamps, Uid, XattrFlags,
};
use rustix::io::Errno;

/// How changes are made. Clones count together in tests.
#[derive(Debug, Clone, Default)]
pub(crate) struct Disk {
    durability: Durability,
    #[cfg(test)]
    pub(crate) fault: super::fault::Fault,
}

/// When a change is on the disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Before the call ends.
    #[default]
    Fsync,
    /// When the system likes.
    Rename,
}

/// What may stand at the new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    Anything,
    Nothing,
}

/// Bytes that are read and written at a time.
pub(crate) const CHUNK: usize = 128 * 1024;

impl Disk {
    pub(crate) fn new(durability: Durability) -> Self {
        Self {
            durability,
            #[cfg(test)]
            fault: super::fault::Fault::default(),
        }
    }

    /// Every call passes here first.
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

    /// A file that was not there, for us alone until its mode is set (FS-42).
    pub(crate) fn create(&self, folder: impl AsFd, name: &str) -> Result<File, Errno> {
        self.pass()?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        fs::openat(folder, one(name)?, flags, Mode::RUSR | Mode::WUSR).map(File::from)
    }

    /// A folder that was not there.
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

    pub(super) fn set_times(&self, file: impl AsFd, times: &Timestamps) -> Result<(), Errno> {
        self.pass()?;
        fs::futimens(file, times)
    }

    pub(super) fn set_attribute(&self, file: impl AsFd, name: &[u8], value: &[u8]) -> Result<(), Errno> {
        self.pass()?;
        fs::fsetxattr(file, name, value, XattrFlags::empty())
    }

    /// A sweeper leaves alone what somebody holds. Not every file system can; then age alone decides.
    pub(super) fn hold(&self, file: impl AsFd) -> Result<(), Errno> {
        self.pass()?;
        match fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::NOSYS | Errno::NOTSUP | Errno::NOLCK | Errno::INVAL) | Ok(()) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// The content of a file is on the disk.
    pub(crate) fn sync(&self, file: impl AsFd) -> Result<(), Errno> {
        if self.durability == Durability::Rename {
            return Ok(());
        }
        self.pass()?;
        fs::fsync(file)
    }

    /// The names in a folder are on the disk.
    pub(crate) fn sync_folder(&self, folder: impl AsFd) -> Result<(), Errno> {
        if self.durability == Durability::Rename {
            return Ok(());
        }
        self.pass()?;
        // What only names a folder can't be synchronised.
        match fs::openat(folder, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
            Ok(open) => fs::fsync(OwnedFd::as_fd(&open)),
            // Names can be written in a folder that can't be listed.
            Err(Errno::ACCESS) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    pub(crate) fn rename(
        &self,
        from: (impl AsFd, &str),
        to: (impl AsFd, &str),
        over: Over,
    ) -> Result<(), Errno> {
        self.pass()?;
        let flags = match over {
            Over::Anything => RenameFlags::empty(),
            Over::Nothing => RenameFlags::NOREPLACE,
        };
        fs::renameat_with(from.0, one(from.1)?, to.0, one(to.1)?, flags)
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

/// One name, that can't lead out of its folder.
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
