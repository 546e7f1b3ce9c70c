//! Digests of content: what a plan saw, the arguments of a call, and files.
//!
//! They are BLAKE3, because contents can be large. On a processor without SHA-256 instructions, the
//! SHA-256 digest of a 1 MiB answer took longer than the rest of the call.
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The BLAKE3 digest of some content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentDigest([u8; 32]);

/// Computes a digest of parts that arrive one after another, so the whole content need not be in
/// memory. The hasher is boxed because it takes 2 kB, and plans that hold one are moved around.
#[derive(Clone, Default)]
pub struct ContentDigester(Box<blake3::Hasher>);

// === impl ContentDigest ===

impl ContentDigest {
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Returns the digest of several texts. The boundaries between the texts are part of the
    /// digest.
    pub fn of_parts(parts: &[&str]) -> Self {
        let mut digester = ContentDigester::default();
        parts.iter().for_each(|part| digester.part(part));
        digester.finish()
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the digest in base64url, without the algorithm prefix.
    pub fn to_base64(self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }
}

/// Writes `blake3-` and the digest in base64url.
impl std::fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "blake3-{}", self.to_base64())
    }
}

// === impl ContentDigester ===

impl ContentDigester {
    /// Adds one part. Its length is part of the digest.
    pub fn part(&mut self, part: &str) {
        self.bytes(&(part.len() as u64).to_be_bytes());
        self.bytes(part.as_bytes());
    }

    /// Adds bytes without their length.
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

    /// Compares with the digest that `b3sum` prints for the same bytes.
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
