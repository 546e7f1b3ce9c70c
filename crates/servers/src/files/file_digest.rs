//! The digest that identifies the content of a file, for the journal, for undo and for etags.
//!
//! Digests are BLAKE3. Earlier versions wrote SHA-256 into the journal, and changes that they
//! recorded can still be undone. So content is always digested with the algorithm of the digest
//! that it is compared with.
use std::fmt;

use overt_layers::content_digest::{ContentDigest, ContentDigester};
use overt_wire::hex::{from_hex, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The digest of the content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct FileDigest {
    algorithm: Algorithm,
    bytes: [u8; 32],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Algorithm {
    #[default]
    Blake3,
    /// Only in records that an earlier version wrote.
    Sha256,
}

/// Computes a digest piece by piece.
pub(crate) enum FileDigester {
    Blake3(ContentDigester),
    Sha256(Sha256),
}

/// Prefix of a BLAKE3 digest. SHA-256 has none, because it was the first and only algorithm.
const BLAKE3: &str = "blake3:";

// === impl FileDigest ===

impl FileDigest {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        ContentDigest::of(bytes).into()
    }

    pub(crate) fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Whether this is the digest of `bytes`.
    pub(crate) fn is_of(&self, bytes: &[u8]) -> bool {
        let mut digester = FileDigester::new(self.algorithm);
        digester.update(bytes);
        digester.finish() == *self
    }

    pub(crate) fn hex(&self) -> String {
        hex(&self.bytes)
    }
}

impl From<ContentDigest> for FileDigest {
    fn from(digest: ContentDigest) -> Self {
        Self { algorithm: Algorithm::Blake3, bytes: *digest.as_bytes() }
    }
}

impl fmt::Display for FileDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = match self.algorithm {
            Algorithm::Blake3 => BLAKE3,
            Algorithm::Sha256 => "",
        };
        write!(f, "{prefix}{}", self.hex())
    }
}

impl From<FileDigest> for String {
    fn from(digest: FileDigest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for FileDigest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let (algorithm, digits) = match text.strip_prefix(BLAKE3) {
            Some(digits) => (Algorithm::Blake3, digits),
            None => (Algorithm::Sha256, &*text),
        };
        let bytes = from_hex(digits.as_bytes()).ok_or("a digest has 64 hexadecimal digits")?;
        Ok(Self { algorithm, bytes })
    }
}

// === impl FileDigester ===

impl FileDigester {
    pub(crate) fn new(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::Blake3 => Self::Blake3(ContentDigester::default()),
            Algorithm::Sha256 => Self::Sha256(Sha256::new()),
        }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Blake3(digester) => digester.bytes(bytes),
            Self::Sha256(digester) => digester.update(bytes),
        }
    }

    pub(crate) fn finish(self) -> FileDigest {
        match self {
            Self::Blake3(digester) => digester.finish().into(),
            Self::Sha256(digester) => {
                FileDigest { algorithm: Algorithm::Sha256, bytes: digester.finalize().into() }
            }
        }
    }
}

impl Default for FileDigester {
    fn default() -> Self {
        Self::new(Algorithm::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> FileDigest {
        FileDigest::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_digest_is_what_it_was_written_as() {
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let blake3 = "blake3:6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
        for text in [sha256, blake3] {
            let digest = read(text);
            assert_eq!(digest.to_string(), text);
            assert!(digest.is_of(b"abc") && !digest.is_of(b"abd"));
        }
        assert_eq!(read(blake3), FileDigest::of(b"abc"));
        let signs = format!("+{}", &sha256[1..]);
        for wrong in ["", "blake3:", &sha256[1..], &signs, &blake3[1..], "é"] {
            assert!(FileDigest::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
