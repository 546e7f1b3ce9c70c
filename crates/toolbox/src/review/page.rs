//! All changes as one page: no script, nothing loaded, other people's text escaped. The colours are those of the host, where it
//! gives them (`--mcp-*`); people choose between unified and side by side, with nothing but style sheets behind it.
use std::fmt::Write as _;

use super::super::change::{Body, EntryKind, Inner, Tree, What};
use super::diff::{Diff, Hunk, MOST_AROUND, Side};
use super::escape::{escaped, shown};
use super::rows::{self, Layout};
use super::words;

/// Bytes of each of the two tables of all changes, and of everything else.
const LONGEST: usize = 1 << 20;

const HEAD: &str = include_str!("page.html");
const TAIL: &str = "</main>\n</body>\n</html>\n";
const SWITCH: &str = "<fieldset class=\"switch\"><legend>How changes are shown</legend>\
    <input type=\"radio\" name=\"as\" id=\"as-unified\" checked><label for=\"as-unified\">Unified</label>\
    <input type=\"radio\" name=\"as\" id=\"as-split\"><label for=\"as-split\">Side by side</label></fieldset>\n";
const TOO_LONG: &str = "<p class=\"note\">The rest is too long to be shown.</p>\n";

/// What is left of the room for each part.
struct Room {
    unified: usize,
    split: usize,
    rest: usize,
}

