//! Renders the lines of a page in one of its two layouts: unified, or with removed lines beside
//! added lines.
use std::fmt::Write as _;
use std::ops::Range;

use super::diff::{Diff, Hunk, Line, Side};
use super::escape::{marked, shown};
use super::long_lines::{self, Part};
use super::words::counted;

/// The most unchanged lines that a fold holds. If there are more, only their number is shown.
const MOST_FOLDED: usize = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Unified,
    Split,
}

impl Layout {
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Unified => "unified",
            Self::Split => "split",
        }
    }

    /// Returns the columns. They have the same widths in all tables, so that lines are aligned.
    fn columns(self) -> &'static str {
        match self {
            Self::Unified => "<col class=\"n\"><col class=\"n\"><col class=\"sign\"><col>",
            Self::Split => "<col class=\"n\"><col><col class=\"n\"><col>",
        }
    }
}

/// Renders all hunks of a text in `room` bytes, which may be exceeded by about one line. Also
/// returns whether something was left out.
pub(super) fn write(layout: Layout, diff: &Diff<'_>, hunks: &[Hunk<'_>], room: usize) -> (String, bool) {
    let mut out = format!("<div class=\"{}\">\n", layout.class());
    let mut is_cut = false;
    for (index, hunk) in hunks.iter().enumerate() {
        match index.checked_sub(1).and_then(|before| hunks.get(before)) {
            Some(before) => gap(layout, &diff.between(before, hunk), room, &mut out),
            None if hunk.old_start > 1 => {
                let lines = counted((hunk.old_start - 1) as u64, "unchanged line");
                let _ = writeln!(out, "<p class=\"gap\">⋯ {lines}</p>");
            }
            None => {}
        }
        is_cut = table(layout, hunk, room, &mut out);
        if is_cut {
            break;
        }
    }
    out.push_str("</div>\n");
    (out, is_cut)
}

/// Renders the unchanged lines between two changes as a fold. Without room for them, renders only
/// their number.
fn gap(layout: Layout, lines: &Hunk<'_>, room: usize, out: &mut String) {
    let count = counted(lines.lines.len() as u64, "unchanged line");
    let mut fold = String::new();
    let is_cut =
        lines.lines.len() > MOST_FOLDED || table(layout, lines, room.saturating_sub(out.len()), &mut fold);
    let _ = match is_cut {
        true => writeln!(out, "<p class=\"gap\">⋯ {count}</p>"),
        false => writeln!(out, "<details class=\"gap\">\n<summary>⋯ {count}</summary>\n{fold}</details>"),
    };
}

pub(super) fn class(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
        Side::Both => "both",
    }
}

/// Writes the lines of a hunk. Returns whether some were left out.
fn table(layout: Layout, hunk: &Hunk<'_>, room: usize, out: &mut String) -> bool {
    let _ = writeln!(out, "<table>\n<colgroup>{}</colgroup>", layout.columns());
    let is_cut = match layout {
        Layout::Unified => unified(hunk, room, out),
        Layout::Split => split(hunk, room, out),
    };
    out.push_str("</table>\n");
    is_cut
}

fn unified(hunk: &Hunk<'_>, room: usize, out: &mut String) -> bool {
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    for line in &hunk.lines {
        if out.len() > room {
            return true;
        }
        let number =
            |count: usize, other: Side| if line.side == other { String::new() } else { count.to_string() };
        let _ = writeln!(
            out,
            "<tr class=\"{}\"><th>{}</th><th>{}</th><td class=\"sign\">{}</td><td>{}</td></tr>",
            class(line.side),
            number(old, Side::New),
            number(new, Side::Old),
            line.side.sign(),
            text(line)
        );
        old += usize::from(line.side != Side::New);
        new += usize::from(line.side != Side::Old);
    }
    false
}

fn split(hunk: &Hunk<'_>, room: usize, out: &mut String) -> bool {
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    let mut rest = hunk.lines.as_slice();
    while let Some(first) = rest.first() {
        if out.len() > room {
            return true;
        }
        if first.side == Side::Both {
            let cell = |number: usize| format!("<th>{number}</th><td>{}</td>", text(first));
            let _ = writeln!(out, "<tr>{}{}</tr>", cell(old), cell(new));
            (old, new, rest) = (old + 1, new + 1, &rest[1..]);
            continue;
        }
        let changed = rest.iter().take_while(|line| line.side != Side::Both).count();
        let (block, after) = rest.split_at(changed);
        let of = |side: Side| block.iter().filter(move |line| line.side == side);
        let (mut removed, mut added) = (of(Side::Old), of(Side::New));
        loop {
            let (left, right) = (removed.next(), added.next());
            if left.is_none() && right.is_none() {
                break;
            }
            if out.len() > room {
                return true;
            }
            let _ = writeln!(out, "<tr>{}{}</tr>", cell(left, old), cell(right, new));
            old += usize::from(left.is_some());
            new += usize::from(right.is_some());
        }
        rest = after;
    }
    false
}

fn cell(line: Option<&Line<'_>>, number: usize) -> String {
    match line {
        Some(line) => {
            let class = class(line.side);
            format!("<th class=\"{class}\">{number}</th><td class=\"{class}\">{}</td>", text(line))
        }
        None => "<th class=\"none\"></th><td class=\"none\"></td>".to_owned(),
    }
}

/// Renders a line with its changed words marked. Of a long line, renders only the parts around
/// them.
fn text(line: &Line<'_>) -> String {
    let element = if line.side == Side::Old { "del" } else { "ins" };
    let mut out = String::new();
    for part in long_lines::parts(line.text, line.words) {
        match (part, line.words) {
            (Part::Shown { text, start }, Some(words)) => {
                out.push_str(&marked(text, &within(words, start, text.chars().count()), element));
            }
            (Part::Shown { text, .. }, None) => out.push_str(&shown(text)),
            (Part::LeftOut(count), _) => {
                let _ = write!(out, "<i> … {} not shown … </i>", counted(count as u64, "character"));
            }
        }
    }
    if line.is_unfinished {
        out.push_str("<i> no newline at end</i>");
    }
    out
}

/// Clips the ranges to a part of the line, and makes them relative to the start of that part.
fn within(ranges: &[Range<usize>], start: usize, length: usize) -> Vec<Range<usize>> {
    let inside = |at: usize| at.clamp(start, start + length) - start;
    let ranges = ranges.iter().map(|range| inside(range.start)..inside(range.end));
    ranges.filter(|range| !range.is_empty()).collect()
}
