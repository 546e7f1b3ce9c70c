//! What a page shows and what it leaves out.
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
    Page::render("t", &diffs, &[]).with(&facts(Status::Preview))
}

/// U-08: the page shows the status, the time and the owner of a call.
#[test]
fn u_08_a_page_says_what_became_of_its_changes_and_whose_they_are() {
    let change = Change::created("f", "a\n");
    let page = Page::render("write", &[Diff::of(&change)], &[]);
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

/// U-08: the page shows a change near column 10,000.
#[test]
fn u_08_a_long_line_is_cut_around_the_change() {
    let line = |word: &str| format!("{}{word}{}\n", "ab, ".repeat(2_500), "cd, ".repeat(2_500));
    let page = page(&[Change::edited("f", line("one"), line("four"))]);
    assert!(page.contains("<del>one</del>cd, ") && page.contains("ab, <ins>four</ins>"), "{page}");
    assert!(page.contains("9,700 characters not shown"), "{page}");
    assert!(page.len() < 20_000, "{}", page.len());
}

/// U-08: a deletion without lines is counted.
#[test]
fn u_08_deletions_count() {
    let gone = page(&[Change::deleted("a.png", Blob::new(9)), Change::deleted("b.png", Blob::new(9))]);
    assert!(gone.contains("<p class=\"counts\">2 deleted</p>"), "{gone}");
    assert!(!gone.contains("+0"), "{gone}");
    let both = page(&[Change::deleted("a.txt", "1\n2\n"), Change::created("b", Blob::new(9))]);
    let lines = "<span class=\"plus\">+0</span> <span class=\"minus\">−2</span></span> lines</p>";
    assert!(both.contains("1 created, 1 deleted <span") && both.contains(lines), "{both}");
}

/// U-08: the unchanged lines between two changes can be unfolded.
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
    let page =
        Page::render("t", &[Diff::of(&change)], &[("This can’t be undone", Some("`<b>` takes 9 bytes"))]);
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
    // There are no layouts to switch between.
    assert!(!page.contains("as-split\">"));
}
