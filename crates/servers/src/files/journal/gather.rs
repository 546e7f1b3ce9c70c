//! Moves the journals of the first version, one for each set of roots, into the journal that all
//! file servers of a user share (I-07). The format is the same, so records are not rewritten.
use std::path::Path;

use super::super::access::{Folder, OpenError};
use super::super::write::{Disk, Overwrite};
use super::store::{KEPT, RECORD, is_id};

/// Name of the journal in the folder of the file servers.
const SHARED: &str = "journal";
/// Length of the folder name of a set of roots.
const DIGITS: usize = 16;
/// Most journals that are moved at one start.
const MOST_JOURNALS: usize = 10_000;

/// Moves the changes in `files/<roots>/journal` to `files/journal`, and returns how many it moved.
/// What can't be moved stays. Must be called before the process enters the sandbox.
pub fn gather_journals(files: &Path) -> Result<usize, OpenError> {
    let folder = Folder::open_private(files)?;
    let shared = Folder::open_private(&files.join(SHARED))?;
    let disk = Disk::default();
    let mut moved = 0;
    for name in names(&folder).into_iter().filter(|name| is_set_of_roots(name)).take(MOST_JOURNALS) {
        let Ok(old) = folder.child_folder(&name) else { continue };
        if let Ok(journal) = old.child_folder(SHARED) {
            let names = names(&journal);
            // A record is moved after the content that it needs, so that a process that is killed
            // in between leaves no change that can't be undone.
            for end in [KEPT, RECORD] {
                let wanted = names.iter().filter(|name| name.strip_suffix(end).is_some_and(is_id));
                for name in wanted {
                    match disk.rename((&journal, name), (&shared, name), Overwrite::Nothing) {
                        Ok(()) => moved += usize::from(end == RECORD),
                        Err(error) => tracing::warn!(%error, name, "an earlier journal could not be moved"),
                    }
                }
            }
            let _ = disk.sync_folder(&shared);
            let _ = disk.sync_folder(&journal);
        }
        // Removes the folders only if they are empty.
        let _ = disk.remove_folder(&old, SHARED);
        let _ = disk.remove_folder(&folder, &name);
    }
    Ok(moved)
}

fn is_set_of_roots(name: &str) -> bool {
    name.len() == DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn names(folder: &Folder) -> Vec<String> {
    let Ok(listing) = rustix::fs::Dir::read_from(folder) else { return Vec::new() };
    listing.flatten().filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ID: &str = "c-1794757265123-3fa9c1";

    /// I-07: changes of two sets of roots end up in one journal, with the content that they
    /// removed. Foreign files stay.
    #[test]
    fn i_07_journals_of_the_first_version_are_moved() {
        let place = tempfile::tempdir().unwrap();
        let files = place.path().join("files");
        let old = files.join("0123456789abcdef/journal");
        let other = files.join("fedcba9876543210/journal");
        for folder in [&old, &other] {
            fs::create_dir_all(folder).unwrap();
        }
        let second = "c-1794757265124-3fa9c2";
        fs::write(old.join(format!("{ID}{RECORD}")), "one").unwrap();
        fs::create_dir(old.join(format!("{ID}{KEPT}"))).unwrap();
        fs::write(old.join(format!("{ID}{KEPT}/x")), "X").unwrap();
        fs::write(other.join(format!("{second}{RECORD}")), "two").unwrap();
        fs::write(other.join("mine"), "m").unwrap();
        assert_eq!(gather_journals(&files).unwrap(), 2);
        let shared = files.join(SHARED);
        assert_eq!(fs::read_to_string(shared.join(format!("{ID}{RECORD}"))).unwrap(), "one");
        assert_eq!(fs::read_to_string(shared.join(format!("{ID}{KEPT}/x"))).unwrap(), "X");
        assert_eq!(fs::read_to_string(shared.join(format!("{second}{RECORD}"))).unwrap(), "two");
        assert!(!old.exists() && !files.join("0123456789abcdef").exists());
        assert_eq!(fs::read_to_string(other.join("mine")).unwrap(), "m");
        assert_eq!(gather_journals(&files).unwrap(), 0);
    }
}
