//! All changes as JSON, for programs that show them: `_meta["dev.overt/diff"]` of a result. Neither
//! the model's text nor `structuredContent` has it, because hosts may pass both to the model
//! (H-04). The exception is a client that wants the literal forms of seed 002: it gets the changes
//! in `structuredContent`.
use serde::Serialize;

use super::super::body::{Body, Inner, TreeEntry};
use super::super::change::{ChangeKind, Kind};
use super::diff::{Diff, Hunk, Line, Side};
use super::unified::AROUND;

/// The most bytes of all hunks and entries together. The diff's resource has the rest.
const LONGEST: usize = 64 << 10;

/// The changes that the call makes, or would make, for people to review.
#[derive(Debug, Serialize)]
pub(super) struct Changes<'a> {
    changes: Vec<Item<'a>>,
    /// Whether something was left out. The resources in `_meta["dev.overt/review"]` have
    /// everything.
    #[serde(skip_serializing_if = "is_false")]
    truncated: bool,
}

#[derive(Debug, Serialize)]
struct Item<'a> {
    /// The changed thing, such as a path.
    label: &'a str,
    /// The earlier name, or the source of a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    kind: Kind,
    /// The number of added lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    added: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<usize>,
    /// The changed lines of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    hunks: Option<Vec<Group<'a>>>,
    /// The content before the change, if it is not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<EntrySummary<'a>>,
    /// The content after the change, if it is not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<EntrySummary<'a>>,
}

/// A hunk. Line numbers start at 1.
#[derive(Debug, Serialize)]
struct Group<'a> {
    old_start: usize,
    old_lines: usize,
    new_start: usize,
    new_lines: usize,
    lines: Vec<Row<'a>>,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    kind: RowKind,
    /// The text without its line break.
    text: &'a str,
    /// The words that differ: `[start, end)` in Unicode code points, counted from 0. `None` if the
    /// whole line differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Vec<[usize; 2]>>,
    /// Set if the text ends here without a line break.
    #[serde(skip_serializing_if = "is_false")]
    no_newline: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum RowKind {
    Context,
    Removed,
    Added,
}

#[derive(Debug, Serialize)]
struct EntrySummary<'a> {
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<&'a str>,
    /// The number of files in a directory, at any depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    directories: Option<u64>,
    /// The number of links and other entries that are neither files nor directories.
    #[serde(skip_serializing_if = "Option::is_none")]
    others: Option<u64>,
    /// Paths in a directory. Those of directories end with `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<String>>,
}

/// The number of bytes left.
struct Room {
    left: usize,
    is_cut: bool,
}

