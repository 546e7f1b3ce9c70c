//! Unfinished files and folders. They are hidden, and their names are recognised after the process
//! that made them was killed.
use std::collections::HashMap;
use std::fs::File;
use std::os::fd::AsFd as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use overt_wire::hex::hex;
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::super::access::{DIGITS, Facts, Folder, Kind, PREFIX, RemovalName, SwapName, is_ours};
use super::disk::{Disk, Overwrite};
use super::remove;
use super::tree::{self, Tree};

/// Minimum age of a leftover. A younger file may belong to a process that has not locked it yet, or
/// that has released the lock and is about to rename it.
const LEAST_AGE: Duration = Duration::from_secs(5);
/// Minimum age of a leftover that no lock protects: an entry that was being deleted, or any entry
/// if the system can't tell whether another process has locked it.
const LEAST_AGE_UNHELD: Duration = Duration::from_mins(10);
/// Time until a folder in which something was left is swept again.
const UNTIL_AGAIN: Duration = Duration::from_secs(5);
/// Most names that are checked in one sweep. This is more than a journal has.
const MOST_NAMES: usize = 50_000;
/// Most folders that are remembered as swept.
const MOST_SWEPT: usize = 1024;

/// Returns a unique name for an unfinished file.
pub(super) fn name() -> Result<String, Errno> {
    let mut bits = [0; DIGITS / 2];
    getrandom::fill(&mut bits).map_err(|_| Errno::IO)?;
    Ok(PREFIX.to_owned() + &hex(&bits))
}

/// Returns a unique name for an entry that is being deleted.
pub(super) fn removal_name(seen: &Tree) -> Result<String, Errno> {
    let mut salt = [0; 4];
    getrandom::fill(&mut salt).map_err(|_| Errno::IO)?;
    let name = RemovalName::of(&seen.print).ok_or(Errno::INVAL)?;
    Ok(name.write(u32::from_ne_bytes(salt)))
}

/// A file that is being written. It is removed on drop unless it got its name.
#[derive(Debug)]
pub(super) struct Temp<'a> {
    disk: &'a Disk,
    folder: &'a Folder,
    pub(super) name: String,
    pub(super) file: File,
    is_done: bool,
}

impl<'a> Temp<'a> {
    pub(super) fn create(disk: &'a Disk, folder: &'a Folder, mode: u32) -> Result<Self, Errno> {
        let name = name()?;
        let file = disk.create_for(folder, &name, mode)?;
        let temp = Self { disk, folder, name, file, is_done: false };
        disk.hold(&temp.file)?;
        Ok(temp)
    }

    /// Renames the temporary file to a name under which it can be swapped with the old file.
    /// Returns the facts of the temporary file.
    pub(super) fn prepare_swap(&mut self, old: &Facts) -> Result<Facts, Errno> {
        let new = Facts::of(&rustix::fs::fstat(&self.file)?);
        let mut salt = [0; 4];
        getrandom::fill(&mut salt).map_err(|_| Errno::IO)?;
        let name = SwapName::of(&new, old).write(u32::from_ne_bytes(salt));
        self.disk.rename((self.folder, &self.name), (self.folder, &name), Overwrite::Nothing)?;
        self.name = name;
        Ok(new)
    }

    /// Keeps the file: it has its final name now, or is meant to stay.
    pub(super) fn done(mut self) {
        self.is_done = true;
    }
}

impl Drop for Temp<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            // If this fails, a later sweep removes the file.
            let _ = self.disk.remove(self.folder, &self.name);
        }
    }
}

/// Removes leftovers from folders. Remembers which folders were swept since startup: each is swept
/// when it is first written to, and again while it holds a leftover that was too young or locked.
#[derive(Debug)]
pub(crate) struct Sweeper {
    /// When a folder is swept next; `None` if nothing was left in it, so never again.
    swept: Mutex<HashMap<(u64, u64), Option<Instant>>>,
    least_age: Duration,
    /// Minimum age of a leftover that no lock protects.
    least_age_unheld: Duration,
    until_again: Duration,
}

/// The outcome for a temporary file that an earlier process left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CleanupOutcome {
    Gone,
    Still,
    /// The file is not ours to remove.
    Kept,
}

impl Default for Sweeper {
    fn default() -> Self {
        Self {
            swept: Mutex::default(),
            least_age: LEAST_AGE,
            least_age_unheld: LEAST_AGE_UNHELD,
            until_again: UNTIL_AGAIN,
        }
    }
}

impl Sweeper {
    /// A sweeper for any age: removes every file that no process has locked, and sweeps every time.
    #[cfg(test)]
    pub(crate) fn of_any_age() -> Self {
        let now = Duration::ZERO;
        Self { swept: Mutex::default(), least_age: now, least_age_unheld: now, until_again: now }
    }

