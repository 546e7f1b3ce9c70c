//! The changes of each file and the backups, in the state folder. A record is written before its
//! file is changed. It says what an entry was; the file says what the entry is now.
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use overt_clients::files::FileRecord;
use overt_wire::hex::hex;
use overt_wire::json::JsonBuf;
use sha2::{Digest as _, Sha256};

use crate::error::{Diagnostic, ErrorKind};
use overt_operator::replace_file::{overwrite_file, read_if_any};

/// The records and backups of all files.
#[derive(Debug)]
pub(crate) struct WrapRecords {
    folder: PathBuf,
}

/// A copy of a file from before a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Backup {
    pub(crate) path: PathBuf,
}

/// A record or a backup cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordError {
    #[error("failed to {what} `{}`", path.display())]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    #[error("the record `{}` can't be read", .0.display())]
    Unreadable(PathBuf),
}

impl Diagnostic for RecordError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Outside
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Unreadable(_) => Some("the folder `backups` beside it has the whole files".to_owned()),
            Self::Io { .. } => Some("nothing was changed".to_owned()),
        }
    }
}

/// Maximum number of backups kept of one file.
const MOST_BACKUPS: usize = 20;
/// Maximum number of records that are read.
const MOST_RECORDS: usize = 1_000;
/// Maximum number of backups of one file within one second. It exceeds `MOST_BACKUPS`, because a
/// killed program does not remove old backups.
const MOST_A_SECOND: usize = 1000;

impl WrapRecords {
    /// Opens the records in this state folder.
    pub(crate) fn new(state: &Path) -> Self {
        Self { folder: state.join("wrap") }
    }

    /// Returns the record of a file; empty if the file was never changed.
    pub(crate) fn read(&self, file: &Path) -> Result<FileRecord, RecordError> {
        let path = self.record_path(file);
        let text = match read_if_any(&path) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(FileRecord::default()),
            Err(source) => return Err(RecordError::Io { what: "read", path, source }),
        };
        let json = JsonBuf::parse(&text).ok();
        json.and_then(|json| FileRecord::from_json(json.as_json())).ok_or(RecordError::Unreadable(path))
    }

    /// Returns every file that was changed, with its record. Omits records that can't be read.
    pub(crate) fn all(&self) -> Vec<(PathBuf, FileRecord)> {
        let Ok(entries) = fs::read_dir(self.files()) else { return Vec::new() };
        let record = |path: PathBuf| {
            let json = JsonBuf::parse(&fs::read_to_string(path).ok()?).ok()?;
            let file = json.as_json().get("file").string()?.into_owned();
            Some((PathBuf::from(file), FileRecord::from_json(json.as_json())?))
        };
        let paths = entries.flatten().map(|entry| entry.path()).take(MOST_RECORDS);
        let mut all: Vec<_> = paths.filter_map(record).collect();
        all.sort_by(|(one, _), (other, _)| one.cmp(other));
        all
    }

    /// The folder of the records.
    pub(crate) fn files(&self) -> PathBuf {
        self.folder.join("files")
    }

    /// Stores the record of a file. Removes it if it has no entries.
    pub(crate) fn write(&self, file: &Path, record: &FileRecord) -> Result<(), RecordError> {
        let path = self.record_path(file);
        let failed = |source| RecordError::Io { what: "write", path: path.clone(), source };
        if record.entries.is_empty() {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
                _ => Ok(()),
            };
        }
        let text = record.to_json(file).into_string();
        overwrite_file(&path, &text).map_err(|error| failed(error.into_cause()))
    }

    /// Copies a file unchanged, under a name with the time and the file's own name.
    pub(crate) fn back_up(&self, file: &Path, text: &str, now: &str) -> Result<Backup, RecordError> {
        let folder = self.folder.join("backups");
        let key = key(file);
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let mut number = 0;
        loop {
            let suffix = if number == 0 { String::new() } else { format!("-{number}") };
            let path = folder.join(format!("{key}-{now}{suffix}-{name}"));
            let failed = |source| RecordError::Io { what: "write the backup", path: path.clone(), source };
            private_folder(&folder).map_err(failed)?;
            match private_new_file(&path, text.as_bytes()) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < MOST_A_SECOND => {
                    number += 1;
                }
                written => {
                    written.map_err(failed)?;
                    self.forget_old(&folder, &key, &path);
                    return Ok(Backup { path });
                }
            }
        }
    }

    /// Number of backups of all files.
    pub(crate) fn backups(&self) -> usize {
        fs::read_dir(self.folder.join("backups")).map_or(0, |entries| entries.flatten().count())
    }

    /// Removes old backups of a file. Names contain the time, so they sort by time, except within a
    /// second. The newest backup is always kept.
    fn forget_old(&self, folder: &Path, key: &str, newest: &Path) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        let is_of_file = |path: &PathBuf| {
            path != newest
                && path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(key.as_bytes()))
        };
        let mut backups: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(is_of_file).collect();
        backups.sort();
        for old in backups.iter().rev().skip(MOST_BACKUPS - 1) {
            let _ = fs::remove_file(old);
        }
    }

    fn record_path(&self, file: &Path) -> PathBuf {
        self.files().join(format!("{}.json", key(file)))
    }
}

