//! Files and folders that are not finished: hidden, with a name that is recognised when the process that made them was killed.
use std::collections::HashSet;
use std::fs::File;
use std::os::fd::AsFd as _;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::super::space::{Folder, Kind};
use super::disk::Disk;
use super::remove;

const PREFIX: &str = ".overt-tmp-";
/// Hexadecimal digits after the prefix.
const DIGITS: usize = 24;

/// What is younger may belong to a process that has not held it yet.
const LEAST_AGE_NANOS: i128 = 10 * 60 * 1_000_000_000;
/// Names that are looked at when a folder is swept.
const MOST_NAMES: usize = 10_000;
/// Folders that are remembered as swept.
const MOST_SWEPT: usize = 1024;

/// A name that nobody has.
pub(super) fn name() -> Result<String, Errno> {
    let mut bits = [0; DIGITS / 2];
    getrandom::fill(&mut bits).map_err(|_| Errno::IO)?;
    Ok(bits.iter().fold(PREFIX.to_owned(), |name, byte| name + &format!("{byte:02x}")))
}

/// Whether a name is one of ours: nobody else's file is called so.
pub(crate) fn is_ours(name: &str) -> bool {
    let digits = |rest: &str| rest.len() == DIGITS && rest.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.strip_prefix(PREFIX).is_some_and(digits)
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

    /// It has its name now.
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

/// Which folders were looked through for leftovers since the start: each once, when it is first written to.
#[derive(Debug)]
pub(crate) struct Sweeper {
    swept: Mutex<HashSet<(u64, u64)>>,
    least_age: i128,
}

impl Default for Sweeper {
    fn default() -> Self {
        Self::of_age(LEAST_AGE_NANOS)
    }
}

impl Sweeper {
    /// Takes what is at least so many nanoseconds old.
    pub(crate) fn of_age(least_age: i128) -> Self {
        Self { swept: Mutex::default(), least_age }
    }

    /// Removes what killed processes left in a folder. What fails is left for another time.
    pub(crate) fn sweep(&self, disk: &Disk, folder: &Folder) {
        {
            let mut swept = self.swept.lock().unwrap_or_else(PoisonError::into_inner);
            if swept.len() >= MOST_SWEPT {
                swept.clear();
            }
            if !swept.insert((folder.facts.device, folder.facts.inode)) {
                return;
            }
        }
        // A folder that is only named can't be listed.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = rustix::fs::openat(folder, ".", flags, Mode::empty());
        let Ok(listing) = open.and_then(rustix::fs::Dir::new) else { return };
        let names = listing
            .flatten()
            .take(MOST_NAMES)
            .filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned));
        for name in names.filter(|name| is_ours(name)).collect::<Vec<_>>() {
            self.sweep_one(disk, folder, &name);
        }
    }

    fn sweep_one(&self, disk: &Disk, folder: &Folder, name: &str) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        let Ok(Some(facts)) = folder.look(name) else { return };
        let age = i128::try_from(now).unwrap_or(0) - facts.changed;
        if age < self.least_age {
            return;
        }
        if facts.kind == Kind::Link {
            let _ = disk.remove(folder, name);
            return;
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(handle) = rustix::fs::openat(folder.as_fd(), name, flags, Mode::empty()) else { return };
        // Whoever lives holds what it writes.
        if rustix::fs::flock(&handle, FlockOperation::NonBlockingLockExclusive) == Err(Errno::WOULDBLOCK) {
            return;
        }
        let _ = remove::all(disk, folder, name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_names_are_ours() {
        assert!(is_ours(&name().unwrap()));
        for other in [
            "",
            ".overt-tmp-",
            ".overt-tmp-x",
            "overt-tmp-000000000000000000000000",
            ".overt-tmp-00000000000000000000000g",
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }

    /// FS-37: what a killed process left is removed; what is young, held or somebody else's stays.
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
        Sweeper::of_age(0).sweep(&disk, &folder);
        assert!(!place.path().join(&young).exists() && place.path().join(name).exists());
        assert!(place.path().join(&held.name).exists());
    }
}
