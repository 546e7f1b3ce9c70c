//! Colours and weights. `anstream` takes them out again where they don't belong.
use std::ops::Range;

use anstyle::{AnsiColor, Style};

pub(super) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(super) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(super) const HINT: Style = AnsiColor::Cyan.on_default().bold();
pub(super) const TITLE: Style = Style::new().bold();
pub(super) const NAME: Style = AnsiColor::Green.on_default();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const DANGER: Style = AnsiColor::Red.on_default();
pub(super) const PLAIN: Style = Style::new();

/// The text in a style.
pub(super) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A line of a diff behind its sign, with the words reversed that lie in `ranges` of characters.
/// `escape` makes text safe to show.
pub(super) fn paint_words(
    style: Style,
    sign: char,
    line: &str,
    ranges: &[Range<usize>],
    escape: impl Fn(&str) -> String,
) -> String {
    if ranges.is_empty() {
        return paint(style, format_args!("{sign}{}", escape(line)));
    }
    let mut out = paint(style, sign);
    let mut at = 0;
    let mut push = |style: Style, range: Range<usize>| {
        let text: String = line.chars().skip(range.start).take(range.len()).collect();
        if !text.is_empty() {
            out.push_str(&paint(style, escape(&text)));
        }
    };
    for range in ranges {
        push(style, at..range.start);
        push(style.invert(), range.clone());
        at = range.end;
    }
    push(style, at..line.chars().count());
    out
}
