//! The inside of JSON strings: where plain text ends, and what escapes mean.
use std::borrow::Cow;

/// How many leading bytes are neither a quote, a backslash nor a control character.
///
/// Names and words are short, so the first bytes are looked at eight at a time; then come blocks that the
/// compiler compares in vector registers.
pub(super) fn plain_prefix(bytes: &[u8]) -> usize {
    const BLOCK: usize = 32;
    let head = &bytes[..bytes.len().min(BLOCK)];
    let mut done = plain_words(head);
    if done < head.len() {
        return done;
    }
    let (blocks, _) = bytes[done..].as_chunks::<BLOCK>();
    done += BLOCK * blocks.iter().take_while(|block| !has_stop(block)).count();
    done + plain_words(&bytes[done..])
}

/// The same for a few bytes.
fn plain_words(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    /// The high bit of each byte that is zero. The lowest one set is always right, and no other is looked at.
    fn zeros(word: u64) -> u64 {
        word.wrapping_sub(ONES) & !word & HIGHS
    }
    let mut done = 0;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        let word = u64::from_le_bytes(*word);
        let quotes = zeros(word ^ (ONES * b'"' as u64));
        let slashes = zeros(word ^ (ONES * b'\\' as u64));
        let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let stops = quotes | slashes | controls;
        if stops != 0 {
            return done + stops.trailing_zeros() as usize / 8;
        }
        done += 8;
    }
    done + rest.iter().position(is_stop).unwrap_or(rest.len())
}

/// Without a way out of the loop, so that the whole block is compared at once.
fn has_stop(block: &[u8; 32]) -> bool {
    block.iter().fold(false, |found, byte| found | is_stop(byte))
}

fn is_stop(byte: &u8) -> bool {
    (*byte == b'"') | (*byte == b'\\') | (*byte < 0x20)
}

/// What a checked string between its quotes means.
pub(crate) fn unescape(raw: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    // The scanner has checked every escape, so serde_json decodes what is there and can't fail.
    Cow::Owned(serde_json::from_str(&format!("\"{raw}\"")).unwrap_or_default())
}
