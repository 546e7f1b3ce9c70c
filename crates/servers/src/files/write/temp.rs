//! Files and folders that are not finished: hidden, with a name that is recognised when the process
//! that made them was killed.
use std::collections::HashMap;
use std::fs::File;
use std::os::fd::AsFd as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::super::access::{DIGITS, Facts, Folder, Kind, PREFIX, RemovalName, SwapName, is_ours};
use super::disk::{Disk, Overwrite};
use super::remove;
use super::tree::{self, Tree};

/// What is younger may belong to a process that has not held it yet, or holds it no longer and is
/// about to give it its name.
const LEAST_AGE: Duration = Duration::from_secs(5);
const LEAST_AGE_UNHELD: Duration = Duration::from_mins(10);
/// Until a folder is looked through again in which something was left.
const UNTIL_AGAIN: Duration = Duration::from_secs(5);
/// Names that are looked at when a folder is swept: more than a journal has.
const MOST_NAMES: usize = 50_000;
/// Folders that are remembered as swept.
const MOST_SWEPT: usize = 1024;

/// A unique name.
pub(super) fn name() -> Result<String, Errno> {
    let mut bits = [0; DIGITS / 2];
    getrandom::fill(&mut bits).map_err(|_| Errno::IO)?;
    Ok(bits.iter().fold(PREFIX.to_owned(), |name, byte| name + &format!("{byte:02x}")))
}

/// A unique name for what is being deleted.
pub(super) fn removal_name(seen: &Tree) -> Result<String, Errno> {
    let mut salt = [0; 4];
    getrandom::fill(&mut salt).map_err(|_| Errno::IO)?;
    let name = RemovalName::of(&seen.print).ok_or(Errno::INVAL)?;
    Ok(name.write(u32::from_ne_bytes(salt)))
}

/// A file that is being written; removed unless it gets its name.
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

    /// Gives it the name under which it can change places with an old file, and says what it is.
    pub(super) fn prepare_swap(&mut self, old: &Facts) -> Result<Facts, Errno> {
        let new = Facts::of(&rustix::fs::fstat(&self.file)?);
        let mut salt = [0; 4];
        getrandom::fill(&mut salt).map_err(|_| Errno::IO)?;
        let name = SwapName::of(&new, old).write(u32::from_ne_bytes(salt));
        self.disk.rename((self.folder, &self.name), (self.folder, &name), Overwrite::Nothing)?;
        self.name = name;
        Ok(new)
    }

    /// It has its name now, or stays where it is.
    pub(super) fn done(mut self) {
        self.is_done = true;
    }
}

impl Drop for Temp<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            // What can't be removed now is swept later.
            let _ = self.disk.remove(self.folder, &self.name);
        }
    }
}

/// Which folders were looked through for leftovers since the start: each when it is first written
/// to, and again while something that was too young or held is left in it.
#[derive(Debug)]
pub(crate) struct Sweeper {
    /// When a folder is next looked through; never again if nothing was left.
    swept: Mutex<HashMap<(u64, u64), Option<Instant>>>,
    least_age: Duration,
    /// This age counts where it can't be told whether another process holds it.
    least_age_unheld: Duration,
    until_again: Duration,
}

/// What happened to a temporary file that an earlier process left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CleanupOutcome {
    Gone,
    Still,
    /// Not ours to remove.
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
    /// Removes every file that no process holds, and looks again each time.
    #[cfg(test)]
    pub(crate) fn of_any_age() -> Self {
        let now = Duration::ZERO;
        Self { swept: Mutex::default(), least_age: now, least_age_unheld: now, until_again: now }
    }

    /// Removes what killed processes left in a folder. What fails is left for another time.
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
        // A folder that is only named can't be listed.
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
        let facts = match folder.look(name) {
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
            // Looking at a large folder takes long, and nothing holds it meanwhile.
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
        // A living process holds what it writes.
        match rustix::fs::flock(&handle, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => return CleanupOutcome::Still,
            Err(_) if age < self.least_age_unheld => return CleanupOutcome::Still,
            Ok(()) | Err(_) => {}
        }
        remove::all(disk, folder, name).map_or(CleanupOutcome::Still, |()| CleanupOutcome::Gone)
    }
}

/// Ends what a killed process had begun: the file that another program had written gets its name
/// back from ours. If ours is no longer there, or was changed since, the file stays where it is:
/// its owner may miss it (I-09).
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
        let now = folder.look(target).ok().flatten();
        now.is_some_and(|now| now.inode == swap.new_inode && now.modified <= displaced.changed)
    };
    let Some(target) = target.filter(is_untouched) else {
        return kept(name);
    };
    if disk.rename((folder, name), (folder, &target), Overwrite::Exchanged).is_err() {
        return CleanupOutcome::Kept;
    }
    match folder.look(name) {
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

    /// FS-37: what a killed process left is removed; what is young, held or of another program
    /// stays.
    #[test]
    fn fs_37_leftovers_are_swept() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::own(place.path()).unwrap();
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
        // A file that was held is taken once no process holds it, and then the folder is done.
        held.done();
        sweeper.sweep(&disk, &folder);
        assert!(!left.exists());
        std::fs::write(&left, "").unwrap();
        sweeper.sweep(&disk, &folder);
        assert!(left.exists());
    }
}
