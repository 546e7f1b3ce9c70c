//! Escapes untrusted text for a page. Characters that are invisible, or change the direction of
//! text, are shown as escapes.
use std::ops::Range;

use overt_wire::text::Untrusted;

use super::long_lines::split_at_char;

/// Escapes one line of untrusted text.
pub(super) fn escaped(text: &str) -> String {
    let is_plain =
        |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'');
    if text.bytes().all(is_plain) {
        return text.to_owned();
    }
    Untrusted(text)
        .to_string()
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// Escapes a line of a file, but keeps its tabs.
pub(super) fn shown(text: &str) -> String {
    text.split('\t').map(escaped).collect::<Vec<_>>().join("\t")
}

/// Escapes a line of a file and puts some ranges of its characters into an element.
pub(super) fn marked(text: &str, ranges: &[Range<usize>], element: &str) -> String {
    let mut out = String::new();
    let (mut rest, mut at) = (text, 0);
    for range in ranges {
        let (plain, after) = split_at_char(rest, range.start.saturating_sub(at));
        let (word, after) = split_at_char(after, range.len());
        out.push_str(&shown(plain));
        if !word.is_empty() {
            out.push_str(&format!("<{element}>{}</{element}>", shown(word)));
        }
        (rest, at) = (after, range.end);
    }
    out.push_str(&shown(rest));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_marked_and_everything_is_escaped() {
        assert_eq!(marked("größe <1>\t2", &[0..5, 7..8], "ins"), "<ins>größe</ins> &lt;<ins>1</ins>&gt;\t2");
        assert_eq!(marked("ab", &[1..9, 20..30], "del"), "a<del>b</del>");
        assert_eq!(marked("\u{202e}", &[], "del"), "\\u{202e}");
    }
}
