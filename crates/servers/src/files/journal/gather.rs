//! Journals of the first version, one for each set of roots, moved into the one that all file
//! servers of a user share (I-07). The records are the same, so nothing is rewritten.
use std::path::Path;

use super::super::access::{Folder, OpenError};
use super::super::write::{Disk, Overwrite};
use super::store::{KEPT, RECORD, is_id};

/// Where the journal is, in the folder of the file servers.
const SHARED: &str = "journal";
/// Characters of the name that a set of roots had.
const DIGITS: usize = 16;
/// Journals that are moved at one start.
const MOST_JOURNALS: usize = 10_000;

/// Moves what is in `files/<roots>/journal` to `files/journal`, and says how many changes that
/// were. What can't be moved stays where it is. To be called before the sandbox is entered.
pub fn gather_journals(files: &Path) -> Result<usize, OpenError> {
    let folder = Folder::own(files)?;
    let shared = Folder::own(&files.join(SHARED))?;
    let disk = Disk::default();
    let mut moved = 0;
    for name in names(&folder).into_iter().filter(|name| is_set_of_roots(name)).take(MOST_JOURNALS) {
        let Ok(old) = folder.child_folder(&name) else { continue };
        if let Ok(journal) = old.child_folder(SHARED) {
            let names = names(&journal);
            // A record is moved after what it needs, so that a process that is killed in between
            // leaves nothing that can't be undone.
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
        // Only what is empty goes.
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

    /// I-07: changes of two sets of roots are found in one journal, with what they had removed;
    /// what is not ours stays.
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
