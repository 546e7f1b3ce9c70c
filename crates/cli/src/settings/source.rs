//! Reads text from files and standard input, up to the size of a message.
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::Diagnostic;

/// Maximum number of bytes read from one file or from standard input.
pub(super) const MAX_BYTES: u64 = 16 << 20;

/// A text could not be read.
#[derive(Debug, thiserror::Error)]
#[error("failed to read {from}")]
pub(crate) struct ReadError {
    from: String,
    source: io::Error,
}

impl Diagnostic for ReadError {}

/// Reads a whole UTF-8 file, or standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<String, ReadError> {
    if path == Path::new("-") {
        return read_from(io::stdin().lock(), "standard input");
    }
    let from = format!("`{}`", path.display());
    match File::open(path) {
        Ok(file) => read_from(file, &from),
        Err(source) => Err(ReadError { from, source }),
    }
}

fn read_from(reader: impl Read, from: &str) -> Result<String, ReadError> {
    let error = |source| ReadError { from: from.to_owned(), source };
    let mut bytes = Vec::new();
    reader.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(error)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(error(io::Error::other(format!("more than {} MiB", MAX_BYTES >> 20))));
    }
    String::from_utf8(bytes).map_err(|_| error(io::Error::other("not UTF-8 text")))
}
