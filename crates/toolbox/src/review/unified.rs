//! All changes as a unified diff, for `patch` and for people.
use std::fmt::Write as _;

use overt_wire::text::Untrusted;

use super::super::body::{Body, Inner};
use super::super::change::{Change, ChangeKind};
use super::diff::{Diff, Hunk, Side};
use super::words;

/// Three unchanged lines around each change, as in `diff -u`.
pub(super) const AROUND: usize = 3;
/// The most bytes of all changes together.
const LONGEST: usize = 2 << 20;
const TOO_LONG: &str = "\\ The rest is too long to be shown.\n";

pub(super) fn write(diffs: &[Diff<'_>]) -> String {
    let mut out = String::new();
    for diff in diffs {
        if out.len() > LONGEST {
            out.push_str(TOO_LONG);
            return out;
        }
        let change = diff.change;
        if !diff.is_text {
            describe(change, &mut out);
            continue;
        }
        let old = change.from.as_ref().unwrap_or(&change.label);
        let name = |side: &str, label: &str, body: Option<&Body>| match body {
            // `Untrusted` keeps a label on one line, whatever it contains.
            Some(_) => format!("{side}/{}", Untrusted(label.trim_start_matches('/'))),
            None => "/dev/null".to_owned(),
        };
        let (before, after) = change.sides();
        let _ = writeln!(out, "--- {}", name("a", old, before));
        let _ = writeln!(out, "+++ {}", name("b", &change.label, after));
        for hunk in diff.hunks(AROUND) {
            if write_hunk(&hunk, &mut out).is_none() {
                out.push_str(TOO_LONG);
                return out;
            }
        }
    }
    out
}

/// Describes a change without comparable lines. The description is outside of any hunk, so `patch`
/// ignores it.
fn describe(change: &Change, out: &mut String) {
    let label = Untrusted(&change.label);
    let _ = match &change.from {
        Some(from) => writeln!(out, "{} {} -> {label}", change.kind().word(), Untrusted(from)),
        None => writeln!(out, "{} {label}", change.kind().word()),
    };
    let (before, after) = change.sides();
    let is_edit = matches!(change.what, ChangeKind::Edited { .. });
    for (word, body) in [("before: ", before), ("after: ", after.filter(|_| is_edit || before.is_none()))] {
        let Some(body) = body else { continue };
        let word = if is_edit { word } else { "" };
        let _ = writeln!(out, "  {word}{}", Untrusted(&words::of(body)));
        let Inner::Tree(tree) = &body.0 else { continue };
        for entry in &tree.entries {
            let _ = writeln!(out, "    {}", Untrusted(&entry.path_in_list()));
        }
        if tree.left_out() > 0 {
            let _ = writeln!(out, "    {}", words::more(tree.left_out()));
        }
    }
}

/// Writes a hunk. Returns `None` if it does not fit completely.
fn write_hunk(hunk: &Hunk<'_>, out: &mut String) -> Option<()> {
    let range = |start: usize, count: usize| match count {
        // The range of an empty side names the line before it.
        0 => format!("{},0", start - 1),
        1 => start.to_string(),
        _ => format!("{start},{count}"),
    };
    let (old, new) =
        (range(hunk.old_start, hunk.count(Side::Old)), range(hunk.new_start, hunk.count(Side::New)));
    let _ = writeln!(out, "@@ -{old} +{new} @@");
    for line in &hunk.lines {
        LONGEST.checked_sub(out.len() + line.text.len())?;
        let _ = writeln!(out, "{}{}", line.side.sign(), line.text);
        if line.is_unfinished {
            out.push_str("\\ No newline at end of file\n");
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::super::body::{Blob, Tree};
    use super::*;

    #[test]
    fn it_is_cut_and_says_so() {
        let long = "x".repeat(3 << 20);
        let many = "a line\n".repeat(1 << 20);
        for text in [long, many] {
            let changes = [Change::created("f", text), Change::created("g", "")];
            let diffs: Vec<Diff<'_>> = changes.iter().map(Diff::of).collect();
            let text = write(&diffs);
            assert!(text.len() < LONGEST + 100 && text.ends_with(TOO_LONG), "{}", text.len());
        }
    }

    #[test]
    fn what_is_no_text_is_described() {
        let mut tree = Tree::new();
        tree.folder("sub");
        tree.file("sub/\u{1b}[2J", 3);
        (0..1_000).for_each(|number| tree.file(format!("f{number}"), 0));
        let changes = [
            Change::edited("p.png", Blob::new(1).media_type("image/png"), Blob::new(2).digest("sha256-x")),
            Change::moved("a.txt", "b.txt", Blob::new(3)),
            Change::folder("new"),
            Change::deleted("old", tree),
            Change::created("t", "x\n"),
        ];
        let diffs: Vec<Diff<'_>> = changes.iter().map(Diff::of).collect();
        let text = write(&diffs);
        assert!(text.starts_with(
            "edited p.png\n  before: 1 byte, image/png\n  after: 2 bytes, sha256-x\nmoved a.txt -> b.txt\n  3 bytes\n\
             created new\n  empty folder\ndeleted old\n  folder with 1,001 files, 1 folder, 3 bytes\n    sub/\n    \
             sub/\\u{1b}[2J\n    f0\n"
        ), "{text}");
        assert!(text.ends_with("    f997\n    … and 2 more\n--- /dev/null\n+++ b/t\n@@ -0,0 +1 @@\n+x\n"));
    }
}
