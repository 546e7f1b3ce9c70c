//! The two tables of a page: lines one below the other, and lines that go beside lines that come.
use std::fmt::Write as _;

use super::diff::{Hunk, Line, Side};
use super::escape::{marked, shown};
use super::words::counted;

/// Characters of a line that are shown.
const LONGEST_LINE: usize = 4_000;

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
}

/// A table of no more than so many bytes and a line, and whether something was left out.
pub(super) fn table(layout: Layout, hunks: &[Hunk<'_>], room: usize) -> (String, bool) {
    let mut out = format!("<table class=\"{}\">\n", layout.class());
    if layout == Layout::Split {
        out.push_str("<colgroup><col class=\"n\"><col><col class=\"n\"><col></colgroup>\n");
    }
    let (mut next, mut is_cut) = (1, false);
    for hunk in hunks {
        if hunk.old_start > next {
            let lines = counted((hunk.old_start - next) as u64, "unchanged line");
            let _ = writeln!(out, "<tr class=\"gap\"><td colspan=\"4\">⋯ {lines}</td></tr>");
        }
        next = hunk.old_start + hunk.count(Side::Old);
        is_cut = match layout {
            Layout::Unified => unified(hunk, room, &mut out),
            Layout::Split => split(hunk, room, &mut out),
        };
        if is_cut {
            break;
        }
    }
    out.push_str("</table>\n");
    (out, is_cut)
}

pub(super) fn class(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
        Side::Both => "both",
    }
}

/// Whether it was cut.
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

/// Whether it was cut.
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
        let (mut gone, mut come) = (of(Side::Old), of(Side::New));
        loop {
            let (left, right) = (gone.next(), come.next());
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

/// The line with the words that differ, or as much of it as anybody reads.
fn text(line: &Line<'_>) -> String {
    let element = if line.side == Side::Old { "del" } else { "ins" };
    let (begin, more) = match line.text.char_indices().nth(LONGEST_LINE) {
        Some((at, _)) => (&line.text[..at], line.text[at..].chars().count()),
        None => (line.text, 0),
    };
    let mut out = match line.words {
        Some(words) => marked(begin, words, element),
        None => shown(begin),
    };
    if more > 0 {
        let _ = write!(out, "<i> … {}</i>", counted(more as u64, "more character"));
    }
    if line.is_unfinished {
        out.push_str("<i> no newline at end</i>");
    }
    out
}
