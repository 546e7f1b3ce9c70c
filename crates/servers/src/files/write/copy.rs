//! Copies a file, a link or a folder with everything in it, by handles. Links are copied as links.
//! Names, modes, times, attributes and access lists are kept. A move to another file system also
//! keeps owners, hard links inside the tree, and the holes in files.
use std::collections::HashMap;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Dir, SeekFrom};
use rustix::io::Errno;

use super::super::access::{Facts, Folder, Kind, View};
use super::super::error::{FileError, code};
use super::super::work::Stop;
use super::disk::{CHUNK, Disk};
use super::remove::MOST_DEPTH;

/// Most files with several hard links in one tree.
const MOST_LINKED: usize = 100_000;

/// A copy in progress.
pub(crate) struct Copying<'a> {
    pub(crate) disk: &'a Disk,
    /// Entries that it can't see are left out. `None` for a move: then everything is copied and
    /// keeps its owner.
    pub(crate) view: Option<&'a View>,
    pub(crate) stop: &'a Stop,
    /// The path as the client wrote it.
    pub(crate) shown: &'a str,
    /// Bytes that may still be copied. Bounds a file that grows meanwhile.
    pub(crate) left: u64,
    /// A locked handle on the new entry, so that no sweeper removes it while this lives.
    pub(crate) held: Option<OwnedFd>,
    /// The copies of files with several hard links, by device and inode. Each is given by the names
    /// of its folders and its own name.
    pub(crate) linked: HashMap<(u64, u64), Vec<String>>,
    /// The new folder at the top.
    pub(crate) top: Option<Folder>,
}

struct Level {
    from: Folder,
    to: Folder,
    /// The name of `to`.
    name: String,
    names: Vec<String>,
    facts: Facts,
}

