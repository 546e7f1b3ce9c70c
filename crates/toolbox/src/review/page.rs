//! All changes as one page: no script, nothing loaded, other people's text escaped. The colours are
//! those of the host, where it gives them (`--mcp-*`). The switch between unified and side by side,
//! and the folds, work without script.
use std::fmt::Write as _;

use overt_wire::rfc3339::format_millis;

use super::super::body::{Body, EntryKind, Inner, Tree};
use super::super::change::{ChangeKind, Kind};
use super::diff::{Diff, Hunk, Side};
use super::escape::{escaped, shown};
use super::facts::Facts;
use super::rows::{self, Layout};
use super::trim::MOST_AROUND;
use super::words;

/// Bytes of each of the two layouts of all changes, and of everything else.
const LONGEST: usize = 1 << 20;

const HEAD: &str = include_str!("page.html");
const TAIL: &str = "</main>\n</body>\n</html>\n";
const SWITCH: &str = "<fieldset class=\"switch\"><legend>How changes are shown</legend>\
    <input type=\"radio\" name=\"as\" id=\"as-unified\" checked><label for=\"as-unified\">Unified</label>\
    <input type=\"radio\" name=\"as\" id=\"as-split\"><label for=\"as-split\">Side by side</label></fieldset>\n";
const TOO_LONG: &str = "<p class=\"note\">The rest is too long to be shown.</p>\n";

/// A page without what it says about its call, which is known later.
#[derive(Debug)]
pub(super) struct Page {
    /// The name of the tool, escaped.
    tool: String,
    /// How much changes, why it can't be undone, and the switch.
    overview: String,
    /// The changes.
    body: String,
}

/// How many more bytes fit into each part.
struct Room {
    unified: usize,
    split: usize,
    rest: usize,
}

