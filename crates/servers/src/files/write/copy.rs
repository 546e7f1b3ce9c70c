//! Copies a file, a link or a folder with everything in it, by handles. Links are copied as links; names, modes and times are kept.
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Dir, Timespec, Timestamps};
use rustix::io::Errno;

use super::super::error::{FileError, code};
use super::super::space::{Facts, Folder, Kind, View};
use super::super::work::Stop;
use super::disk::{CHUNK, Disk};
use super::remove::MOST_DEPTH;

/// From where to where, and for whom.
pub(crate) struct Copying<'a> {
    pub(crate) disk: &'a Disk,
    /// What can't be seen is left out. Without one it is the same thing at another place: all of it is copied, and belongs to
    /// whom it belonged to.
    pub(crate) view: Option<&'a View>,
    pub(crate) stop: &'a Stop,
    /// What the client called it.
    pub(crate) shown: &'a str,
    /// Bytes that may still be copied: what grows meanwhile does not grow without end.
    pub(crate) left: u64,
    /// What is made, held as long as this is there: no sweeper takes it.
    pub(crate) held: Option<OwnedFd>,
}

struct Level {
    from: Folder,
    to: Folder,
    names: Vec<String>,
    facts: Facts,
}

impl Copying<'_> {
    /// Copies what stands at a name to another name, where nothing may stand. Leaves what it has made when it fails: the caller
    /// removes it.
    pub(crate) fn all(&mut self, from: (&Folder, &str), to: (&Folder, &str)) -> Result<(), FileError> {
        let facts = from.0.look(from.1)?.ok_or_else(|| self.failed(Errno::NOENT))?;
        if facts.kind != Kind::Folder {
            return self.one(from, to, &facts);
        }
        let mut open = vec![self.folder(from, to, facts)?];
        while let Some(level) = open.last_mut() {
            let Some(name) = level.names.pop() else {
                if let Some(done) = open.pop() {
                    self.finish(&done)?;
                }
                continue;
            };
            self.stop.check()?;
            if self.view.is_some_and(|view| !view.sees(&level.from.path.child(&name))) {
                continue;
            }
            let Some(facts) = level.from.look(&name)? else { continue };
            if facts.kind != Kind::Folder {
                self.one((&level.from, &name), (&level.to, &name), &facts)?;
                continue;
            }
            let next = self.folder((&level.from, &name), (&level.to, &name), facts)?;
            if open.len() >= MOST_DEPTH {
                return Err(self.failed(Errno::NAMETOOLONG));
            }
            open.push(next);
        }
        Ok(())
    }

    fn folder(
        &mut self,
        from: (&Folder, &str),
        to: (&Folder, &str),
        facts: Facts,
    ) -> Result<Level, FileError> {
        self.disk.create_folder(to.0, to.1, 0o700).map_err(|errno| self.failed(errno))?;
        let (from, to) = (from.0.child_folder_here(from.1)?, to.0.child_folder_here(to.1)?);
        self.hold(&to)?;
        let mut names = Vec::new();
        for entry in Dir::read_from(from.as_fd()).map_err(|errno| self.failed(errno))? {
            let entry = entry.map_err(|errno| self.failed(errno))?;
            match entry.file_name().to_str() {
                Ok("." | "..") => {}
                Ok(name) => names.push(name.to_owned()),
                // What is not copied would be gone.
                Err(_) if self.view.is_none() => return Err(self.failed(Errno::ILSEQ)),
                Err(_) => {}
            }
        }
        names.sort_unstable_by(|one, other| other.cmp(one));
        Ok(Level { from, to, names, facts })
    }

    /// The mode comes last: a folder that can't be written to could not be filled.
    fn finish(&self, level: &Level) -> Result<(), FileError> {
        self.disk.sync_folder(&level.to).map_err(|errno| self.failed(errno))?;
        self.own(&level.to, &level.facts)?;
        self.disk.set_mode(&level.to, level.facts.mode & 0o777).map_err(|errno| self.failed(errno))
    }

    fn one(&mut self, from: (&Folder, &str), to: (&Folder, &str), facts: &Facts) -> Result<(), FileError> {
        match facts.kind {
            Kind::File => self.file(from, to),
            Kind::Link => {
                let target = rustix::fs::readlinkat(from.0, from.1, Vec::new());
                let target = target.map_err(|errno| self.failed(errno))?;
                self.disk.create_link(to.0, to.1, target.as_bytes()).map_err(|errno| self.failed(errno))?;
                let made =
                    to.0.look(to.1)?.filter(|made| self.view.is_none() && !is_owned_alike(made, facts));
                made.map_or(Ok(()), |_| self.disk.set_link_owner(to.0, to.1, facts.uid, facts.gid))
                    .map_err(|errno| self.not_owned(errno))
            }
            Kind::Folder | Kind::Other(_) => Err(special(self.shown)),
        }
    }

    fn file(&mut self, from: (&Folder, &str), to: (&Folder, &str)) -> Result<(), FileError> {
        let source = from.0.child_file(from.1)?;
        let target = self.disk.create(to.0, to.1).map_err(|errno| self.failed(errno))?;
        self.hold(&target)?;
        self.contents(&source.file, &target)?;
        self.own(&target, &source.facts)?;
        let disk = self.disk;
        attributes(disk, &source.file, &target).map_err(|errno| self.failed(errno))?;
        // Never the right to act as somebody else.
        disk.set_mode(&target, source.facts.mode & 0o777).map_err(|errno| self.failed(errno))?;
        disk.set_times(&target, &times(&source.facts)).map_err(|errno| self.failed(errno))?;
        disk.sync(&target).map_err(|errno| self.failed(errno))
    }

    /// The first thing that is made holds all of it.
    fn hold(&mut self, made: impl AsFd) -> Result<(), FileError> {
        if self.held.is_none() {
            self.disk.hold(&made).map_err(|errno| self.failed(errno))?;
            let held = made.as_fd().try_clone_to_owned();
            self.held = Some(held.map_err(|_| self.failed(Errno::MFILE))?);
        }
        Ok(())
    }

    /// It belongs to whom the original belongs to, unless it is a copy.
    fn own(&self, made: impl AsFd, original: &Facts) -> Result<(), FileError> {
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
                code::PERMISSION_DENIED,
                format!(
                    "`{}` is or holds something that belongs to somebody else, and would belong to this server on another file system",
                    self.shown
                ),
                "Ask the user to do it, or to change who owns it.",
            ),
            errno => self.failed(errno),
        }
    }

    fn contents(&mut self, source: &File, target: &File) -> Result<(), FileError> {
        let mut buffer = vec![0; CHUNK];
        loop {
            self.stop.check()?;
            let count = self.disk.read(source, &mut buffer).map_err(|errno| self.failed(errno))?;
            if count == 0 {
                return Ok(());
            }
            self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
                FileError::new(
                    code::TOO_LARGE,
                    format!("`{}` grew beyond what one call copies; nothing was done", self.shown),
                    "Try again when nobody writes to it.",
                )
            })?;
            self.disk.write(target, &buffer[..count]).map_err(|errno| self.failed(errno))?;
        }
    }

    fn failed(&self, errno: Errno) -> FileError {
        FileError::system(errno, self.shown)
    }
}

