//! Makes text and JSON from others safe for a terminal and short enough for a person.

pub(super) use overt_operator::text::clip;
pub(crate) use overt_operator::text::one_line;
use overt_operator::text::plain_emoji;
use overt_wire::json::Json;
use overt_wire::text::{UntrustedLines, is_deceptive};

use super::fold::keeping_indents;

/// Minimum width in columns at which text is wrapped.
const NARROWEST: usize = 20;

/// Formats a field of a list: keeps line breaks, and indents and wraps each line at `width`.
pub(super) fn field(text: &str, indent: &str, width: Option<usize>) -> String {
    let shown = clip(text);
    let room = width.map(|width| width.saturating_sub(indent.len()).max(NARROWEST));
    let text_lines = lines(shown);
    let mut out = match room {
        Some(room) => indented(&keeping_indents(&text_lines, room), indent),
        None => indented(&text_lines, indent),
    };
    if shown.len() < text.len() {
        let left = text[shown.len()..].chars().count();
        out.push_str(&format!("\n{indent}… {left} more characters; `--format json` has them"));
    }
    out
}

/// Escapes a text but keeps its line breaks and cuts nothing. A carriage return before a line break
/// is harmless and is removed.
pub(crate) fn lines(text: &str) -> String {
    UntrustedLines(&plain_emoji(&text.replace("\r\n", "\n"))).to_string()
}

/// JSON for a terminal: the same value, with every deceptive character as an escape. In JSON, such
/// characters occur only inside strings.
pub(crate) fn json(json: Json<'_>) -> String {
    json_text(json.as_str())
}

/// Like [`json`], for the text of a JSON value.
pub(crate) fn json_text(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // White space between tokens is allowed; inside a string it is escaped already.
        if is_deceptive(c) && !matches!(c, '\n' | '\r' | '\t') {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else if c != '\r' {
            out.push(c);
        }
    }
    out
}

pub(super) fn indented(text: &str, indent: &str) -> String {
    let lines: Vec<String> = text
        .trim_end()
        .lines()
        .map(|line| if line.is_empty() { String::new() } else { format!("{indent}{line}") })
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn card_06_nothing_reaches_the_terminal_unescaped() {
        let evil = "a\u{1b}[31mb\u{7}\u{9b}c\u{202e}d\u{200b}e\u{e0041}\rf\tg\nh";
        assert_eq!(one_line(evil), r"a\u{1b}[31mb\u{7}\u{9b}c\u{202e}d\u{200b}e\u{e0041} f g h");
        assert_eq!(lines("a\u{1b}b\r\nc\td\re"), "a\\u{1b}b\nc\td\\u{d}e");
        let long = field(&"x".repeat(1 << 20), "  ", Some(80));
        assert!(long.len() < 9_000 && long.ends_with("`--format json` has them"), "{}", long.len());
    }

    #[test]
    fn emoji_stay_and_hidden_selectors_show() {
        assert_eq!(lines("\u{26a0}\u{fe0f} 1\u{fe0f}\u{20e3}"), "\u{26a0} 1\u{20e3}");
        assert_eq!(lines("\u{26a0}\u{fe0f}\u{fe0f}a\u{fe0f}"), "\u{26a0}\\u{fe0f}a\\u{fe0f}");
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let text = "one two three four five six\n  - seven eight nine ten eleven\n\nend";
        assert_eq!(
            field(text, "  ", Some(22)),
            "  one two three four\n  five six\n    - seven eight nine\n    ten eleven\n\n  end"
        );
        assert_eq!(field("one two", "", None), "one two");
    }

    #[test]
    fn json_for_a_terminal_has_the_same_value() {
        let text = "{ \"a\":\t\"\u{9b}\u{202e}\u{e0041}ü\" }";
        let shown = json(Json::parse(text).unwrap());
        assert_eq!(shown, "{ \"a\":\t\"\\u009b\\u202e\\udb40\\udc41ü\" }");
        let string = |text: &str| Json::parse(text).unwrap().get("a").string().unwrap().into_owned();
        assert_eq!(string(text), string(&shown));
    }
}
