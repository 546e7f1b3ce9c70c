//! Text from others, made safe for a sentence and short enough for a person.
use std::borrow::Cow;

use overt_wire::text::{Untrusted, is_deceptive};

const EMOJI_STYLE: char = '\u{fe0f}';
/// Maximum number of characters shown of one field. A whole description fits; a megabyte does not
/// (CARD-06).
const LONGEST_FIELD: usize = 8_000;

/// Formats a text as one line: white space becomes single spaces, and other deceptive characters
/// are escaped.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = clip(text).split_whitespace().collect();
    Untrusted(&plain_emoji(&words.join(" "))).to_string()
}

/// The part of a long text that is shown.
pub fn clip(text: &str) -> &str {
    match text.char_indices().nth(LONGEST_FIELD) {
        Some((at, _)) => &text[..at],
        None => text,
    }
}

/// Removes the one invisible character of ordinary text: the variation selector after an emoji.
/// Elsewhere it may hide something, so it stays and is escaped later.
pub fn plain_emoji(text: &str) -> Cow<'_, str> {
    if !text.contains(EMOJI_STYLE) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = '\0';
    while let Some(c) = chars.next() {
        let after_symbol = !before.is_ascii() && !before.is_alphanumeric() && !is_deceptive(before);
        let in_keycap = chars.peek() == Some(&'\u{20e3}');
        if c != EMOJI_STYLE || !(after_symbol || in_keycap) {
            out.push(c);
        }
        before = c;
    }
    Cow::Owned(out)
}

/// Quotes a text as one word of a shell.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,#".contains(c);
    if !text.is_empty() && !text.starts_with('#') && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