pub(super) fn write<'a>(diffs: &'a [Diff<'a>]) -> Changes<'a> {
    let mut room = Room { left: LONGEST, is_cut: false };
    let changes = diffs.iter().map(|diff| Item::of(diff, &mut room)).collect();
    Changes { changes, truncated: room.is_cut }
}

impl<'a> Item<'a> {
    fn of(diff: &'a Diff<'a>, room: &mut Room) -> Self {
        let change = diff.change;
        let hunks = diff.is_text.then(|| room.take(diff.hunks(AROUND).map(|hunk| Group::of(&hunk))));
        let (before, after) = if diff.is_text { (None, None) } else { change.sides() };
        // A moved or copied content is listed once, as `after`.
        let before = before.filter(|_| !matches!(change.what, ChangeKind::Moved(_) | ChangeKind::Copied(_)));
        Self {
            label: &change.label,
            from: change.from.as_deref(),
            kind: change.kind(),
            added: diff.is_text.then_some(diff.added),
            removed: diff.is_text.then_some(diff.removed),
            hunks,
            before: before.map(|body| EntrySummary::of(body, room)),
            after: after.map(|body| EntrySummary::of(body, room)),
        }
    }
}

impl<'a> Group<'a> {
    fn of(hunk: &Hunk<'a>) -> Self {
        Self {
            old_start: hunk.old_start,
            old_lines: hunk.count(Side::Old),
            new_start: hunk.new_start,
            new_lines: hunk.count(Side::New),
            lines: hunk.lines.iter().map(Row::of).collect(),
        }
    }
}

impl<'a> Row<'a> {
    fn of(line: &Line<'a>) -> Self {
        let kind = match line.side {
            Side::Old => RowKind::Removed,
            Side::New => RowKind::Added,
            Side::Both => RowKind::Context,
        };
        let words = line.words.map(|words| words.iter().map(|range| [range.start, range.end]).collect());
        Self { kind, text: line.text, words, no_newline: line.is_unfinished }
    }
}

impl<'a> EntrySummary<'a> {
    fn of(body: &'a Body, room: &mut Room) -> Self {
        let plain = Self {
            bytes: 0,
            media_type: None,
            digest: None,
            files: None,
            directories: None,
            others: None,
            entries: None,
        };
        match &body.0 {
            Inner::Text(text) => Self { bytes: text.len() as u64, ..plain },
            Inner::Blob(blob) => Self {
                bytes: blob.bytes,
                media_type: blob.media_type.as_deref(),
                digest: blob.digest.as_deref(),
                ..plain
            },
            Inner::Tree(tree) => {
                room.is_cut |= tree.left_out() > 0;
                let paths = tree.entries.iter().map(TreeEntry::path_in_list);
                Self {
                    bytes: tree.bytes,
                    files: Some(tree.files),
                    directories: Some(tree.folders),
                    others: (tree.others > 0).then_some(tree.others),
                    entries: Some(room.take(paths)),
                    ..plain
                }
            }
        }
    }
}

impl Room {
    /// Takes as many items as there is room for.
    fn take<T: Serialize>(&mut self, items: impl Iterator<Item = T>) -> Vec<T> {
        let mut taken = Vec::new();
        for item in items {
            let length = serde_json::to_string(&item).map_or(usize::MAX, |text| text.len() + 1);
            let Some(left) = self.left.checked_sub(length) else {
                (self.left, self.is_cut) = (0, true);
                break;
            };
            self.left = left;
            taken.push(item);
        }
        taken
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::super::body::{Blob, Tree};
    use super::super::super::change::Change;
    use super::*;

    fn written(changes: &[Change]) -> Value {
        let diffs: Vec<Diff<'_>> = changes.iter().map(Diff::of).collect();
        serde_json::to_value(write(&diffs)).unwrap()
    }

    #[test]
    fn hunks_have_lines_with_the_words_that_differ() {
        let shown = written(&[Change::edited("f", "a = 1;\nb\n", "a = 2;\nb\nc")]);
        let lines = json!([
            {"kind": "removed", "text": "a = 1;", "words": [[4, 5]]},
            {"kind": "added", "text": "a = 2;", "words": [[4, 5]]},
            {"kind": "context", "text": "b"},
            {"kind": "added", "text": "c", "no_newline": true},
        ]);
        let hunk = json!({"old_start": 1, "old_lines": 2, "new_start": 1, "new_lines": 3, "lines": lines});
        let change = json!({"label": "f", "kind": "edited", "added": 2, "removed": 1, "hunks": [hunk]});
        assert_eq!(shown, json!({ "changes": [change] }));
    }

    #[test]
    fn what_is_no_text_has_sizes() {
        let mut tree = Tree::new();
        tree.folder("s");
        tree.file("s/f", 5);
        let blob = Blob::new(3).media_type("image/png").digest("sha256-x");
        let shown = written(&[Change::edited("p", blob, Blob::new(4)), Change::moved("a", "b", tree)]);
        assert_eq!(
            shown,
            json!({"changes": [
                {"label": "p", "kind": "edited",
                 "before": {"bytes": 3, "media_type": "image/png", "digest": "sha256-x"}, "after": {"bytes": 4}},
                {"label": "b", "from": "a", "kind": "moved",
                 "after": {"bytes": 5, "files": 1, "directories": 1, "entries": ["s/", "s/f"]}},
            ]})
        );
    }

    #[test]
    fn it_is_cut_and_says_so() {
        let large: String = (0..10_000).map(|number| format!("line {number}\n")).collect();
        let mut tree = Tree::new();
        (0..2_000).for_each(|number| tree.file(format!("f{number}"), 1));
        for change in [Change::created("f", large), Change::deleted("d", tree)] {
            let shown = written(&[change]);
            assert_eq!(shown["truncated"], true);
            assert!(shown.to_string().len() < LONGEST + 500);
        }
    }
}
