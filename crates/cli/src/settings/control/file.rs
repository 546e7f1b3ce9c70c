//! Reads the settings file safely: never a pipe that does not end, and never a file that another
//! user may write (POL-16).
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use overt_settings::toml_file::MOST_BYTES;
use overt_wire::hex::hex;
use sha2::{Digest, Sha256};

/// The content of a file at one moment.
#[derive(Debug)]
pub(super) struct FileText {
    pub(super) text: String,
    /// The digest of its bytes, as `sha256sum` prints it. It identifies the settings in the audit
    /// log.
    pub(super) version: String,
}

/// The version of the settings if there is no file.
pub(super) const NO_FILE: &str = "built-in";

/// Reads a file like [`read`]. `None` if it does not exist.
pub(super) fn read_if_there(path: &Path) -> Result<Option<FileText>, String> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        _ => read(path).map(Some),
    }
}

/// Returns the text of a settings file, with the same checks as [`read`].
pub(in crate::settings) fn read_text(path: &Path) -> Result<String, String> {
    read(path).map(|file| file.text)
}

/// Reads a file. The error says in words why it cannot be read.
pub(super) fn read(path: &Path) -> Result<FileText, String> {
    let said = |error: io::Error| format!("can't be read: {error}");
    // Check the metadata first, because opening a pipe would wait for a writer.
    safe(&fs::metadata(path).map_err(said)?)?;
    let file = File::open(path).map_err(said)?;
    safe(&file.metadata().map_err(said)?)?;
    #[cfg(unix)]
    writers::of_folders(path)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(said)?;
    if bytes.len() > MOST_BYTES {
        return Err(format!("has more than {} MiB", MOST_BYTES >> 20));
    }
    let digest = hex(&Sha256::digest(&bytes));
    let text = String::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned())?;
    Ok(FileText { text, version: format!("sha256:{digest}") })
}

fn safe(found: &Metadata) -> Result<(), String> {
    if !found.is_file() {
        return Err("is not a regular file".to_owned());
    }
    #[cfg(unix)]
    writers::of_file(found)?;
    Ok(())
}

/// Checks which other users could change the settings.
#[cfg(unix)]
mod writers {
    use std::fs::{self, Metadata};
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    const EVERYBODY_WRITES: u32 = 0o002;
    const GROUP_WRITES: u32 = 0o020;
    /// The sticky bit of a folder: only the owner of a file can replace it.
    const STICKY: u32 = 0o1000;

    pub(super) fn of_file(found: &Metadata) -> Result<(), String> {
        let (mode, owner, group) = (found.mode(), found.uid(), found.gid());
        if mode & EVERYBODY_WRITES != 0 {
            return Err("can be written by everybody; take that away with `chmod o-w`".to_owned());
        }
        if owner != 0 && owner != rustix::process::geteuid().as_raw() {
            return Err(format!(
                "belongs to another user, with the id {owner}; it must be yours or that of root"
            ));
        }
        if mode & GROUP_WRITES != 0 && group != rustix::process::getegid().as_raw() {
            return Err(format!(
                "can be written by a group that is not your own, with the id {group}; take that away with `chmod g-w`"
            ));
        }
        Ok(())
    }

    /// Rejects folders that every user can write, because anyone could replace the file there.
    /// Links are followed: the folders of the link and those of its target both count.
    pub(super) fn of_folders(path: &Path) -> Result<(), String> {
        let said = |error: std::io::Error| format!("can't be read: {error}");
        let target = fs::canonicalize(path).map_err(said)?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let link = fs::canonicalize(folder).map_err(said)?;
        for folder in target.ancestors().skip(1).chain(link.ancestors()) {
            let mode = fs::metadata(folder).map_err(said)?.mode();
            if mode & EVERYBODY_WRITES != 0 && mode & STICKY == 0 {
                let folder = folder.display();
                return Err(format!(
                    "is in `{folder}`, where everybody can replace it; take that away with `chmod o-w`"
                ));
            }
        }
        Ok(())
    }
}