/// `irreversible` says why the changes can't be undone, where that is so.
pub(super) fn write(tool: &str, diffs: &[Diff<'_>], irreversible: Option<&str>) -> String {
    let mut out = HEAD.replace("{{title}}", &escaped(tool));
    head(tool, diffs, irreversible, &mut out);
    let mut room = Room { unified: LONGEST, split: LONGEST, rest: LONGEST };
    for diff in diffs {
        let part = section(diff, &mut room);
        let Some(part) = part else {
            out.push_str(TOO_LONG);
            break;
        };
        out.push_str(&part);
    }
    out.push_str(TAIL);
    out
}

fn head(tool: &str, diffs: &[Diff<'_>], irreversible: Option<&str>, out: &mut String) {
    let changes = words::counted(diffs.len() as u64, "change");
    let sum = |of: fn(&Diff<'_>) -> usize| diffs.iter().map(of).sum::<usize>();
    let lines = counts(sum(|diff| diff.added), sum(|diff| diff.removed));
    let _ = write!(
        out,
        "<header>\n<h1>Changes by <code>{}</code></h1>\n<p>{changes} {lines}</p>\n",
        escaped(tool)
    );
    if let Some(why) = irreversible {
        let _ = writeln!(
            out,
            "<p class=\"warning\" role=\"alert\"><strong>This can’t be undone:</strong> {}.</p>",
            escaped(why)
        );
    }
    if diffs.iter().any(|diff| diff.is_text) {
        out.push_str(SWITCH);
    }
    out.push_str("</header>\n<main>\n");
}

/// One change. None where there is no room left.
fn section(diff: &Diff<'_>, room: &mut Room) -> Option<String> {
    let change = diff.change;
    let kind = change.kind().word();
    let label = escaped(&change.label);
    let name = match &change.from {
        Some(from) => format!("<s>{} →</s> {label}", escaped(from)),
        None => label,
    };
    let mut out =
        format!("<details open>\n<summary><h2>{name}</h2> <span class=\"kind {kind}\">{kind}</span>");
    if diff.is_text {
        let _ = write!(out, " {}", counts(diff.added, diff.removed));
    }
    out.push_str("</summary>\n");
    if diff.is_text {
        tables(diff, room, &mut out);
    } else {
        describe(diff, &mut out);
        room.rest = room.rest.checked_sub(out.len())?;
    }
    out.push_str("</details>\n");
    room.rest = room.rest.checked_sub(300 + name.len())?;
    Some(out)
}

fn tables(diff: &Diff<'_>, room: &mut Room, out: &mut String) {
    let hunks: Vec<Hunk<'_>> = diff.hunks(MOST_AROUND).collect();
    if hunks.is_empty() {
        out.push_str("<p class=\"note\">No line differs.</p>\n");
        return;
    }
    for layout in [Layout::Unified, Layout::Split] {
        let left = match layout {
            Layout::Unified => &mut room.unified,
            Layout::Split => &mut room.split,
        };
        let (table, is_cut) = rows::table(layout, &hunks, *left);
        *left = left.saturating_sub(table.len());
        out.push_str(&table);
        if is_cut {
            let _ = write!(out, "<div class=\"{}\">{TOO_LONG}</div>", layout.class());
        }
    }
}

/// What has no lines that could be compared.
fn describe(diff: &Diff<'_>, out: &mut String) {
    let (before, after) = diff.change.sides();
    match (&diff.change.what, before, after) {
        (What::Edited { .. }, Some(before), Some(after)) => {
            out.push_str("<table class=\"facts\">\n");
            for (side, word, body) in [(Side::Old, "before", before), (Side::New, "after", after)] {
                let class = rows::class(side);
                let facts = escaped(&words::of(body));
                let _ = writeln!(out, "<tr class=\"{class}\"><th>{word}</th><td>{facts}</td></tr>");
            }
            out.push_str("</table>\n");
        }
        (What::Moved(body) | What::Copied(body), ..) => {
            let _ = writeln!(
                out,
                "<p class=\"note\">The content stays the same: {}.</p>",
                escaped(&words::of(body))
            );
        }
        (_, before, after) => {
            if let Some(body) = before.or(after) {
                let _ = writeln!(out, "<p class=\"note\">{}</p>", escaped(&words::of(body)));
            }
        }
    }
    for body in [before.filter(|_| !matches!(diff.change.what, What::Moved(_) | What::Copied(_))), after] {
        if let Some(Body(Inner::Tree(tree))) = body {
            list(tree, out);
        }
    }
}

fn list(tree: &Tree, out: &mut String) {
    if tree.entries.is_empty() {
        return;
    }
    out.push_str("<ol tabindex=\"0\">\n");
    for entry in &tree.entries {
        let size = if entry.kind == EntryKind::File { words::bytes(entry.bytes) } else { String::new() };
        let path = shown(&entry.path_in_list());
        let _ = writeln!(out, "<li><span>{path}</span><small>{size}</small></li>");
    }
    if tree.left_out() > 0 {
        let _ = writeln!(out, "<li><small>{}</small></li>", words::more(tree.left_out()));
    }
    out.push_str("</ol>\n");
}

fn counts(added: usize, removed: usize) -> String {
    format!(
        "<span class=\"count\"><span class=\"plus\">+{added}</span> <span class=\"minus\">−{removed}</span></span>"
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::change::{Blob, Change};
    use super::*;

    fn page(changes: &[Change]) -> String {
        let diffs: Vec<Diff<'_>> = changes.iter().map(Diff::of).collect();
        write("t", &diffs, None)
    }

    #[test]
    fn b_17_a_page_shows_what_changes_and_not_the_file() {
        let before: String = (0..40_000).map(|number| format!("line {number}\n")).collect();
        let after = before.replace("line 20000\n", "row 20000\n");
        let page = page(&[Change::edited("f", before, after)]);
        assert!(page.len() < 20_000, "{}", page.len());
        assert!(page.contains("<del>line</del> 20000") && page.contains("<ins>row</ins> 20000"));
        assert!(page.contains("19,995 unchanged lines"), "{page}");
    }

    #[test]
    fn b_17_what_is_too_long_is_cut_in_both_tables_and_says_so() {
        let long = "x".repeat(3 << 20);
        let many: String = (0..200_000).map(|number| format!("<{number}>\n")).collect();
        for text in [long, many] {
            let page = page(&[Change::created("f", text)]);
            assert!(page.len() < 4 * LONGEST, "{}", page.len());
            assert!(page.contains("too long") || page.contains("more characters"));
        }
    }

    #[test]
    fn what_cannot_be_undone_is_said_first() {
        let change = Change::deleted("big", Blob::new(9));
        let page = write("t", &[Diff::of(&change)], Some("`<b>` takes 9 bytes"));
        let (said, shown) =
            (page.find("This can’t be undone:</strong> `&lt;b&gt;` takes 9 bytes."), page.find("<main>"));
        assert!(said.is_some() && said < shown, "{page}");
    }

    #[test]
    fn folders_and_bytes_are_shown() {
        let mut tree = Tree::new();
        tree.folder("s<1>");
        (0..2_000).for_each(|number| tree.file(format!("s/{number}"), 7));
        let page = page(&[
            Change::deleted("d", tree),
            Change::edited("p.png", Blob::new(1), Blob::new(2).media_type("image/png")),
            Change::moved("a", "b", Blob::new(9)),
            Change::folder("new"),
        ]);
        for part in [
            "folder with 2,000 files, 1 folder, 14,000 bytes",
            "<span>s&lt;1&gt;/</span>",
            "<small>7 bytes</small>",
            "… and 1,001 more",
            "<td>2 bytes, image/png</td>",
            "<s>a →</s> b",
            "The content stays the same: 9 bytes.",
            "empty folder",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        // Nothing to switch between.
        assert!(!page.contains("as-split\">"));
    }
}
