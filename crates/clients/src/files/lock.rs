//! Keeps a client from writing its file at the same time, with the lock folder `FILE.lock` that
//! Cline uses.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    path: PathBuf,
}

/// How long to wait for another holder.
const LONGEST_WAIT: Duration = Duration::from_secs(3);
/// An older lock was left behind by a program that has ended.
const STALE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);

impl FolderLock {
    /// Takes the lock. Waits up to `LONGEST_WAIT` for another holder and removes a stale lock.
    pub fn take(file: &Path) -> io::Result<Self> {
        let mut name = file.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        let begun = Instant::now();
        loop {
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                Err(_) if is_stale(&path) => fs::remove_dir(&path)?,
                Err(error) if begun.elapsed() >= LONGEST_WAIT => return Err(error),
                Err(_) => std::thread::sleep(PAUSE),
            }
        }
    }
}

fn is_stale(path: &Path) -> bool {
    let changed = fs::metadata(path).and_then(|meta| meta.modified());
    changed.is_ok_and(|time| SystemTime::now().duration_since(time).is_ok_and(|age| age > STALE))
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_is_taken_and_given_back() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("settings.json");
        let lock = FolderLock::take(&file).unwrap();
        assert!(folder.path().join("settings.json.lock").is_dir());
        drop(lock);
        assert!(!folder.path().join("settings.json.lock").exists());
        let old = SystemTime::now() - Duration::from_secs(60);
        fs::create_dir(folder.path().join("settings.json.lock")).unwrap();
        fs::File::open(folder.path().join("settings.json.lock")).unwrap().set_modified(old).unwrap();
        FolderLock::take(&file).unwrap();
    }
}
