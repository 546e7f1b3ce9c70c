//! The digest that identifies the content of a file, for the journal, for undo and for etags.
use std::fmt;

use overt_layers::content_digest::ContentDigest;
use overt_wire::hex::{from_hex, hex};
use serde::{Deserialize, Serialize};

/// The BLAKE3 digest of the content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct FileDigest([u8; 32]);

/// What a digest begins with as text.
const BLAKE3: &str = "blake3:";

impl FileDigest {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        ContentDigest::of(bytes).into()
    }

    pub(crate) fn hex(&self) -> String {
        hex(&self.0)
    }
}

impl From<ContentDigest> for FileDigest {
    fn from(digest: ContentDigest) -> Self {
        Self(*digest.as_bytes())
    }
}

impl fmt::Display for FileDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{BLAKE3}{}", self.hex())
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
        let digits = text.strip_prefix(BLAKE3).ok_or("a digest begins with `blake3:`")?;
        from_hex(digits.as_bytes()).map(Self).ok_or("a digest has 64 hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_what_it_was_written_as() {
        let text = "blake3:6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
        let digest = FileDigest::try_from(text.to_owned()).unwrap();
        assert_eq!((digest.to_string().as_str(), digest), (text, FileDigest::of(b"abc")));
        let signs = text.replacen("blake3:6", "blake3:+", 1);
        for wrong in ["", "blake3:", &text[7..], &signs, &text[..text.len() - 1], "é"] {
            assert!(FileDigest::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