    /// Removes what killed processes left in a folder. A later sweep retries failures.
    pub(crate) fn sweep(&self, disk: &Disk, folder: &Folder) {
        let own = (folder.facts.device, folder.facts.inode);
        {
            let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
            if swept.len() >= MOST_SWEPT {
                swept.clear();
            }
            if swept.get(&own).is_some_and(|again| again.is_none_or(|again| Instant::now() < again)) {
                return;
            }
            swept.insert(own, None);
        }
        // The folder's handle may be `O_PATH`, which can't be listed.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = rustix::fs::openat(folder, ".", flags, Mode::empty());
        let Ok(listing) = open.and_then(rustix::fs::Dir::new) else { return };
        let names = listing
            .flatten()
            .take(MOST_NAMES)
            .filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
        let names: Vec<_> = names.filter(|name| is_ours(name)).collect();
        let left =
            names.iter().filter(|name| self.sweep_one(disk, folder, name) == CleanupOutcome::Still).count();
        if left > 0 {
            let again = Instant::now().checked_add(self.until_again);
            self.swept.lock().unwrap_or_else(PoisonError::into_inner).insert(own, again);
        }
    }

    fn sweep_one(&self, disk: &Disk, folder: &Folder, name: &str) -> CleanupOutcome {
        let facts = match folder.entry_facts(name) {
            Ok(Some(facts)) => facts,
            Ok(None) => return CleanupOutcome::Gone,
            Err(_) => return CleanupOutcome::Still,
        };
        let changed = u64::try_from(facts.changed).map_or(Duration::ZERO, Duration::from_nanos);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let age = now.saturating_sub(changed);
        if age < self.least_age {
            return CleanupOutcome::Still;
        }
        if let Some(swap) = SwapName::read(name)
            && swap.is_foreign(&facts)
        {
            return put_back(disk, folder, name, swap, &facts);
        }
        if let Some(removal) = RemovalName::read(name) {
            // Scanning a large folder takes long, and nothing is locked meanwhile.
            if age < self.least_age_unheld {
                return CleanupOutcome::Still;
            }
            if tree::print(folder, name).ok().and_then(|now| RemovalName::of(&now)) != Some(removal) {
                return kept(name);
            }
        }
        if facts.kind == Kind::Link {
            return disk.remove(folder, name).map_or(CleanupOutcome::Still, |()| CleanupOutcome::Gone);
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(handle) = rustix::fs::openat(folder.as_fd(), name, flags, Mode::empty()) else {
            return CleanupOutcome::Still;
        };
        // A living process keeps a lock on the file that it writes.
        match rustix::fs::flock(&handle, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => return CleanupOutcome::Still,
            Err(_) if age < self.least_age_unheld => return CleanupOutcome::Still,
            Ok(()) | Err(_) => {}
        }
        remove::all(disk, folder, name).map_or(CleanupOutcome::Still, |()| CleanupOutcome::Gone)
    }
}

/// Completes the rollback of a killed process: the file that another program had written is swapped
/// back into the place of our file. If our file no longer exists or has changed since, the other
/// file stays under its temporary name, because its owner may miss it (I-09).
fn put_back(disk: &Disk, folder: &Folder, name: &str, swap: SwapName, displaced: &Facts) -> CleanupOutcome {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = rustix::fs::openat(folder, ".", flags, Mode::empty());
    let Ok(listing) = open.and_then(rustix::fs::Dir::new) else { return CleanupOutcome::Still };
    let target = listing
        .flatten()
        .take(MOST_NAMES)
        .filter(|entry| entry.ino() == swap.new_inode)
        .filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned))
        .find(|target| !is_ours(target));
    let is_untouched = |target: &String| {
        let now = folder.entry_facts(target).ok().flatten();
        now.is_some_and(|now| now.inode == swap.new_inode && now.modified <= displaced.changed)
    };
    let Some(target) = target.filter(is_untouched) else {
        return kept(name);
    };
    if disk.rename((folder, name), (folder, &target), Overwrite::Exchanged).is_err() {
        return CleanupOutcome::Kept;
    }
    match folder.entry_facts(name) {
        Ok(Some(now)) if now.inode == swap.new_inode => {
            disk.remove(folder, name).map_or(CleanupOutcome::Still, |()| CleanupOutcome::Gone)
        }
        Ok(None) => CleanupOutcome::Gone,
        _ => CleanupOutcome::Kept,
    }
}

fn kept(name: &str) -> CleanupOutcome {
    tracing::warn!(name, "what somebody else wrote during a change is kept under this name");
    CleanupOutcome::Kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FS-37: leftovers of killed processes are removed. Young files, locked files and files of
    /// other programs stay.
    #[test]
    fn fs_37_leftovers_are_swept() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open_private(place.path()).unwrap();
        let disk = Disk::default();
        let temp = Temp::create(&disk, &folder, 0o600).unwrap();
        let (young, name) = (temp.name.clone(), "mine.txt");
        temp.done();
        std::fs::write(place.path().join(name), "x").unwrap();
        Sweeper::default().sweep(&disk, &folder);
        assert!(place.path().join(&young).exists() && place.path().join(name).exists());
        let held = Temp::create(&disk, &folder, 0o600).unwrap();
        let sweeper = Sweeper::of_any_age();
        sweeper.sweep(&disk, &folder);
        assert!(!place.path().join(&young).exists() && place.path().join(name).exists());
        let left = place.path().join(&held.name);
        assert!(left.exists());
        // A locked file is removed once no process has it locked. After that, the folder is not
        // swept again.
        held.done();
        sweeper.sweep(&disk, &folder);
        assert!(!left.exists());
        std::fs::write(&left, "").unwrap();
        sweeper.sweep(&disk, &folder);
        assert!(left.exists());
    }
}
