//! Percent escapes: which are rejected, which are decoded, and how the others are written.
use super::UriError;

/// Returns the byte of the escape that begins here.
fn escaped(rest: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    match rest {
        [b'%', high, low, ..] => u8::try_from(digit(*high)? << 4 | digit(*low)?).ok(),
        _ => None,
    }
}

/// Rejects escapes that some servers decode once and others twice, and escaped separators and
/// control characters.
pub(super) fn check(text: &str) -> Result<(), UriError> {
    let bytes = text.as_bytes();
    for (at, _) in text.match_indices('%') {
        let byte = escaped(&bytes[at..]).ok_or(UriError::BrokenEscape)?;
        if matches!(byte, b'/' | b'\\' | 0..=0x1f | 0x7f) {
            return Err(UriError::EscapedSeparator);
        }
    }
    // An escaped percent sign may be followed by digits that are escaped themselves.
    let decoded = decode_bytes(text);
    let is_escaped = |at: usize| decoded[at] == b'%' && escaped(&decoded[at..]).is_some();
    if bytes.contains(&b'%') && (0..decoded.len()).any(is_escaped) {
        return Err(UriError::EscapedTwice);
    }
    Ok(())
}

/// Decodes the escapes for which `is_decoded` returns true. The others get upper-case digits.
pub(super) fn decode(text: &str, is_decoded: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        match escaped(after.as_bytes()) {
            Some(byte) if byte.is_ascii() && is_decoded(byte) => out.push(char::from(byte)),
            Some(_) => out.push_str(&after[..3].to_ascii_uppercase()),
            None => {
                out.push('%');
                rest = &after[1..];
                continue;
            }
        }
        rest = &after[3..];
    }
    out.push_str(rest);
    out
}

/// Decodes all escapes. Returns `None` if the result is not UTF-8.
pub(super) fn decode_all(text: &str) -> Option<String> {
    String::from_utf8(decode_bytes(text)).ok()
}

fn decode_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        match escaped(rest) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[3..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

/// Returns whether a character means the same with and without an escape (RFC 3986, 2.3).
pub(super) fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Appends a file name as a segment of a path.
pub(super) fn push_encoded(out: &mut String, name: &str) {
    for byte in name.bytes() {
        if is_unreserved(byte) || b"!$&'()*+,;=:@".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";
