//! Digests of content: of what a plan saw, of the arguments of a call, of files.
//!
//! They are BLAKE3. Contents are large: on a processor without instructions for SHA-256, that
//! digest of an answer of 1 MiB took longer than everything else in the call.
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The digest of a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentDigest([u8; 32]);

/// Makes a digest of parts that come one after another, so that they need not be held all at once.
/// Boxed: it has 2 kB, and plans that hold one are passed around.
#[derive(Clone, Default)]
pub struct ContentDigester(Box<blake3::Hasher>);

// === impl ContentDigest ===

impl ContentDigest {
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Of several texts. Where each one ends is part of the digest.
    pub fn of_parts(parts: &[&str]) -> Self {
        let mut digester = ContentDigester::default();
        parts.iter().for_each(|part| digester.part(part));
        digester.finish()
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// A short name, without what names the algorithm.
    pub fn to_base64(self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }
}

/// `blake3-` and the digest in base64url.
impl std::fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "blake3-{}", self.to_base64())
    }
}

// === impl ContentDigester ===

impl ContentDigester {
    /// One part: where it ends is part of the digest.
    pub fn part(&mut self, part: &str) {
        self.bytes(&(part.len() as u64).to_be_bytes());
        self.bytes(part.as_bytes());
    }

    /// Bytes alone.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub fn finish(&self) -> ContentDigest {
        ContentDigest(*self.0.finalize().as_bytes())
    }
}

impl std::fmt::Debug for ContentDigester {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ContentDigester")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_part_ends_counts() {
        let one = ContentDigest::of_parts(&["ab", "c"]);
        assert_eq!(one, ContentDigest::of_parts(&["ab", "c"]));
        for other in [&["a", "bc"][..], &["abc"], &["ab", "c", ""], &[]] {
            assert_ne!(one, ContentDigest::of_parts(other));
        }
    }

    /// What `b3sum` prints for the same bytes.
    #[test]
    fn it_is_the_digest_that_other_programs_make() {
        let mut digester = ContentDigester::default();
        digester.bytes(b"ab");
        digester.bytes(b"c");
        assert_eq!(digester.finish(), ContentDigest::of(b"abc"));
        let text = ContentDigest::of(b"abc").to_string();
        assert_eq!(text, "blake3-ZDezrDhGUTP_tjt1JzqNtUjFWEZdedsD_TWcbNW9nYU");
    }
}
