//! Tells which processes still run. Each process holds a lock on a file of its own; the kernel
//! releases the lock when the process ends, however it ends.
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use overt_layers::grants::StoreError;
use overt_layers::seal::random_name;

use super::client_process::ClientProcess;
use super::folder::{closed_file, failed};

/// A locked file that shows other processes that this one runs.
#[derive(Debug)]
pub(super) struct LivenessLock {
    /// The name of this run. Everything that ends with this process is stored under it.
    pub(super) run: String,
    folder: PathBuf,
    lock: File,
}

/// A process that cleans up may remove the file before it is locked. Processes clean up only at
/// their start, so a few attempts are enough.
const ATTEMPTS: usize = 10;
/// The most files that one cleanup or listing looks at.
const MOST_FILES: usize = 10_000;
/// The most bytes that are read of another process's lock file.
const MOST_BYTES: u64 = 256;

impl LivenessLock {
    pub(super) fn start(folder: PathBuf) -> Result<Self, StoreError> {
        let unmade = |error| failed("lock a file in", &folder, &error);
        DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(unmade)?;
        for _ in 0..ATTEMPTS {
            let run = random_name();
            if let Some(lock) = locked(&folder.join(&run)).map_err(unmade)? {
                return Ok(Self { run, folder, lock });
            }
        }
        Err(unmade(io::Error::other("another process removes every file")))
    }

    /// Returns whether the process with this run still runs.
    pub(super) fn is_alive(&self, run: &str) -> bool {
        run == self.run || is_locked(&self.folder, run)
    }

    /// Writes the client of this process where other processes can read it while this process runs.
    pub(super) fn note_client(&self, client: ClientProcess) -> Result<(), StoreError> {
        let written = (&self.lock).write_all(client.to_string().as_bytes());
        written.map_err(|error| failed("write a file in", &self.folder, &error))
    }

    /// Lists the clients of the other running processes.
    pub(super) fn clients(&self) -> Result<Vec<ClientProcess>, StoreError> {
        let unread = |error| failed("read", &self.folder, &error);
        let mut clients = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(unread)?.take(MOST_FILES) {
            // A file that has disappeared belonged to a process that ended.
            let Ok(file) = File::open(entry.map_err(unread)?.path()) else { continue };
            if file.try_lock_shared().is_ok() {
                continue;
            }
            let mut text = String::new();
            if file.take(MOST_BYTES).read_to_string(&mut text).is_ok() {
                clients.extend(ClientProcess::parse(&text));
            }
        }
        clients.sort();
        clients.dedup();
        Ok(clients)
    }

    /// Removes the lock files of processes that no longer run. A file that can't be removed does no
    /// harm.
    pub(super) fn clear_up(&self) {
        let Ok(files) = fs::read_dir(&self.folder) else { return };
        for path in files.take(MOST_FILES).filter_map(|entry| Some(entry.ok()?.path())) {
            let file = File::open(&path);
            if file.is_ok_and(|file| file.try_lock().is_ok() && same_file(&file, &path)) {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// Returns whether another process with this run still runs.
pub(super) fn is_locked(folder: &Path, run: &str) -> bool {
    // The names of runs contain no path separators, so a name with one is not a run.
    let is_name = run.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    is_name && File::open(folder.join(run)).is_ok_and(|file| file.try_lock_shared().is_err())
}

/// Creates and locks the file. Returns `None` if another process removed it before it was locked.
fn locked(path: &Path) -> io::Result<Option<File>> {
    let file = closed_file(OpenOptions::new().write(true).create_new(true), path)?;
    let held = file.try_lock().is_ok();
    Ok((held && same_file(&file, path)).then_some(file))
}

fn same_file(file: &File, path: &Path) -> bool {
    let there = fs::symlink_metadata(path).ok().map(|meta| meta.ino());
    there.is_some() && file.metadata().ok().map(|meta| meta.ino()) == there
}