impl Page {
    /// `irreversible` says why the changes can't be undone, where that is so.
    pub(super) fn render(tool: &str, diffs: &[Diff<'_>], irreversible: Option<&str>) -> Self {
        let mut body = String::new();
        let mut room = Room { unified: LONGEST, split: LONGEST, rest: LONGEST };
        for diff in diffs {
            let Some(section) = section(diff, &mut room) else {
                body.push_str(TOO_LONG);
                break;
            };
            body.push_str(&section);
        }
        Self { tool: escaped(tool), overview: overview(diffs, irreversible), body }
    }

    /// The whole page of a call.
    pub(super) fn with(&self, facts: &Facts) -> String {
        let heading = facts.status.heading();
        let mut out = HEAD.replace("{{title}}", &format!("{heading} {}", self.tool));
        let _ = write!(
            out,
            "<header>\n<h1>{heading} <code>{}</code></h1>\n<p class=\"status {}\">{}</p>\n",
            self.tool,
            facts.status.class(),
            facts.status.sentence()
        );
        out.push_str(&about(facts));
        out.push_str(&self.overview);
        out.push_str("</header>\n<main>\n");
        out.push_str(&self.body);
        out.push_str(TAIL);
        out
    }
}

/// Whose call it is, and when.
fn about(facts: &Facts) -> String {
    let time = format_millis(facts.time);
    let shown = time.replace('T', " ");
    let shown = shown.split('.').next().unwrap_or_default();
    let mut out = String::from("<dl>\n");
    let texts = [
        ("Server", Some(facts.origin.server.as_str())),
        ("Client", facts.client.as_deref()),
        ("Project", facts.origin.project.as_deref()),
    ];
    for (name, text) in texts {
        let text = text.map_or_else(|| "<i>unknown</i>".to_owned(), escaped);
        let _ = writeln!(out, "<div><dt>{name}</dt><dd>{text}</dd></div>");
    }
    let _ =
        writeln!(out, "<div><dt>Time</dt><dd><time datetime=\"{time}\">{shown} UTC</time></dd></div>\n</dl>");
    out
}

/// How much changes: things by what happens to them, and lines where texts change.
fn overview(diffs: &[Diff<'_>], irreversible: Option<&str>) -> String {
    let kinds = [Kind::Created, Kind::Edited, Kind::Moved, Kind::Copied, Kind::Deleted];
    let counts = kinds.iter().filter_map(|kind| {
        let count = diffs.iter().filter(|diff| diff.change.kind() == *kind).count();
        (count > 0).then(|| format!("{count} {}", kind.word()))
    });
    let mut out = format!("<p class=\"counts\">{}", counts.collect::<Vec<_>>().join(", "));
    if diffs.iter().any(|diff| diff.is_text) {
        let sum = |of: fn(&Diff<'_>) -> usize| diffs.iter().map(of).sum::<usize>();
        let _ = write!(out, " {} lines", lines(sum(|diff| diff.added), sum(|diff| diff.removed)));
    }
    out.push_str("</p>\n");
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
    out
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
    let mut out = format!(
        "<details class=\"change\" open>\n<summary><h2>{name}</h2> <span class=\"kind {kind}\">{kind}</span>"
    );
    if diff.is_text {
        let _ = write!(out, " {}", lines(diff.added, diff.removed));
    }
    out.push_str("</summary>\n");
    if diff.is_text {
        compared(diff, room, &mut out);
    } else {
        describe(diff, &mut out);
        room.rest = room.rest.checked_sub(out.len())?;
    }
    out.push_str("</details>\n");
    room.rest = room.rest.checked_sub(300 + name.len())?;
    Some(out)
}

fn compared(diff: &Diff<'_>, room: &mut Room, out: &mut String) {
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
        let (text, is_cut) = rows::write(layout, diff, &hunks, *left);
        *left = left.saturating_sub(text.len());
        out.push_str(&text);
        if is_cut {
            let _ = write!(out, "<div class=\"{}\">{TOO_LONG}</div>", layout.class());
        }
    }
}

/// A change that has no lines to compare.
fn describe(diff: &Diff<'_>, out: &mut String) {
    let (before, after) = diff.change.sides();
    match (&diff.change.what, before, after) {
        (ChangeKind::Edited { .. }, Some(before), Some(after)) => {
            out.push_str("<table class=\"facts\">\n");
            for (side, word, body) in [(Side::Old, "before", before), (Side::New, "after", after)] {
                let class = rows::class(side);
                let facts = escaped(&words::of(body));
                let _ = writeln!(out, "<tr class=\"{class}\"><th>{word}</th><td>{facts}</td></tr>");
            }
            out.push_str("</table>\n");
        }
        (ChangeKind::Moved(body) | ChangeKind::Copied(body), ..) => {
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
    for body in
        [before.filter(|_| !matches!(diff.change.what, ChangeKind::Moved(_) | ChangeKind::Copied(_))), after]
    {
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

fn lines(added: usize, removed: usize) -> String {
    format!(
        "<span class=\"count\"><span class=\"plus\">+{added}</span> <span class=\"minus\">−{removed}</span></span>"
    )
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::super::super::body::Blob;
    use super::super::super::change::Change;
    use super::super::facts::{Origin, Status};
    use super::*;

    fn facts(status: Status) -> Facts {
        Facts {
            status,
            time: UNIX_EPOCH + Duration::from_millis(1_780_000_000_250),
            origin: Origin { server: "Files <b>".to_owned(), project: Some("/home/ada/site".to_owned()) },
            client: Some("Claude Code 2.1".to_owned()),
        }
    }

    fn page(changes: &[Change]) -> String {
        let diffs: Vec<Diff<'_>> = changes.iter().map(Diff::of).collect();
        Page::render("t", &diffs, None).with(&facts(Status::Preview))
    }

    /// U-08: whether it happened, when, and whose it is.
    #[test]
    fn u_08_a_page_says_what_became_of_its_changes_and_whose_they_are() {
        let change = Change::created("f", "a\n");
        let page = Page::render("write", &[Diff::of(&change)], None);
        for (status, heading, sentence) in [
            (Status::Preview, "Preview of <code>write</code>", "Preview: nothing was changed."),
            (
                Status::Waiting,
                "Planned changes by <code>write</code>",
                "Not done yet: the call waits for approval.",
            ),
            (Status::Done, "Changes by <code>write</code>", "Done: the call made these changes."),
        ] {
            let text = page.with(&facts(status));
            assert!(text.contains(&format!("<h1>{heading}</h1>")), "{text}");
            assert!(text.contains(&format!(">{sentence}</p>")), "{text}");
            for fact in [
                "<dt>Server</dt><dd>Files &lt;b&gt;</dd>",
                "<dt>Client</dt><dd>Claude Code 2.1</dd>",
                "<dt>Project</dt><dd>/home/ada/site</dd>",
                "<time datetime=\"2026-05-28T20:26:40.250Z\">2026-05-28 20:26:40 UTC</time>",
            ] {
                assert!(text.contains(fact), "{fact}\n{text}");
            }
        }
        let nobody = Facts { client: None, ..facts(Status::Done) };
        assert!(page.with(&nobody).contains("<dt>Client</dt><dd><i>unknown</i></dd>"));
    }

    /// U-08: a change near column 10,000 is on the page.
    #[test]
    fn u_08_a_long_line_is_cut_around_the_change() {
        let line = |word: &str| format!("{}{word}{}\n", "ab, ".repeat(2_500), "cd, ".repeat(2_500));
        let page = page(&[Change::edited("f", line("one"), line("four"))]);
        assert!(page.contains("<del>one</del>cd, ") && page.contains("ab, <ins>four</ins>"), "{page}");
        assert!(page.contains("9,700 characters not shown"), "{page}");
        assert!(page.len() < 20_000, "{}", page.len());
    }

    /// U-08: a deletion without lines counts as one.
    #[test]
    fn u_08_deletions_count() {
        let gone = page(&[Change::deleted("a.png", Blob::new(9)), Change::deleted("b.png", Blob::new(9))]);
        assert!(gone.contains("<p class=\"counts\">2 deleted</p>"), "{gone}");
        assert!(!gone.contains("+0"), "{gone}");
        let both = page(&[Change::deleted("a.txt", "1\n2\n"), Change::created("b", Blob::new(9))]);
        let lines = "<span class=\"plus\">+0</span> <span class=\"minus\">−2</span></span> lines</p>";
        assert!(both.contains("1 created, 1 deleted <span") && both.contains(lines), "{both}");
    }

    /// U-08: the unchanged lines between two changes can be opened.
    #[test]
    fn u_08_unchanged_lines_between_changes_fold() {
        let before: String = (1..=60).map(|number| format!("line {number}\n")).collect();
        let after = before.replace("line 20\n", "x\n").replace("line 50\n", "y\n");
        let page = page(&[Change::edited("f", &before, &after)]);
        assert!(page.contains("<p class=\"gap\">⋯ 14 unchanged lines</p>"), "{page}");
        let fold = "<details class=\"gap\">\n<summary>⋯ 19 unchanged lines</summary>\n<table>";
        assert_eq!(page.matches(fold).count(), 2, "in both layouts: {page}");
        assert!(page.contains("<th>35</th><th>35</th><td class=\"sign\"> </td><td>line 35</td>"), "{page}");
        let long: String = (1..=3_000).map(|number| format!("line {number}\n")).collect();
        let after = long.replace("line 20\n", "x\n").replace("line 2990\n", "y\n");
        let page = self::page(&[Change::edited("f", &long, &after)]);
        assert!(page.contains("<p class=\"gap\">⋯ 2,959 unchanged lines</p>"), "{page}");
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
            assert!(page.contains("too long") || page.contains("characters not shown"));
        }
    }

    #[test]
    fn what_cannot_be_undone_is_said_first() {
        let change = Change::deleted("big", Blob::new(9));
        let page = Page::render("t", &[Diff::of(&change)], Some("`<b>` takes 9 bytes"));
        let page = page.with(&facts(Status::Waiting));
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
