//! Shows a value from the model to a person: quoted, escaped, without secrets, and cut in the
//! middle.
//!
//! Inside the quotes every character stands for itself or is an escape, so no value can end its
//! quotes or imitate a cut.
use std::borrow::Cow;

use overt_wire::text::is_deceptive;

use overt_secrets::secret_spans;

/// Marks a cut. In a value, this character is escaped.
pub(super) const CUT: char = '…';
/// Replaces a secret.
pub(super) const HIDDEN: &str = "***";
/// Characters that are kept at each end of a value. No line is longer.
const KEPT: usize = 512;
/// Bytes that are searched for secrets at each end of a value; far more than is shown.
const SEARCHED: usize = 4 << 10;
/// Double quotes and similar characters that could be mistaken for the end of a value.
const QUOTES: &str = "\"\u{2ba}\u{2ee}\u{201c}\u{201d}\u{201e}\u{201f}\u{2033}\u{2036}\u{3003}\u{ff02}";

/// The text of one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Escaped. If `skipped` is not zero, only the beginning and the end of the value.
    text: String,
    is_quoted: bool,
    /// Characters of the whole value, with quotes and escapes.
    width: usize,
    /// Characters in the middle of the value that `text` does not contain.
    skipped: usize,
}

impl Leaf {
    /// A string, always in quotes.
    pub(super) fn quoted(text: &str) -> Self {
        let (head, tail, skipped) = ends(text);
        let escaped = match tail.is_empty() && head.bytes().all(is_plain) {
            true => head.into_owned(),
            false => {
                let mut escaped = String::with_capacity(head.len() + tail.len());
                head.chars().chain(tail.chars()).for_each(|c| escape(c, &mut escaped));
                escaped
            }
        };
        let width = escaped.chars().count() + 2 + skipped;
        Self { text: escaped, is_quoted: true, width, skipped }
    }

    /// A number. Its characters are harmless.
    pub(super) fn bare(text: &str) -> Self {
        Self { text: text.to_owned(), is_quoted: false, width: text.chars().count(), skipped: 0 }
    }

    /// A name of a tool or an argument, in quotes unless it is a plain word.
    pub(super) fn name(text: &str) -> Self {
        let mut leaf = Self::quoted(text);
        let is_plain = |c: char| c.is_alphanumeric() || "_-./@$".contains(c);
        if leaf.skipped == 0 && !leaf.text.is_empty() && leaf.text.chars().all(is_plain) {
            leaf.is_quoted = false;
            leaf.width -= 2;
        }
        leaf
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Returns the value in at most `room` characters, and how many characters of the value are
    /// left out.
    pub(super) fn cut_to(&self, room: usize) -> (String, usize) {
        let quote = if self.is_quoted { "\"" } else { "" };
        let (text, left_out) = match self.width <= room {
            true => (Cow::Borrowed(&*self.text), 0),
            false => {
                let (text, left_out) = cut_in_middle(&self.text, room.saturating_sub(2 * quote.len()));
                (Cow::Owned(text), left_out)
            }
        };
        let left_out = if left_out == 0 { 0 } else { left_out + self.skipped };
        ([quote, &text, quote].concat(), left_out)
    }
}

/// Returns the beginning and the end of an escaped text with `…` between them, in at most `room`
/// characters, and the number of characters that are left out. The end gets the odd character,
/// because paths differ there. No escape is divided.
pub(super) fn cut_in_middle(escaped: &str, room: usize) -> (String, usize) {
    let units = units(escaped);
    let room = room.saturating_sub(1);
    let head = fitting(units.iter(), room / 2);
    let tail = fitting(units.iter().rev(), room - room / 2).min(units.len() - head);
    let left_out = units.len() - head - tail;
    let mut text = units[..head].concat();
    text.push(CUT);
    text.push_str(&units[units.len() - tail..].concat());
    (text, left_out)
}

/// Returns how many of these fit in `room` characters.
fn fitting<'a>(units: impl Iterator<Item = &'a &'a str>, room: usize) -> usize {
    let mut used = 0;
    let fits = |unit: &&&str| {
        used += unit.chars().count();
        used <= room
    };
    units.take_while(fits).count()
}

/// Splits an escaped text into its characters and escapes.
fn units(escaped: &str) -> Vec<&str> {
    let mut units = Vec::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(first) = rest.chars().next() {
        let end = match rest.strip_prefix('\\') {
            None => first.len_utf8(),
            Some(after) if after.starts_with("u{") => after.find('}').map_or(1, |end| end + 2),
            Some(after) => 1 + after.chars().next().map_or(0, char::len_utf8),
        };
        let (unit, after) = rest.split_at(end);
        units.push(unit);
        rest = after;
    }
    units
}

/// Whether an ASCII character stands for itself. Nearly every character does.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\')
}

fn escape(c: char, out: &mut String) {
    match c {
        '"' | '\\' => out.extend(['\\', c]),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        // None of these is deceptive or looks like a quote.
        ' '..='~' => out.push(c),
        _ if c == CUT || c.is_whitespace() || is_deceptive(c) || QUOTES.contains(c) => {
            out.push_str(&code_of(c));
        }
        _ => out.push(c),
    }
}

/// Returns the escape of a character that can't be shown: `\u{202e}`.
pub(super) fn code_of(c: char) -> String {
    format!("\\u{{{:x}}}", u32::from(c))
}

/// Returns the beginning and the end of a text without its secrets, and how many characters lie
/// between them. If the text is short, the beginning is the whole text.
fn ends(text: &str) -> (Cow<'_, str>, String, usize) {
    if text.len() <= 2 * SEARCHED {
        let clean = without_secrets(text);
        let all = clean.chars().count();
        return match all > 2 * KEPT {
            true => (first(&clean).into(), last(&clean), all - 2 * KEPT),
            false => (clean, String::new(), 0),
        };
    }
    let head = &text[..text.floor_char_boundary(SEARCHED)];
    let tail = &text[text.ceil_char_boundary(text.len() - SEARCHED)..];
    let (head, tail) = (first(&without_secrets(head)), last(&without_secrets(after_private_key(tail))));
    let kept = head.chars().count() + tail.chars().count();
    let skipped = text.chars().count().saturating_sub(kept).max(1);
    (head.into(), tail, skipped)
}

fn first(text: &str) -> String {
    text.chars().take(KEPT).collect()
}

fn last(text: &str) -> String {
    let start = text.char_indices().rev().nth(KEPT - 1).map_or(0, |(start, _)| start);
    text[start..].to_owned()
}

/// Skips the rest of a private key that began before the text.
fn after_private_key(text: &str) -> &str {
    match text.find("-----END ") {
        Some(end) if !text[..end].contains("-----BEGIN ") => &text[end..],
        _ => text,
    }
}

/// Replaces everything that looks like a real credential by `***`.
fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut spans = secret_spans(text);
    spans.retain(|span| span.is_real(text));
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        if span.range.start >= at {
            clean.push_str(&text[at..span.range.start]);
            clean.push_str(HIDDEN);
        }
        at = at.max(span.range.end);
    }
    clean.push_str(&text[at..]);
    Cow::Owned(clean)
}
