//! All changes as one page: no script, nothing loaded, other people's text escaped. The colours are those of the host, where it
//! gives them (`--mcp-*`).
use std::fmt::Write as _;

use overt_wire::text::Untrusted;

use super::diff::{Diff, Hunk, Line, Side};
use super::unified;

/// More than in a diff, because people want to see what a line is part of.
pub(super) const AROUND: usize = 10;
/// Bytes of the whole page.
const LONGEST: usize = 2 << 20;

const HEAD: &str = include_str!("page.html");
const TAIL: &str = "</body>\n</html>\n";
const TOO_LONG: &str = "<p class=\"note\">The rest is too long to be shown.</p>\n";

pub(super) fn write(tool: &str, diffs: &[Diff<'_>]) -> String {
    let mut out = HEAD.replace("{{title}}", &escaped(tool));
    for diff in diffs {
        if out.len() > LONGEST {
            out.push_str(TOO_LONG);
            break;
        }
        let change = diff.change;
        let name = match &change.from {
            Some(from) => format!("{} → {}", escaped(from), escaped(&change.label)),
            None => escaped(&change.label),
        };
        let _ = writeln!(
            out,
            "<section>\n<h2>{name} <small>{}, +{} −{}</small></h2>",
            change.kind().word(),
            diff.added,
            diff.removed
        );
        if !diff.is_text {
            let mut words = String::new();
            unified::describe(change, &mut words);
            let _ = writeln!(out, "<pre>{}</pre>\n</section>", escaped_lines(&words));
            continue;
        }
        let hunks: Vec<Hunk<'_>> = diff.hunks(AROUND).collect();
        table(&mut out, "Unified", "open", "unified", &hunks, in_one);
        table(&mut out, "Side by side", "", "split", &hunks, split);
        out.push_str("</section>\n");
    }
    out.push_str(TAIL);
    out
}

/// A table that can be folded.
fn table(
    out: &mut String,
    title: &str,
    open: &str,
    class: &str,
    hunks: &[Hunk<'_>],
    rows: fn(&Hunk<'_>, &mut String),
) {
    let _ = writeln!(out, "<details {open}><summary>{title}</summary><table class=\"{class}\">");
    for (index, hunk) in hunks.iter().enumerate() {
        if out.len() > LONGEST {
            out.push_str("<tr><td colspan=\"4\">…</td></tr>\n");
            break;
        }
        if index > 0 {
            out.push_str("<tr class=\"gap\"><td colspan=\"4\">⋯</td></tr>\n");
        }
        rows(hunk, out);
    }
    out.push_str("</table></details>\n");
}

fn in_one(hunk: &Hunk<'_>, out: &mut String) {
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    for line in &hunk.lines {
        let number =
            |count: usize, other: Side| if line.side == other { String::new() } else { count.to_string() };
        let _ = writeln!(
            out,
            "<tr class=\"{}\"><th>{}</th><th>{}</th><td>{}</td><td>{}</td></tr>",
            class(line.side),
            number(old, Side::New),
            number(new, Side::Old),
            line.side.sign(),
            shown(line)
        );
        old += usize::from(line.side != Side::New);
        new += usize::from(line.side != Side::Old);
        if out.len() > LONGEST {
            return;
        }
    }
}

/// Lines that go beside lines that come.
fn split(hunk: &Hunk<'_>, out: &mut String) {
    let (mut old, mut new) = (hunk.old_start, hunk.new_start);
    let mut rest = hunk.lines.as_slice();
    while let Some(first) = rest.first() {
        if out.len() > LONGEST {
            return;
        }
        if first.side == Side::Both {
            let cell = |number: usize| format!("<th>{number}</th><td>{}</td>", shown(first));
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
            let cell = |line: Option<&Line<'_>>, number: usize| match line {
                Some(line) => {
                    format!("<th>{number}</th><td class=\"{}\">{}</td>", class(line.side), shown(line))
                }
                None => "<th></th><td></td>".to_owned(),
            };
            let _ = writeln!(out, "<tr>{}{}</tr>", cell(left, old), cell(right, new));
            old += usize::from(left.is_some());
            new += usize::from(right.is_some());
        }
        rest = after;
    }
}

fn class(side: Side) -> &'static str {
    match side {
        Side::Old => "old",
        Side::New => "new",
        Side::Both => "both",
    }
}

/// What can't be seen, or changes the direction of text, is shown for what it is.
fn shown(line: &Line<'_>) -> String {
    let ending = if line.is_unfinished { "<i title=\"no newline at end of file\">⏎̸</i>" } else { "" };
    let text: Vec<String> = line.text.split('\t').map(escaped).collect();
    format!("{}{ending}", text.join("\t"))
}

fn escaped_lines(text: &str) -> String {
    text.lines().map(escaped).collect::<Vec<_>>().join("\n")
}

fn escaped(text: &str) -> String {
    Untrusted(text)
        .to_string()
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
