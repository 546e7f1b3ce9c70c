//! Notes in the state folder which logs were begun. A log that was removed as a whole leaves no
//! other trace.
use std::fs;
use std::path::{Path, PathBuf};

use overt_wire::hex::hex;
use ring::digest::{SHA256, digest};

use crate::private_file;

/// The notes of a state folder: one file per log, which contains the path of the log.
#[derive(Debug, Clone)]
pub struct KnownLogs(PathBuf);

/// A log that was begun and no longer exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedLog {
    pub name: String,
    pub dir: PathBuf,
    /// The file that notes the log.
    pub note: PathBuf,
}

const PATH_BYTES: usize = 8 << 10;
const MOST_NOTES: usize = 10_000;

impl KnownLogs {
    pub fn of(state: &Path) -> Self {
        Self(state.join("audit-logs"))
    }

    /// Notes that this folder holds a log. A log works without its note, so a failure is only
    /// traced.
    pub(super) fn note(&self, dir: &Path) {
        let Ok(dir) = std::path::absolute(dir) else { return };
        let note = self.note_of(&dir);
        if note.exists() {
            return;
        }
        if let Err(error) = private_file::write(&note, dir.to_string_lossy().as_bytes()) {
            tracing::debug!(%error, "the audit log is not noted in the state folder");
        }
    }

    /// Returns the logs that were begun in this folder and no longer exist, sorted by name.
    pub fn removed_from(&self, folder: &Path) -> Vec<RemovedLog> {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let notes = fs::read_dir(&self.0).into_iter().flatten().flatten().take(MOST_NOTES);
        let mut removed: Vec<RemovedLog> = notes
            .filter_map(|entry| {
                let note = entry.path();
                let dir = PathBuf::from(private_file::read(&note, PATH_BYTES).ok().flatten()?);
                let name = dir.file_name()?.to_string_lossy().into_owned();
                // Ignores a file that somebody else created or that is incomplete.
                let is_note = self.note_of(&dir) == note && dir.parent() == Some(&folder);
                (is_note && is_gone(&dir)).then_some(RemovedLog { name, dir, note })
            })
            .collect();
        removed.sort_by(|a, b| a.name.cmp(&b.name));
        removed
    }

    fn note_of(&self, dir: &Path) -> PathBuf {
        let hash = digest(&SHA256, dir.as_os_str().as_encoded_bytes());
        let key = hex(&hash.as_ref()[..4]);
        let name = dir.file_name().unwrap_or_default().to_string_lossy();
        self.0.join(format!("{name}-{key}"))
    }
}

/// Returns whether the folder is certain not to exist. False if it can't be checked.
fn is_gone(dir: &Path) -> bool {
    matches!(dir.try_exists(), Ok(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_was_removed_is_known() {
        let state = tempfile::TempDir::new().unwrap();
        let (known, logs) = (KnownLogs::of(state.path()), state.path().join("audit"));
        for name in ["files", "mail"] {
            fs::create_dir_all(logs.join(name)).unwrap();
            known.note(&logs.join(name));
            known.note(&logs.join(name));
        }
        assert_eq!(known.removed_from(&logs), []);
        fs::remove_dir(logs.join("mail")).unwrap();
        let [removed] = &known.removed_from(&logs)[..] else { panic!("one is gone") };
        assert_eq!((removed.name.as_str(), &removed.dir), ("mail", &logs.join("mail")));
        assert_eq!(known.removed_from(state.path()), [], "another folder has other logs");
        fs::remove_file(&removed.note).unwrap();
        fs::write(state.path().join("audit-logs/odd"), "/x/y").unwrap();
        assert_eq!(known.removed_from(&logs), [], "a person may remove a log and its note");
    }
}
