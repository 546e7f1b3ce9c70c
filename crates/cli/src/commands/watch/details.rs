//! All of a question as lines of a screen. Long lines are wrapped, so nothing is cut.
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// A line of the screen, and its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) kind: RowKind,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    Text,
    /// A line that a diff adds. `Removed` and `Place` are the diff's other lines.
    Added,
    Removed,
    Place,
}

/// A text, and its rows at the last requested width.
#[derive(Debug, Clone)]
pub(super) struct Details {
    text: String,
    width: usize,
    rows: Vec<Row>,
}

/// The indentation of diffs.
const INDENT: &str = "    ";
/// What replaces a tab.
const TAB: &str = "    ";

impl Details {
    pub(super) fn new(text: String) -> Self {
        Self { text, width: 0, rows: Vec::new() }
    }

    /// Returns the rows at this width.
    pub(super) fn rows(&mut self, width: usize) -> &[Row] {
        if self.width != width {
            self.width = width;
            self.rows = rows(&self.text, width.max(1));
        }
        &self.rows
    }
}

fn rows(text: &str, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut in_diff = false;
    for line in text.lines() {
        in_diff |= line == "  changes";
        let kind = match line.strip_prefix(INDENT).filter(|_| in_diff).and_then(|rest| rest.chars().next()) {
            Some('+') => RowKind::Added,
            Some('-') => RowKind::Removed,
            Some('@') => RowKind::Place,
            _ => RowKind::Text,
        };
        rows.extend(wrapped(&line.replace('\t', TAB), width).into_iter().map(|text| Row { kind, text }));
    }
    rows
}

/// Wraps a line, between words where possible. All characters are kept.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let mut row = String::new();
    for c in line.chars() {
        if !row.is_empty() && row.width() + c.width().unwrap_or(0) > width {
            let indent = row.len() - row.trim_start().len();
            let word = row.rfind(' ').map(|at| at + 1).filter(|at| *at > indent && c != ' ');
            let rest = row.split_off(word.unwrap_or(row.len()));
            rows.push(std::mem::replace(&mut row, rest));
        }
        row.push(c);
    }
    rows.push(row);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_cut_and_diffs_are_known_by_their_signs() {
        let text = "wants\n- a list\n  changes\n    @@ -1 +1 @@\n    -old line\n    +new\tline\n     same\n";
        let mut details = Details::new(text.to_owned());
        let kinds: Vec<RowKind> = details.rows(80).iter().map(|row| row.kind).collect();
        let expected = [
            RowKind::Text,
            RowKind::Text,
            RowKind::Text,
            RowKind::Place,
            RowKind::Removed,
            RowKind::Added,
            RowKind::Text,
        ];
        assert_eq!(kinds, expected);
        for width in 1..20 {
            let rows = details.rows(width).to_vec();
            let joined: String = rows.iter().map(|row| row.text.as_str()).collect();
            assert_eq!(joined, text.replace('\n', "").replace('\t', TAB), "{width}");
            assert!(rows.iter().all(|row| row.text.chars().count() <= width), "{width}");
        }
    }

    #[test]
    fn wide_characters_count_twice() {
        let rows = wrapped("日本語", 4);
        assert_eq!(rows, ["日本", "語"]);
        // A character that is too wide for a row gets its own row.
        assert_eq!(wrapped("日a", 1), ["日", "a"]);
        assert_eq!(wrapped("one two three", 9), ["one two ", "three"]);
        assert_eq!(wrapped("  a-long-word", 6), ["  a-lo", "ng-wor", "d"]);
    }
}
