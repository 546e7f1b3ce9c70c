//! Strings as JSON tokens.
use super::string;

/// Returns a string as a JSON token, with its quotes.
pub fn quote(text: &str) -> String {
    let mut out = String::new();
    push_quoted(&mut out, text);
    out
}

/// The most bytes of a text that is first tried as one without escapes: most names and words are.
const SHORT: usize = 64;

/// Appends a string as a JSON token. The bytes equal serde_json's, but this works block by block
/// instead of byte by byte.
pub fn push_quoted(out: &mut String, text: &str) {
    if text.len() <= SHORT && string::is_plain(text.as_bytes()) {
        out.reserve(text.len() + 2);
        out.push('"');
        out.push_str(text);
        return out.push('"');
    }
    // Room for the escapes of usual texts: a line break in every 16 bytes.
    out.reserve(text.len() + text.len() / 16 + 2);
    out.push('"');
    let mut rest = 0;
    string::each_stop(text.as_bytes(), |at, byte| {
        out.push_str(&text[rest..at]);
        push_escape(out, byte);
        rest = at + 1;
    });
    out.push_str(&text[rest..]);
    out.push('"');
}

fn push_escape(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    // Each text is a constant, so appending it is one move.
    match byte {
        b'\n' => out.push_str("\\n"),
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\t' => out.push_str("\\t"),
        b'\r' => out.push_str("\\r"),
        0x08 => out.push_str("\\b"),
        0x0C => out.push_str("\\f"),
        _ => {
            out.push_str("\\u00");
            out.push(char::from(DIGITS[usize::from(byte >> 4)]));
            out.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_that_needs_it_is_escaped_wherever_it_stands() {
        for length in 0..=SHORT + 1 {
            for at in 0..length {
                for odd in ['"', '\\', '\n', '\u{1f}', '\u{7f}', 'é', '!', '#', '[', ']'] {
                    let text: String = (0..length).map(|n| if n == at { odd } else { ' ' }).collect();
                    assert_eq!(quote(&text), serde_json::to_string(&text).unwrap());
                }
            }
            let plain = "x".repeat(length);
            assert_eq!(quote(&plain), format!("\"{plain}\""));
        }
    }

    #[test]
    fn every_byte_that_needs_it_is_escaped() {
        let text: String = (0..=0x17F_u32).filter_map(char::from_u32).cycle().take(2_000).collect();
        assert_eq!(quote(&text), serde_json::to_string(&text).unwrap());
    }
}
