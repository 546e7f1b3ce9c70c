//! Stores a file for each server in the state folder. Several processes may use the folder at once.
//! Changes are made under a lock, to the current content of the file. Files are replaced
//! atomically. A file that can't be read is never replaced.
use std::error::Error;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use overt_wire::json::Json;

use overt_layers::person::Authorised;

use super::decide::{DecidePins, ForgetPins};
use super::digest::Digest;
use super::format;
use super::identity::{Identity, SHORT, STEM};
use super::record::Record;

/// The most bytes of a file that is read.
const MAX_FILE: u64 = 16 << 20;
/// The most servers that are listed.
const MAX_SERVERS: usize = 10_000;
/// The most directories that a server is compared with when it is first seen.
const MAX_ELSEWHERE: usize = 8;
/// How long another process may hold the lock. It only reads and writes one file meanwhile.
const LOCK_DEADLINE: Duration = Duration::from_secs(2);
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// The store: the folder `pins` in the state folder.
#[derive(Debug, Clone)]
pub struct PinStore {
    folder: PathBuf,
}

/// A server with a record, whether or not the record can be read.
#[derive(Debug)]
pub struct Entry {
    /// The short name of the server, see [`Identity::id`].
    pub id: String,
    pub record: Result<Record, StoreError>,
}

/// Why a file of the store can't be used.
#[derive(Debug, thiserror::Error)]
#[error("failed to {doing} `{}`", path.display())]
pub struct StoreError {
    doing: &'static str,
    path: PathBuf,
    source: Box<dyn Error + Send + Sync>,
}

impl StoreError {
    /// Whether another process held the lock for too long. The files themselves are fine then.
    pub fn is_locked(&self) -> bool {
        let source = self.source.downcast_ref::<io::Error>();
        source.is_some_and(|source| source.kind() == io::ErrorKind::WouldBlock)
    }
}

/// Shows whether a file has changed since it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileVersion {
    inode: u64,
    /// The time of the last change of content, name or permissions: seconds and nanoseconds.
    changed: (i64, i64),
    length: u64,
}

impl PinStore {
    /// Makes the store. Nothing is created until there is something to write.
    pub fn new(state: &Path) -> Self {
        Self { folder: state.join("pins") }
    }

    /// Returns the record of a server, or `None` if there is none.
    pub fn read(&self, identity: &Identity) -> Result<Option<Record>, StoreError> {
        self.read_file(&self.path(&identity.file_stem()))
    }

    /// Returns all servers with records, sorted by their short names.
    pub fn all(&self) -> Result<Vec<Entry>, StoreError> {
        let entry = |stem: &String| {
            let record = self.read_file(&self.path(stem)).transpose()?;
            Some(Entry { id: stem[..SHORT].to_owned(), record })
        };
        Ok(self.stems()?.iter().filter_map(entry).collect())
    }

    /// Changes the record of a server as a person decided. A decision that no person was authorised
    /// to make changes nothing:
    ///
    /// ```compile_fail,E0308
    /// use overt_gateway::pins::{DecidePins, PinStore};
    /// fn write(store: &PinStore, decided: &DecidePins) {
    ///     let _ = store.decide(decided, |record| (record, ()));
    /// }
    /// ```
    ///
    /// ```compile_fail,E0624
    /// use overt_gateway::pins::{Identity, PinStore};
    /// fn write(store: &PinStore, identity: &Identity) {
    ///     let _ = store.update(identity, |record| (record, ()));
    /// }
    /// ```
    pub fn decide<T>(
        &self,
        decided: &Authorised<DecidePins>,
        change: impl FnOnce(Option<Record>) -> (Option<Record>, T),
    ) -> Result<T, StoreError> {
        self.update(&decided.identity, change)
    }

    /// Notes which definitions the person was shown, so that they later accept exactly these.
    pub fn note_shown(&self, identity: &Identity, shown: &[(&str, Digest)]) -> Result<(), StoreError> {
        self.update(identity, |record| {
            let Some(mut record) = record else { return (None, ()) };
            shown.iter().for_each(|(name, digest)| record.show(name, *digest));
            (Some(record), ())
        })
    }

    /// Changes the record of a server while other processes wait. `change` receives the current
    /// record, and returns the record to write, or `None` to write nothing.
    pub(super) fn update<T>(
        &self,
        identity: &Identity,
        change: impl FnOnce(Option<Record>) -> (Option<Record>, T),
    ) -> Result<T, StoreError> {
        let path = self.path(&identity.file_stem());
        let _lock = self.lock()?;
        let (record, result) = change(self.read_file(&path)?);
        if let Some(record) = record {
            self.write_file(&path, format::write(&record).as_str())
                .map_err(|source| failed("write", &path, source))?;
        }
        Ok(result)
    }

    /// Returns records of the same server in other directories: the first few that can be read.
    pub(super) fn elsewhere(&self, identity: &Identity) -> Vec<Record> {
        let (own, part) = (identity.file_stem(), identity.server_part());
        if identity.directory().is_none() {
            return Vec::new();
        }
        let stems = self.stems().unwrap_or_default();
        let others = stems.iter().filter(|stem| stem.ends_with(&part) && **stem != own);
        others
            .filter_map(|stem| self.read_file(&self.path(stem)).ok().flatten())
            .take(MAX_ELSEWHERE)
            .collect()
    }

