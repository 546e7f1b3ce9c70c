//! Digests of JSON values: SHA-256 of their canonical text. The digest of a definition covers every
//! member. It does not depend on the order of unordered parts.
use std::fmt;

use overt_layers::definition::{Texts, canonical, canonical_definition};
use overt_wire::hex::{from_hex, hex};
use overt_wire::json::Json;
use sha2::{Digest as _, Sha256};

/// The SHA-256 of a canonical JSON text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    pub fn of(value: Json<'_>) -> Self {
        Self::of_text(&canonical(value))
    }

    /// Returns the digest of a tool's definition.
    pub(super) fn of_definition(tool: Json<'_>, texts: Texts) -> Self {
        Self::of_text(&canonical_definition(tool, texts))
    }

    pub(super) fn of_text(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    /// Parses the form that `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        from_hex(text.as_bytes()).map(Self)
    }

    /// Returns the first characters, with which people can tell digests apart.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_read_back() {
        let digest = Digest::of(Json::parse("{}").unwrap());
        assert_eq!(digest.to_string(), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        for broken in ["", "44", &"g".repeat(64), &"ü".repeat(32), &"A".repeat(64)] {
            assert_eq!(Digest::parse(broken), None);
        }
    }
}
