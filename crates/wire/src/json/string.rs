//! The contents of JSON strings: where they end, whether their escapes are valid, and how they
//! decode.
use std::borrow::Cow;

use super::fault::{Fault, FaultKind};

/// Number of bytes that are examined together.
const BLOCK: usize = 32;

/// Finds the end of the string whose contents begin at `start`. Returns the position of the closing
/// quote, of a forbidden control character, or of the end of the text. `escape` receives the
/// position of each backslash and returns the position at which to continue.
#[inline]
pub(super) fn walk<E>(
    bytes: &[u8],
    start: usize,
    mut escape: impl FnMut(usize) -> Result<usize, E>,
) -> Result<usize, E> {
    // Most names and words are short.
    if let Some(end) = short_end(bytes, start) {
        return Ok(end);
    }
    let mut at = start;
    'blocks: while at < bytes.len() {
        let mut stops = stops(&bytes[at..]);
        while stops != 0 {
            let first = stops.trailing_zeros() as usize;
            let here = at + first;
            if bytes[here] != b'\\' {
                return Ok(here);
            }
            let next = escape(here)?;
            if next >= at + BLOCK {
                at = next;
                continue 'blocks;
            }
            // Most escapes have two bytes. Clearing those two bits is cheaper than clearing all
            // bits below `next`.
            stops &= if next == here + 2 { !(0b11 << first) } else { u32::MAX << (next - at) };
        }
        at += BLOCK;
    }
    Ok(bytes.len())
}

/// Calls `stop` with the position and value of every byte that has to be escaped in a string.
#[inline]
pub(super) fn each_stop(bytes: &[u8], mut stop: impl FnMut(usize, u8)) {
    let mut at = 0;
    while at < bytes.len() {
        let mut stops = stops(&bytes[at..]);
        while stops != 0 {
            let here = at + stops.trailing_zeros() as usize;
            stop(here, bytes[here]);
            stops &= stops - 1;
        }
        at += BLOCK;
    }
}

/// The position of the closing quote, if it is among the first eight bytes and no backslash or
/// control character comes before it.
#[inline]
pub(super) fn short_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (quotes, others) = stops_in_word(*bytes.get(start..)?.first_chunk::<8>()?);
    let first = (quotes | others).trailing_zeros();
    (first == quotes.trailing_zeros() && quotes != 0).then_some(start + first as usize / 8)
}

/// Whether no byte of a string has to be escaped. For short strings this is faster than
/// [`each_stop`].
#[inline]
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    let is_plain = |word: [u8; 8]| stops_in_word(word) == (0, 0);
    let mut last = [b' '; 8];
    match bytes.last_chunk::<8>() {
        // The last word may overlap the one before it.
        Some(end) => last = *end,
        None => last.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte),
    }
    is_plain(last) && bytes.as_chunks::<8>().0.iter().all(|word| is_plain(*word))
}

/// Sets the high bit of each byte that is a quote in the first word, and of each backslash and
/// control character in the second. Only the lowest bit that is set is reliable.
#[inline]
fn stops_in_word(word: [u8; 8]) -> (u64, u64) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    fn zeros(word: u64) -> u64 {
        word.wrapping_sub(ONES) & !word & HIGHS
    }
    let word = u64::from_le_bytes(word);
    let slashes = zeros(word ^ (ONES * b'\\' as u64));
    let controls = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
    (zeros(word ^ (ONES * b'"' as u64)), slashes | controls)
}

/// Returns one bit for each byte of the next block; it is set for a quote, a backslash or a control
/// character.
#[inline]
fn stops(bytes: &[u8]) -> u32 {
    match bytes.first_chunk::<BLOCK>() {
        Some(block) => stops_in(block),
        None => {
            let mut block = [b' '; BLOCK];
            block[..bytes.len()].copy_from_slice(bytes);
            stops_in(&block)
        }
    }
}

#[inline]
fn stops_in(block: &[u8; BLOCK]) -> u32 {
    // The compiler turns this loop into a few vector comparisons.
    let flags = block.map(|byte| u8::from((byte == b'"') | (byte == b'\\') | (byte < 0x20)));
    let (words, _) = flags.as_chunks::<8>();
    words.iter().rev().fold(0, |bits, word| {
        // The product moves the lowest bit of byte `n` to bit `n` of the highest byte.
        let gathered = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits << 8 | gathered as u32
    })
}

/// Checks the escape whose backslash is at `at`, and returns the position after it.
#[inline]
pub(super) fn escape_end(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match bytes.get(at + 1) {
        Some(byte) if IS_SHORT_ESCAPE[usize::from(*byte)] => Ok(at + 2),
        _ => long_escape_end(bytes, at),
    }
}

/// Checks `\u` escapes. A separate function keeps the loop around the short escapes small.
#[inline(never)]
fn long_escape_end(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match bytes.get(at + 1) {
        Some(b'u') if is_surrogate(hex4(bytes, at + 2)?) => surrogates_end(bytes, at),
        Some(b'u') => Ok(at + 6),
        Some(_) => Err(Fault { kind: FaultKind::Expected("one of `\"\\/bfnrtu` after a backslash"), at }),
        None => Err(incomplete(bytes)),
    }
}