    /// Moves a server's record from version 1. Version 1 recorded neither the directory nor the
    /// program that was found, so the first directory in which the server is started gets the
    /// record. Differences there count as ordinary changes.
    pub(super) fn adopt_earlier(&self, identity: &Identity) -> Result<(), StoreError> {
        let Some(earlier) = identity.earlier_stem().map(|stem| self.path(stem)) else { return Ok(()) };
        let path = self.path(&identity.file_stem());
        let is_to_do = || earlier.exists() && !path.exists();
        if !is_to_do() {
            return Ok(());
        }
        let _lock = self.lock()?;
        if is_to_do()
            && let Some(record) = self.read_file(&earlier)?
        {
            let record = Record { identity: identity.clone(), ..record };
            self.write_file(&path, format::write(&record).as_str())
                .map_err(|source| failed("write", &path, source))?;
            std::fs::remove_file(&earlier).map_err(|source| failed("remove", &earlier, source))?;
        }
        Ok(())
    }

    /// Removes the server with this short name, even if its file can't be read.
    pub fn forget(&self, id: &str, _decided: &Authorised<ForgetPins>) -> Result<(), StoreError> {
        let _lock = self.lock()?;
        for stem in self.stems()?.iter().filter(|stem| stem[..SHORT] == *id) {
            let path = self.path(stem);
            std::fs::remove_file(&path).map_err(|source| failed("remove", &path, source))?;
        }
        Ok(())
    }

    /// Returns the version of a server's file. This is cheap: it reads only metadata.
    pub(super) fn version(&self, identity: &Identity) -> Option<FileVersion> {
        let meta = std::fs::metadata(self.path(&identity.file_stem())).ok()?;
        Some(FileVersion {
            inode: meta.ino(),
            changed: (meta.ctime(), meta.ctime_nsec()),
            length: meta.len(),
        })
    }

    fn stems(&self) -> Result<Vec<String>, StoreError> {
        let unreadable = |source| failed("read", &self.folder, source);
        let folder = match std::fs::read_dir(&self.folder) {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(error)),
        };
        let mut stems = Vec::new();
        for entry in folder.take(2 * MAX_SERVERS) {
            let name = entry.map_err(unreadable)?.file_name();
            let stem = name.to_str().and_then(|name| name.strip_suffix(".json"));
            stems.extend(stem.filter(|stem| is_stem(stem)).map(str::to_owned));
        }
        stems.sort_unstable();
        stems.truncate(MAX_SERVERS);
        Ok(stems)
    }

    fn path(&self, stem: &str) -> PathBuf {
        self.folder.join(format!("{stem}.json"))
    }

    fn read_file(&self, path: &Path) -> Result<Option<Record>, StoreError> {
        let unreadable = |source| failed("read", path, source);
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        let mut text = String::new();
        file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(unreadable)?;
        let broken = |what: String| failed("understand", path, io::Error::other(what));
        if text.len() as u64 > MAX_FILE {
            return Err(broken(format!("it has more than {} MiB", MAX_FILE >> 20)));
        }
        let json = Json::parse(&text).map_err(|fault| broken(fault.to_string()))?;
        let record = format::read(json).map_err(broken)?;
        if self.path(&record.identity.file_stem()) != path {
            return Err(broken("it is about another server than its name says".to_owned()));
        }
        Ok(Some(record))
    }

    /// Writes a file atomically. The caller holds the lock, so no other process uses the same
    /// temporary name.
    fn write_file(&self, path: &Path, text: &str) -> io::Result<()> {
        let new = path.with_extension("new");
        match std::fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all())?;
        std::fs::rename(&new, path)
    }

    /// Returns the file that a process locks while it changes records.
    pub(super) fn lock_path(&self) -> PathBuf {
        self.folder.join("lock")
    }

    /// Locks the store until the returned file is dropped.
    fn lock(&self) -> Result<File, StoreError> {
        let path = self.lock_path();
        let unlockable = |source| failed("lock", &path, source);
        let mut folder = DirBuilder::new();
        folder.recursive(true).mode(0o700);
        folder.create(&self.folder).map_err(|source| failed("create", &self.folder, source))?;
        let mut options = OpenOptions::new();
        let file =
            options.write(true).create(true).truncate(false).mode(0o600).open(&path).map_err(unlockable)?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(unlockable(error)),
                Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_DEADLINE => {
                    std::thread::sleep(LOCK_PAUSE);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(unlockable(io::Error::new(
                        io::ErrorKind::WouldBlock,
                        "another process holds it for too long",
                    )));
                }
            }
        }
    }
}

fn failed(doing: &'static str, path: &Path, source: io::Error) -> StoreError {
    StoreError { doing, path: path.to_owned(), source: source.into() }
}

fn is_stem(text: &str) -> bool {
    text.len() == STEM && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
