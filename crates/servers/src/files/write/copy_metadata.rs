//! The metadata that a copy keeps: owner, mode, attributes, access lists and times.
use std::os::fd::AsFd;

use rustix::fs::{Timespec, Timestamps};
use rustix::io::Errno;

use super::super::access::{Facts, Folder, Kind};
use super::super::error::{FileError, code};
use super::attributes::{self, Attributes};
use super::copy::Copying;

impl Copying<'_> {
    /// Sets owner, attributes, mode and times, in this order, because each step can reset what an
    /// earlier one set.
    pub(super) fn copy_metadata(
        &self,
        from: impl AsFd,
        made: impl AsFd,
        original: &Facts,
    ) -> Result<(), FileError> {
        self.copy_owner(&made, original)?;
        let which = if self.view.is_some() { Attributes::Unprivileged } else { Attributes::All };
        attributes::copy(self.disk, from, &made, which).map_err(|errno| self.not_kept(errno))?;
        let now =
            || rustix::fs::fstat(&made).map(|stat| Facts::of(&stat)).map_err(|errno| self.failed(errno));
        let mode = match (self.view.is_some(), original.kind) {
            (false, _) => original.mode,
            // A new folder inherits the set-group-id bit from its parent; that bit stays.
            (true, Kind::Folder) => (original.mode & 0o777) | (now()?.mode & 0o2000),
            // A copy never gets set-user-id or set-group-id.
            (true, _) => original.mode & 0o777,
        };
        self.disk.set_mode(&made, mode).map_err(|errno| self.failed(errno))?;
        if self.view.is_none() && now()?.mode != mode {
            return Err(self.not_kept(Errno::PERM));
        }
        self.disk.set_times(&made, &times(original)).map_err(|errno| self.failed(errno))
    }

    /// Sets owner and times of a link that was moved. A copied link keeps its own.
    pub(super) fn copy_link_metadata(
        &self,
        made: (&Folder, &str),
        original: &Facts,
    ) -> Result<(), FileError> {
        if self.view.is_some() {
            return Ok(());
        }
        if made.0.entry_facts(made.1)?.is_some_and(|now| !has_same_owner(&now, original)) {
            let owned = self.disk.set_link_owner(made.0, made.1, original.uid, original.gid);
            owned.map_err(|errno| self.not_owned(errno))?;
        }
        self.disk.set_link_times(made.0, made.1, &times(original)).map_err(|errno| self.failed(errno))
    }

    /// Gives a moved entry the owner of the original. A copy belongs to the user who made it.
    fn copy_owner(&self, made: impl AsFd, original: &Facts) -> Result<(), FileError> {
        if self.view.is_some() {
            return Ok(());
        }
        let now = rustix::fs::fstat(&made).map_err(|errno| self.failed(errno))?;
        if (now.st_uid, now.st_gid) == (original.uid, original.gid) {
            return Ok(());
        }
        let done = self.disk.set_owner(&made, original.uid, original.gid);
        done.map_err(|errno| self.not_owned(errno))
    }

    fn not_owned(&self, errno: Errno) -> FileError {
        match errno {
            Errno::PERM => FileError::new(
                code::SYSTEM_DENIED,
                format!(
                    "`{}` is or contains something that belongs to another user, and on the other file system it would belong to this server",
                    self.shown
                ),
                "Ask the user to do it, or to change the owner.",
            ),
            errno => self.failed(errno),
        }
    }

    /// Describes an error where metadata can't be kept at the destination.
    pub(super) fn not_kept(&self, errno: Errno) -> FileError {
        match errno {
            Errno::PERM | Errno::NOTSUP | Errno::NOSPC | Errno::RANGE | Errno::MLINK
                if self.view.is_none() =>
            {
                FileError::new(
                    code::OTHER_FILE_SYSTEM,
                    format!(
                        "`{}` is or contains something whose mode, attributes, access list or other names can't be kept on the other file system ({errno}); nothing was done",
                        self.shown
                    ),
                    "Ask the user to do it, or to keep the journal on the same file system.",
                )
            }
            errno => self.failed(errno),
        }
    }
}

fn has_same_owner(one: &Facts, other: &Facts) -> bool {
    (one.uid, one.gid) == (other.uid, other.gid)
}

fn times(facts: &Facts) -> Timestamps {
    let nanos = 1_000_000_000;
    let modified = Timespec {
        tv_sec: i64::try_from(facts.modified.div_euclid(nanos)).unwrap_or(0),
        tv_nsec: i64::try_from(facts.modified.rem_euclid(nanos)).unwrap_or(0),
    };
    Timestamps { last_access: modified, last_modification: modified }
}
