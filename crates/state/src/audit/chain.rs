//! The hash that chains each record to the one before it.
use std::fmt;

use overt_wire::hex::{from_hex, hex, push_hex};
use ring::digest::{Context, SHA256};

/// The prefix of every hashed text. It prevents any other hash of ours from being taken for a
/// record's hash.
const DOMAIN: &[u8] = b"overt.audit.v1\0";

/// The hash of a record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hash([u8; 32]);

impl Hash {
    /// The previous hash of the first record of a log.
    pub const NONE: Self = Self([0; 32]);
    /// The number of characters of its text form.
    pub(super) const LENGTH: usize = "sha256:".len() + 64;

    /// Returns the hash of a record whose text without the hash is `body`.
    pub fn of(prev: Self, body: &[&str]) -> Self {
        Self::after(&prev.to_string(), body)
    }

    /// Returns the hash of a record that follows the one whose hash has the text form `prev`.
    pub(super) fn after(prev: &str, body: &[&str]) -> Self {
        let mut hasher = Context::new(&SHA256);
        hasher.update(DOMAIN);
        hasher.update(prev.as_bytes());
        body.iter().for_each(|part| hasher.update(part.as_bytes()));
        let mut hash = [0; 32];
        hash.copy_from_slice(hasher.finish().as_ref());
        Self(hash)
    }

    /// Appends the text that [`fmt::Display`] writes.
    pub(super) fn push_to(self, text: &mut String) {
        text.push_str("sha256:");
        push_hex(text, &self.0);
    }

    pub fn parse(text: &str) -> Option<Self> {
        from_hex(text.strip_prefix("sha256:")?.as_bytes()).map(Self)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", hex(&self.0))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
