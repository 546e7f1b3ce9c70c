//! Bytes as hexadecimal digits, and the reverse. All digits are lower case.

/// The digits of each byte.
const PAIRS: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [digits[byte >> 4], digits[byte & 15]];
        byte += 1;
    }
    pairs
};

/// Returns the bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    push_hex(&mut text, bytes);
    text
}

/// Appends the bytes as hexadecimal digits.
pub fn push_hex(text: &mut String, bytes: &[u8]) {
    text.reserve(2 * bytes.len());
    for chunk in bytes.chunks(32) {
        let mut digits = [[0; 2]; 32];
        digits.iter_mut().zip(chunk).for_each(|(pair, byte)| *pair = PAIRS[usize::from(*byte)]);
        // Digits are ASCII, so this never fails.
        text.push_str(std::str::from_utf8(digits[..chunk.len()].as_flattened()).unwrap_or_default());
    }
}

/// Returns the bytes that exactly `N` pairs of digits stand for.
pub fn from_hex<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = value(pair[0])? << 4 | value(pair[1])?;
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let bytes: [u8; 256] = std::array::from_fn(|index| u8::try_from(index).unwrap_or_default());
        let text = hex(&bytes);
        assert!(text.starts_with("000102") && text.ends_with("fdfeff"));
        assert_eq!(from_hex(text.as_bytes()), Some(bytes));
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "0", "0g", "0G", "AB", "abc", "abcd", "é"] {
            assert_eq!(from_hex::<1>(text.as_bytes()), None, "{text}");
        }
    }
}