fn is_owned_alike(one: &Facts, other: &Facts) -> bool {
    (one.uid, one.gid) == (other.uid, other.gid)
}

/// Neither file, folder nor link.
pub(crate) fn special(shown: &str) -> FileError {
    FileError::new(
        code::NOT_A_FILE,
        format!("`{shown}` is or holds a pipe, a socket or a device, which can't be copied"),
        "Name what else is in it one by one.",
    )
}

/// The extended attributes of a file go to another one: labels, access lists, whatever users put there.
pub(super) fn attributes(disk: &Disk, from: &File, to: &File) -> Result<(), Errno> {
    let mut names = Vec::with_capacity(1024);
    match rustix::fs::flistxattr(from, rustix::buffer::spare_capacity(&mut names)) {
        Ok(_) => {}
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(()),
        Err(errno) => return Err(errno),
    }
    let mut value = Vec::with_capacity(64 * 1024);
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        value.clear();
        match rustix::fs::fgetxattr(from, name, rustix::buffer::spare_capacity(&mut value)) {
            Ok(_) => {}
            Err(Errno::NODATA) => continue,
            Err(errno) => return Err(errno),
        }
        match disk.set_attribute(to, name, &value) {
            Ok(()) => {}
            // What only the system may set is the system's to set.
            Err(Errno::PERM | Errno::NOTSUP) if !name.starts_with(b"user.") => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

fn times(facts: &Facts) -> Timestamps {
    let nanos = 1_000_000_000;
    let modified = Timespec {
        tv_sec: i64::try_from(facts.modified.div_euclid(nanos)).unwrap_or(0),
        tv_nsec: i64::try_from(facts.modified.rem_euclid(nanos)).unwrap_or(0),
    };
    Timestamps { last_access: modified, last_modification: modified }
}
