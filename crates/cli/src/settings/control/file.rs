//! Reads the file of settings with care: no pipe that never ends, nothing that everybody may write (POL-16).
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use overt_spec::toml_file::MOST_BYTES;
use sha2::{Digest, Sha256};

/// A file as it was at one moment.
#[derive(Debug)]
pub(super) struct FileText {
    pub(super) text: String,
    /// The digest of its bytes, as `sha256sum` prints it: names what was in force in the audit log.
    pub(super) version: String,
}

/// What is in force where there is no file.
pub(super) const NO_FILE: &str = "built-in";

/// Why it can't be read, in words.
pub(super) fn read(path: &Path) -> Result<FileText, String> {
    let said = |error: io::Error| format!("can't be read: {error}");
    // Looked at first, because opening a pipe would wait for whoever writes to it.
    safe(&fs::metadata(path).map_err(said)?)?;
    let file = File::open(path).map_err(said)?;
    safe(&file.metadata().map_err(said)?)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(said)?;
    if bytes.len() > MOST_BYTES {
        return Err(format!("has more than {} MiB", MOST_BYTES >> 20));
    }
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let text = String::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned())?;
    Ok(FileText { text, version: format!("sha256:{digest}") })
}

fn safe(found: &Metadata) -> Result<(), String> {
    if !found.is_file() {
        return Err("is no regular file".to_owned());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        const EVERYBODY_WRITES: u32 = 0o002;
        if found.permissions().mode() & EVERYBODY_WRITES != 0 {
            return Err("can be written by everybody; take that away with `chmod o-w`".to_owned());
        }
    }
    Ok(())
}
