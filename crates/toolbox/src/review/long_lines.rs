//! Long lines: where two versions of a line differ, and which parts of it a page shows.
use std::ops::Range;

/// The most characters of a line that are shown. A longer line is cut around its changes.
pub(super) const LONGEST: usize = 4_000;
/// Characters that are shown on both sides of a change in a long line.
const AROUND: usize = 300;
/// Two lines that share less than one part in this number are not versions of each other.
const LEAST_COMMON: usize = 4;

/// A part of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    Shown {
        text: &'a str,
        /// The number of characters before this part.
        start: usize,
    },
    /// The number of characters that are left out.
    LeftOut(usize),
}

/// Returns the characters that differ in two versions of a line: everything between their common
/// prefix and their common suffix. `None` if both lines are short enough to be compared word by
/// word, or have too little in common.
pub(super) fn differing(old: &str, new: &str) -> Option<(Range<usize>, Range<usize>)> {
    let (olds, news) = (old.chars().count(), new.chars().count());
    if olds.max(news) <= LONGEST {
        return None;
    }
    let start = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    let most = olds.min(news) - start;
    let shared = old.chars().rev().zip(new.chars().rev()).take_while(|(old, new)| old == new).count();
    let end = shared.min(most);
    if (start + end) * LEAST_COMMON < olds.max(news) {
        return None;
    }
    Some((start..olds - end, start..news - end))
}

/// Returns the parts of a line to show. A short line is shown in full. A long line is shown around
/// its changed characters, or from its beginning if no changes are known.
pub(super) fn parts<'a>(text: &'a str, changed: Option<&[Range<usize>]>) -> Vec<Part<'a>> {
    let length = text.chars().count();
    if length <= LONGEST {
        return vec![Part::Shown { text, start: 0 }];
    }
    let changed = changed.unwrap_or_default();
    let windows = match changed {
        [] => std::iter::once(0..LONGEST).collect(),
        changed => windows(changed, length),
    };
    let mut parts = Vec::new();
    let (mut rest, mut at) = (text, 0);
    for window in windows {
        let (before, after) = split_at_char(rest, window.start - at);
        if !before.is_empty() {
            parts.push(Part::LeftOut(window.start - at));
        }
        let (shown, after) = split_at_char(after, window.len());
        parts.push(Part::Shown { text: shown, start: window.start });
        (rest, at) = (after, window.end);
    }
    if at < length {
        parts.push(Part::LeftOut(length - at));
    }
    parts
}

/// Returns the ranges to show around the changes. Overlapping ranges are joined, and their total
/// length is limited to that of a shown line.
fn windows(changed: &[Range<usize>], length: usize) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    let mut room = LONGEST;
    for range in changed {
        let start = range.start.saturating_sub(AROUND);
        let end = range.end.saturating_add(AROUND).min(length);
        let (joins, from) = match windows.last() {
            Some(last) if start <= last.end => (true, last.end),
            _ => (false, start.min(length)),
        };
        let to = end.max(from).min(from + room);
        room -= to - from;
        match windows.last_mut().filter(|_| joins) {
            Some(last) => last.end = to,
            None if to > from => windows.push(from..to),
            None => {}
        }
        if room == 0 {
            break;
        }
    }
    windows
}

/// Splits a text after `chars` characters.
pub(super) fn split_at_char(text: &str, chars: usize) -> (&str, &str) {
    text.split_at(text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_out(parts: &[Part<'_>]) -> Vec<usize> {
        let count = |part: &Part<'_>| match part {
            Part::LeftOut(count) => Some(*count),
            Part::Shown { .. } => None,
        };
        parts.iter().filter_map(count).collect()
    }

    #[test]
    fn a_long_line_is_shown_around_what_changes() {
        let (before, after) = (
            format!("{}ä{}", "x".repeat(10_000), "y".repeat(9_000)),
            format!("{}öö{}", "x".repeat(10_000), "y".repeat(9_000)),
        );
        let (old, new) = differing(&before, &after).unwrap();
        assert_eq!((old.clone(), new), (10_000..10_001, 10_000..10_002));
        let parts = parts(&before, Some(&[old]));
        assert_eq!(left_out(&parts), [9_700, 8_700]);
        assert!(
            matches!(&parts[1], Part::Shown { text, start: 9_700 } if text.contains('ä') && text.chars().count() == 601)
        );
    }

    #[test]
    fn changes_that_are_apart_have_a_part_each_and_there_is_an_end_to_it() {
        let line = "z".repeat(50_000);
        assert_eq!(left_out(&parts(&line, Some(&[100..101, 500..501, 20_000..20_001]))), [18_899, 29_699]);
        let many: Vec<Range<usize>> = (0..40).map(|number| number * 1_000..number * 1_000 + 1).collect();
        let shown: usize = parts(&line, Some(&many))
            .iter()
            .map(|part| if let Part::Shown { text, .. } = part { text.chars().count() } else { 0 })
            .sum();
        assert_eq!(shown, LONGEST);
        assert_eq!(left_out(&parts(&line, None)), [46_000]);
        assert_eq!(left_out(&parts(&line, Some(std::slice::from_ref(&(0..50_000))))), [46_000]);
        assert_eq!(parts("short", None), [Part::Shown { text: "short", start: 0 }]);
    }

    #[test]
    fn other_lines_are_not_versions_of_each_other() {
        assert_eq!(differing(&"a".repeat(9_000), &"b".repeat(9_000)), None);
        assert_eq!(differing("a b", "a c"), None);
        assert_eq!(differing(&"a".repeat(9_000), &"a".repeat(9_001)), Some((9_000..9_000, 9_000..9_001)));
    }
}