impl Copying<'_> {
    /// Copies an entry to a name that must be free. On failure, the caller removes what was made.
    pub(crate) fn all(&mut self, from: (&Folder, &str), to: (&Folder, &str)) -> Result<(), FileError> {
        let facts = from.0.entry_facts(from.1)?.ok_or_else(|| self.failed(Errno::NOENT))?;
        if facts.kind != Kind::Folder {
            return self.one(from, to, &facts, &[]);
        }
        let mut open = vec![self.folder(from, to, facts)?];
        self.top = Some(to.0.child_folder_here(to.1)?);
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
            let Some(facts) = level.from.entry_facts(&name)? else { continue };
            if facts.kind != Kind::Folder {
                let Some((level, outer)) = open.split_last() else { break };
                let mut inner: Vec<&str> = outer.iter().skip(1).map(|level| &*level.name).collect();
                inner.extend((!outer.is_empty()).then_some(&*level.name));
                self.one((&level.from, &name), (&level.to, &name), &facts, &inner)?;
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
        let name = to.1.to_owned();
        let (from, to) = (from.0.child_folder_here(from.1)?, to.0.child_folder_here(to.1)?);
        self.hold(&to)?;
        let mut names = Vec::new();
        for entry in Dir::read_from(from.as_fd()).map_err(|errno| self.failed(errno))? {
            let entry = entry.map_err(|errno| self.failed(errno))?;
            match entry.file_name().to_str() {
                Ok("." | "..") => {}
                Ok(name) => names.push(name.to_owned()),
                // Leaving it out of the copy would go unnoticed (I-11).
                Err(_) => return Err(self.failed(Errno::ILSEQ)),
            }
        }
        names.sort_unstable_by(|one, other| other.cmp(one));
        Ok(Level { from, to, name, names, facts })
    }

    /// Sets the metadata last, because a folder without write permission could not be filled.
    fn finish(&self, level: &Level) -> Result<(), FileError> {
        self.disk.sync_folder(&level.to).map_err(|errno| self.failed(errno))?;
        self.copy_metadata(&level.from, &level.to, &level.facts)
    }

    fn one(
        &mut self,
        from: (&Folder, &str),
        to: (&Folder, &str),
        facts: &Facts,
        inner: &[&str],
    ) -> Result<(), FileError> {
        match facts.kind {
            Kind::File => self.file(from, to, inner),
            Kind::Link => self.link(from, to, facts),
            Kind::Folder | Kind::Other(_) => Err(special(self.shown)),
        }
    }

    fn link(&self, from: (&Folder, &str), to: (&Folder, &str), facts: &Facts) -> Result<(), FileError> {
        let target = rustix::fs::readlinkat(from.0, from.1, Vec::new());
        let target = target.map_err(|errno| self.failed(errno))?;
        self.disk.create_link(to.0, to.1, target.as_bytes()).map_err(|errno| self.failed(errno))?;
        self.copy_link_metadata(to, facts)
    }

    fn file(&mut self, from: (&Folder, &str), to: (&Folder, &str), inner: &[&str]) -> Result<(), FileError> {
        let source = from.0.child_file(from.1)?;
        if self.is_linked(&source.facts, to, inner)? {
            return Ok(());
        }
        let target = self.disk.create(to.0, to.1).map_err(|errno| self.failed(errno))?;
        self.hold(&target)?;
        self.contents(&source.file, &target, source.facts.size)?;
        self.copy_metadata(&source.file, &target, &source.facts)?;
        self.disk.sync(&target).map_err(|errno| self.failed(errno))
    }

    /// Whether the file is another hard link of a file that was already copied. If so, links it.
    fn is_linked(&mut self, facts: &Facts, to: (&Folder, &str), inner: &[&str]) -> Result<bool, FileError> {
        // A copy makes every name a file of its own.
        if self.view.is_some() || facts.links < 2 || self.top.is_none() {
            return Ok(false);
        }
        let key = (facts.device, facts.inode);
        let Some(first) = self.linked.get(&key) else {
            if self.linked.len() >= MOST_LINKED {
                return Err(FileError::new(
                    code::TOO_LARGE,
                    format!(
                        "`{}` has more than {MOST_LINKED} files with several names (hard links); nothing was done",
                        self.shown
                    ),
                    "Name its parts one by one, or ask the user to do it.",
                ));
            }
            let path = inner.iter().chain([&to.1]).map(|name| (*name).to_owned()).collect();
            self.linked.insert(key, path);
            return Ok(false);
        };
        let Some((name, folders)) = first.split_last() else { return Ok(false) };
        let mut folder: Option<Folder> = None;
        for next in folders {
            folder = folder
                .as_ref()
                .or(self.top.as_ref())
                .map(|outer| outer.child_folder_here(next))
                .transpose()?;
        }
        let Some(folder) = folder.as_ref().or(self.top.as_ref()) else { return Ok(false) };
        self.disk.link((folder, name), to).map_err(|errno| self.not_kept(errno))?;
        Ok(true)
    }

    /// Locks the first entry that is made, which protects everything in it.
    fn hold(&mut self, made: impl AsFd) -> Result<(), FileError> {
        if self.held.is_none() {
            self.disk.hold(&made).map_err(|errno| self.failed(errno))?;
            let held = made.as_fd().try_clone_to_owned();
            self.held = Some(held.map_err(|_| self.failed(Errno::MFILE))?);
        }
        Ok(())
    }

    /// Copies the content, with its holes.
    fn contents(&mut self, source: &File, target: &File, size: u64) -> Result<(), FileError> {
        let mut buffer = vec![0; usize::try_from(size).unwrap_or(CHUNK).min(CHUNK)];
        let mut at = 0;
        while at < size {
            let (start, end) = data_after(source, at, size).map_err(|errno| self.failed(errno))?;
            rustix::fs::seek(source, SeekFrom::Start(start)).map_err(|errno| self.failed(errno))?;
            at = start;
            while at < end {
                self.stop.check()?;
                let most = usize::try_from(end - at).unwrap_or(CHUNK).min(CHUNK);
                let count =
                    self.disk.read(source, &mut buffer[..most]).map_err(|errno| self.failed(errno))?;
                if count == 0 {
                    return Err(FileError::conflict(self.shown));
                }
                self.left = self.left.checked_sub(count as u64).ok_or_else(|| self.grew())?;
                self.disk.write_at(target, &buffer[..count], at).map_err(|errno| self.failed(errno))?;
                at += count as u64;
            }
        }
        self.disk.set_size(target, size).map_err(|errno| self.failed(errno))
    }

    fn grew(&self) -> FileError {
        FileError::new(
            code::TOO_LARGE,
            format!("`{}` grew beyond what one call copies; nothing was done", self.shown),
            "Call again when no other program writes to it.",
        )
    }

    pub(super) fn failed(&self, errno: Errno) -> FileError {
        FileError::system(errno, self.shown)
    }
}

/// The error for an entry that is neither file, folder nor link.
pub(crate) fn special(shown: &str) -> FileError {
    FileError::new(
        code::NOT_A_FILE,
        format!("`{shown}` is or contains a pipe, a socket or a device, which can't be copied"),
        "Name the other entries one by one.",
    )
}

/// Returns the next range of a file that is not a hole. If there is none, both ends are the end of
/// the file.
fn data_after(file: &File, at: u64, size: u64) -> Result<(u64, u64), Errno> {
    let start = match rustix::fs::seek(file, SeekFrom::Data(at)) {
        Ok(start) => start,
        Err(Errno::NXIO) => return Ok((size, size)),
        // Not every file system reports holes.
        Err(Errno::INVAL | Errno::NOTSUP | Errno::NOSYS) => return Ok((at, size)),
        Err(errno) => return Err(errno),
    };
    let end = rustix::fs::seek(file, SeekFrom::Hole(start)).unwrap_or(size);
    Ok((start.min(size), end.clamp(start.min(size), size)))
}
