//! Tables whose columns are fitted to a width.
use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::style::{DIM, paint};

/// Rows under a header. If the width is short, the last column is narrowed first.
#[derive(Debug)]
pub(super) struct Table {
    header: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

/// A one-line text that is safe to print, with its style.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    text: String,
    style: Style,
}

/// Spaces before each row, and between two columns.
const INDENT: usize = 2;
const GAP: usize = 2;
/// Minimum column width as long as the table fits.
const LEAST: usize = 11;
/// Minimum column width if that does not fit. `NARROWEST` is the last resort.
const NARROW: usize = 5;
const NARROWEST: usize = 1;
/// Maximum width of a cell if there is no terminal to fit.
const WIDEST: usize = 100;

impl Cell {
    pub(super) fn new(text: String, style: Style) -> Self {
        Self { text, style }
    }
}

impl Table {
    pub(super) fn new(header: Vec<&'static str>) -> Self {
        Self { header, rows: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Whether any cell would be cut at this width.
    pub(super) fn is_cut(&self, width: Option<usize>) -> bool {
        let widest = |column: usize| self.rows.iter().map(|row| row[column].text.width()).max().unwrap_or(0);
        let natural: Vec<usize> = (0..self.header.len())
            .map(|column| (widest(column), self.header[column].len()))
            .filter(|(widest, _)| *widest > 0)
            .map(|(widest, header)| widest.max(header))
            .collect();
        let gaps = INDENT + GAP * natural.len().saturating_sub(1);
        width.is_some_and(|width| natural.iter().sum::<usize>() + gaps > width)
    }

    /// Renders the table as lines, within `width` columns if given. Columns without any text are
    /// omitted.
    pub(super) fn render(&self, width: Option<usize>) -> String {
        let natural: Vec<usize> = (0..self.header.len())
            .map(|column| self.rows.iter().map(|row| row[column].text.width()).max().unwrap_or(0))
            .collect();
        let shown: Vec<usize> = (0..natural.len()).filter(|column| natural[*column] > 0).collect();
        let wanted =
            shown.iter().map(|column| natural[*column].max(self.header[*column].len()).min(WIDEST)).collect();
        let widths = fit(wanted, width);
        let mut out = String::new();
        let header = shown.iter().map(|column| (self.header[*column].to_owned(), DIM));
        push_row(&mut out, header, &widths);
        for row in &self.rows {
            let cells = shown.iter().map(|column| (row[*column].text.clone(), row[*column].style));
            push_row(&mut out, cells, &widths);
        }
        out
    }
}

/// Narrows columns in steps until the table fits: the last column, those in the middle, the last
/// again. The first column contains what a user types, so it is narrowed last.
fn fit(mut widths: Vec<usize>, width: Option<usize>) -> Vec<usize> {
    let Some(width) = width else { return widths };
    let gaps = INDENT + GAP * widths.len().saturating_sub(1);
    let mut over = widths.iter().sum::<usize>().saturating_sub(width.saturating_sub(gaps));
    let last = widths.len().saturating_sub(1);
    let (ending, middle) = (last.max(1)..last + 1, 1..last);
    let steps = [
        (ending.clone(), 40),
        (middle.clone(), 16),
        (ending, 24),
        (middle, LEAST),
        (1..last + 1, LEAST),
        (1..last + 1, NARROW),
        (0..last + 1, NARROW),
        (0..last + 1, NARROWEST),
    ];
    for (columns, least) in steps {
        while over > 0 {
            let columns = widths.get_mut(columns.clone()).into_iter().flatten();
            let Some(widest) = columns.filter(|width| **width > least).max() else { break };
            *widest -= 1;
            over -= 1;
        }
    }
    widths
}

fn push_row(out: &mut String, cells: impl Iterator<Item = (String, Style)>, widths: &[usize]) {
    let mut line = " ".repeat(INDENT);
    let mut spaces = 0;
    for ((text, style), width) in cells.zip(widths) {
        let text = cut(&text, *width);
        line.push_str(&" ".repeat(spaces));
        spaces = width - text.width().min(*width) + GAP;
        if text.is_empty() {
            continue;
        }
        line.push_str(&paint(style, &text));
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// Cuts a text to `width` columns; ends it with `…` if something is missing.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used + 1 > width {
            break;
        }
        out.push(c);
    }
    format!("{}…", out.trim_end())
}

#[cfg(test)]
mod tests {
    use super::super::style::PLAIN;
    use super::*;

    fn table(width: Option<usize>) -> String {
        let mut table = Table::new(vec!["NAME", "NONE", "DESCRIPTION"]);
        for (name, text) in
            [("a", "short"), ("a-rather-long-name", "words words words words words 日本語日本語")]
        {
            table.row([name, "", text].map(|text| Cell::new(text.to_owned(), PLAIN)).to_vec());
        }
        anstream::adapter::strip_str(&table.render(width)).to_string()
    }

    #[test]
    fn columns_fit_the_width() {
        assert_eq!(
            table(None),
            "  NAME                DESCRIPTION\n  a                   short\n  a-rather-long-name  words words words words words 日本語日本語\n"
        );
        for width in 26..80 {
            assert!(table(Some(width)).lines().all(|line| line.width() <= width), "{width}");
        }
        assert!(
            table(Some(52)).ends_with("a-rather-long-name  words words words words words…\n"),
            "{}",
            table(Some(52))
        );
        assert_eq!(table(Some(40)).lines().nth(2).unwrap(), "  a-rather-long-name  words words words…");
    }

    #[test]
    fn u_06_many_columns_fit_any_width() {
        let mut table =
            Table::new(vec!["ID", "SERVER", "TOOL", "HOLDS", "PROJECT", "CLIENT", "SINCE", "SCOPES"]);
        let cells =
            ["g-1", "server-filesystem", "create_entities", "until revoked, at most until 2026-11-18"];
        let more =
            ["/home/ada/projects/site", "claude-code 2.0.1", "2026-11-17 16:04", "write:file:/home/ada"];
        table.row(cells.iter().chain(&more).map(|text| Cell::new((*text).to_owned(), PLAIN)).collect());
        for width in 24..200 {
            let text = anstream::adapter::strip_str(&table.render(Some(width))).to_string();
            assert!(text.lines().all(|line| line.width() <= width), "{width}: {text}");
        }
        // The column that users type is cut last.
        let text = anstream::adapter::strip_str(&table.render(Some(60))).to_string();
        assert!(text.lines().nth(1).unwrap().starts_with("  g-1  "), "{text}");
    }

    #[test]
    fn cutting_counts_columns_not_letters() {
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
    }
}