/// A short key for a path.
fn key(file: &Path) -> String {
    let digest = Sha256::digest(file.as_os_str().as_encoded_bytes());
    hex(&digest[..8])
}

fn private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn private_new_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes).and_then(|()| file.sync_all())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::os::unix::fs::PermissionsExt as _;

    use overt_clients::files::{EditPosition, EntryId, RecordedEdit};

    use super::*;

    #[test]
    fn records_and_backups_are_kept_for_their_owner_alone() {
        let state = tempfile::TempDir::new().unwrap();
        let records = WrapRecords::new(state.path());
        let file = Path::new("/site/.mcp.json");
        assert_eq!(records.read(file).unwrap(), FileRecord::default());
        let id = EntryId { table: vec!["mcpServers".to_owned()], name: "a \"b\"".to_owned(), occurrence: 1 };
        let edit = RecordedEdit {
            place: EditPosition { path: vec!["command".to_owned()], is_after: true },
            original: "\"npx\"\r\n".to_owned(),
            written: "\"é\"".to_owned(),
        };
        let record = FileRecord { entries: BTreeMap::from([(id, vec![edit])]) };
        records.write(file, &record).unwrap();
        assert_eq!(records.read(file).unwrap(), record);
        assert_eq!(records.all(), [(file.to_owned(), record)]);
        for number in 0..25 {
            let backup = records.back_up(file, "text", &format!("2026-11-16T1200{number:02}Z")).unwrap();
            assert_eq!(fs::metadata(&backup.path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        records.back_up(file, "text", "2026-11-16T120024Z").unwrap();
        assert_eq!(records.backups(), MOST_BACKUPS);
        assert_eq!(fs::metadata(state.path().join("wrap")).unwrap().permissions().mode() & 0o777, 0o700);
        records.write(file, &FileRecord::default()).unwrap();
        assert_eq!(records.read(file).unwrap(), FileRecord::default());
    }

    /// A killed program leaves one more backup than the maximum.
    #[test]
    fn a_second_never_runs_out_of_names_for_backups() {
        let state = tempfile::TempDir::new().unwrap();
        let records = WrapRecords::new(state.path());
        let back_up = |text: &str| {
            records.back_up(Path::new("/site/.mcp.json"), text, "2026-11-16T120000Z").unwrap().path
        };
        let paths: Vec<PathBuf> = (0..=MOST_BACKUPS).map(|_| back_up("text")).collect();
        assert_eq!(records.backups(), MOST_BACKUPS);
        paths.iter().for_each(|path| fs::write(path, "left by a kill").unwrap());
        for text in ["one", "two", "three"] {
            assert_eq!(fs::read_to_string(back_up(text)).unwrap(), text);
            assert_eq!(records.backups(), MOST_BACKUPS);
        }
    }
}
