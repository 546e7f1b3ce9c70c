//! Colours and weights. `anstream` removes them where they do not belong.
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

/// Applies a style to a text.
pub(super) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A line of a diff after its sign. The words in `ranges`, counted in characters, are reversed.
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
