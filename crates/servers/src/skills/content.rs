//! Reads the bytes of a file and computes their digest. A file that changes during the read is read
//! again.
use std::io::Read as _;

use overt_wire::skill::Sha256Digest;
use sha2::{Digest as _, Sha256};

use crate::files::access::{Facts, Folder, OpenFile};
use crate::files::error::{FileError, code};

/// Number of attempts to read a file that changes meanwhile.
const MOST_TRIES: usize = 3;

/// The bytes of a file, with the metadata that belongs to them.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    pub(super) facts: Facts,
}

/// Returns all bytes of a file beneath a folder, from one state of the file.
pub(super) fn read(folder: &Folder, path: &str, most: u64) -> Result<Content, FileError> {
    for _ in 0..MOST_TRIES {
        let OpenFile { file, facts, .. } = folder.file_beneath(path)?;
        let mut bytes = Vec::new();
        let read = (&file).take(most.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| FileError::new(code::IO, format!("`{path}`: {error}"), "Try again."))?;
        if bytes.len() as u64 > most {
            let problem = format!("`{path}` has more than {most} bytes");
            return Err(FileError::new(code::TOO_LARGE, problem, "Use a smaller file."));
        }
        let again = folder.file_beneath(path)?.facts;
        if again == facts && facts.size == bytes.len() as u64 {
            return Ok(Content { bytes, facts });
        }
    }
    Err(FileError::new(code::CONFLICT, format!("`{path}` changes while it is read"), "Try again."))
}

pub(super) fn digest(bytes: &[u8]) -> Sha256Digest {
    Sha256Digest(Sha256::digest(bytes).into())
}