fn surrogates_end(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    let lone = Fault { kind: FaultKind::LoneSurrogate, at };
    let is_high = hex4(bytes, at + 2)? < 0xDC00;
    if !is_high || !bytes[at + 6..].starts_with(b"\\u") {
        return Err(lone);
    }
    if matches!(hex4(bytes, at + 8)?, 0xDC00..=0xDFFF) { Ok(at + 12) } else { Err(lone) }
}

fn is_surrogate(unit: u16) -> bool {
    unit & 0xF800 == 0xD800
}

#[inline]
fn hex4(bytes: &[u8], at: usize) -> Result<u16, Fault> {
    let digits = bytes[at..].first_chunk::<4>().ok_or_else(|| incomplete(bytes))?;
    let [a, b, c, d] = digits.map(|digit| u16::from(HEX[usize::from(digit)]));
    if (a | b | c | d) > 0xF {
        return Err(Fault { kind: FaultKind::Expected("four hexadecimal digits"), at });
    }
    Ok(a << 12 | b << 8 | c << 4 | d)
}

/// The bytes that form a two-byte escape after a backslash.
const IS_SHORT_ESCAPE: [bool; 256] = {
    let mut table = [false; 256];
    let mut index = 0;
    while index < 8 {
        table[b"\"\\/bfnrt"[index] as usize] = true;
        index += 1;
    }
    table
};

/// The value of each hexadecimal digit; more than 15 for all other bytes.
const HEX: [u8; 256] = {
    let mut table = [u8::MAX; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value] as usize] = value as u8;
        table[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    table
};

fn incomplete(bytes: &[u8]) -> Fault {
    Fault { kind: FaultKind::Incomplete, at: bytes.len() }
}

/// Decodes the contents of a checked string, without its quotes. A string with escapes is copied
/// once.
pub(crate) fn unescape(raw: &str) -> Cow<'_, str> {
    let bytes = raw.as_bytes();
    let Some(mut slash) = memchr::memchr(b'\\', bytes) else { return Cow::Borrowed(raw) };
    // A decoded escape is never longer than the escape.
    let mut text = String::with_capacity(raw.len());
    let mut at = 0;
    loop {
        text.push_str(&raw[at..slash]);
        let (meant, length) = escaped(bytes, slash);
        text.push(meant);
        at = slash + length;
        match memchr::memchr(b'\\', &bytes[at..]) {
            Some(next) => slash = at + next,
            None => break,
        }
    }
    text.push_str(&raw[at..]);
    Cow::Owned(text)
}

/// Decodes the escape whose backslash is at `at`. Returns the character and the length of the
/// escape in bytes. The scanner has checked the escape.
fn escaped(bytes: &[u8], at: usize) -> (char, usize) {
    let short = match bytes.get(at + 1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return unit_escape(bytes, at),
        // A quote, a slash or a backslash.
        Some(byte) if byte.is_ascii() => char::from(*byte),
        _ => return (char::REPLACEMENT_CHARACTER, 1),
    };
    (short, 2)
}

/// Decodes a `\u` escape, or a surrogate pair of two escapes.
fn unit_escape(bytes: &[u8], at: usize) -> (char, usize) {
    let unit = |at: usize| bytes.get(at..).and_then(|_| hex4(bytes, at).ok());
    let Some(high) = unit(at + 2) else { return (char::REPLACEMENT_CHARACTER, 2) };
    let low = if is_surrogate(high) { unit(at + 8) } else { None };
    let units = [high, low.unwrap_or_default()];
    let units = if low.is_some() { &units[..] } else { &units[..1] };
    let meant = char::decode_utf16(units.iter().copied()).next().and_then(Result::ok);
    (meant.unwrap_or(char::REPLACEMENT_CHARACTER), if low.is_some() { 12 } else { 6 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// I-12: `unescape` decodes strings as serde_json does.
        #[test]
        fn i_12_strings_mean_what_serde_json_says(parts in prop::collection::vec(part(), 0..40)) {
            let raw = parts.concat();
            let meant: String = serde_json::from_str(&format!("\"{raw}\"")).unwrap();
            prop_assert_eq!(unescape(&raw), meant);
        }
    }

    /// A piece of a string as checked text spells it.
    fn part() -> impl Strategy<Value = String> {
        let short = prop::sample::select(vec!["\\n", "\\t", "\\r", "\\b", "\\f", "\\\"", "\\\\", "\\/"]);
        let unit = (any::<char>(), any::<bool>()).prop_map(|(letter, is_upper)| {
            let mut units = [0; 2];
            let escape =
                |unit: &u16| if is_upper { format!("\\u{unit:04X}") } else { format!("\\u{unit:04x}") };
            letter.encode_utf16(&mut units).iter().map(escape).collect()
        });
        let plain = "[^\\x00-\\x1f\"\\\\]{0,12}";
        prop_oneof![short.prop_map(str::to_owned), unit, plain]
    }
}
