//! Converts JSON with comments, as VS Code writes it, to plain JSON: comments and trailing commas
//! become spaces, so that the positions of errors stay the same.

/// Returns the text without comments and without commas before a closing bracket, at the same
/// length.
pub fn to_json(text: &str) -> String {
    let mut out: Vec<u8> = text.bytes().collect();
    let mut at = 0;
    // The last comma outside strings, if only whitespace and comments follow it so far.
    let mut comma = None;
    while at < out.len() {
        match out[at] {
            b'"' => {
                comma = None;
                at = string_end(&out, at);
            }
            b'/' if matches!(out.get(at + 1), Some(b'/' | b'*')) => {
                let end = comment_end(&out, at);
                for byte in &mut out[at..end] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
                at = end;
            }
            b',' => {
                comma = Some(at);
                at += 1;
            }
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    out[comma] = b' ';
                }
                at += 1;
            }
            byte => {
                if !byte.is_ascii_whitespace() {
                    comma = None;
                }
                at += 1;
            }
        }
    }
    // Only whole comments and ASCII commas were replaced, so the bytes are still UTF-8.
    String::from_utf8(out).unwrap_or_default()
}

fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

fn comment_end(text: &[u8], start: usize) -> usize {
    let rest = &text[start + 2..];
    let length = if text[start + 1] == b'/' {
        rest.iter().position(|byte| *byte == b'\n')
    } else {
        rest.windows(2).position(|two| two == b"*/").map(|end| end + 2)
    };
    length.map_or(text.len(), |length| start + 2 + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_go_and_places_stay() {
        let text = "{ // é\n \"a\": \"//x\", /* y, */ \"b\": [1, 2, ], }";
        let json = to_json(text);
        assert_eq!(json.len(), text.len());
        let words: Vec<&str> = json.split_whitespace().collect();
        assert_eq!(words.concat(), r#"{"a":"//x","b":[1,2]}"#);
    }

    #[test]
    fn plain_json_and_broken_text_pass() {
        for text in [r#"{"a":"\\\"/*"}"#, "{\"a", "/*", "//", "\"\\", "[1,,]"] {
            assert_eq!(to_json(text).len(), text.len());
        }
        assert_eq!(to_json(r#"{"a":"\"/*,}"}"#), r#"{"a":"\"/*,}"}"#);
        // Only one comma is removed: the strict parser reports what is still wrong.
        assert_eq!(to_json("[1,,]"), "[1, ]");
    }
}
