//! Compares two texts: the changed lines, grouped with unchanged lines around them, and the changed
//! words. The result is deterministic within the time limit, so that a preview and its call show
//! the same diff.
use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices_deadline, group_diff_ops};

use super::super::change::{Change, ChangeKind};
use super::long_lines;
use super::trim::{MOST_AROUND, trim};
use overt_layers::compare::{Ranges, changed_words};

/// If the texts differ in more lines than this, the whole text counts as replaced.
const MOST_APART: usize = 8_000;
/// The time limit of the search, for texts that have the same lines in another order. A diff that
/// hits the limit is longer, but correct.
const SEARCH_TIME: Duration = Duration::from_millis(500);
/// Changed words are searched for in this many lines of a change. Further changed lines are marked
/// as a whole.
const MOST_MARKED: usize = 1_000;

/// One change, line by line.
#[derive(Debug)]
pub(super) struct Diff<'a> {
    pub(super) change: &'a Change,
    /// Whether the change can be compared line by line.
    pub(super) is_text: bool,
    pub(super) added: usize,
    pub(super) removed: usize,
    /// Lines before the compared parts.
    skipped: usize,
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    ops: Vec<DiffOp>,
    /// Changed words, by line index.
    old_words: HashMap<usize, Ranges>,
    new_words: HashMap<usize, Ranges>,
}

/// Adjacent lines of a diff. Line numbers start at 1.
#[derive(Debug)]
pub(super) struct Hunk<'a> {
    pub(super) old_start: usize,
    pub(super) new_start: usize,
    pub(super) lines: Vec<Line<'a>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) side: Side,
    /// The text without its line break.
    pub(super) text: &'a str,
    /// Set for the last line of a text that does not end with a line break.
    pub(super) is_unfinished: bool,
    /// The ranges of characters that differ. `None` if the whole line differs, or nothing in it
    /// does.
    pub(super) words: Option<&'a [Range<usize>]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Old,
    New,
    Both,
}

impl<'a> Diff<'a> {
    pub(super) fn of(change: &'a Change) -> Self {
        let mut found = Self {
            change,
            is_text: false,
            added: 0,
            removed: 0,
            skipped: 0,
            old: Vec::new(),
            new: Vec::new(),
            ops: Vec::new(),
            old_words: HashMap::new(),
            new_words: HashMap::new(),
        };
        if let Some((before, after)) = texts(change) {
            found.is_text = true;
            found.compare(before, after);
        }
        found
    }

    fn compare(&mut self, before: &'a str, after: &'a str) {
        let (skipped, before, after) = trim(before, after, MOST_AROUND);
        self.skipped = self.change.lines_before + skipped;
        self.old = before.split_inclusive('\n').collect();
        self.new = after.split_inclusive('\n').collect();
        self.ops = ops(&self.old, &self.new);
        let mut room = MOST_MARKED;
        for op in &self.ops {
            let (tag, old, new) = op.as_tag_tuple();
            if tag == DiffTag::Equal {
                continue;
            }
            self.removed += old.len();
            self.added += new.len();
            let Some(rest) = room.checked_sub(old.len() + new.len()).filter(|_| tag == DiffTag::Replace)
            else {
                continue;
            };
            room = rest;
            let (old_lines, new_lines) = (bare(&self.old[old.clone()]), bare(&self.new[new.clone()]));
            if let Some((removed, added)) = changed_words(&old_lines, &new_lines) {
                self.old_words.extend(old.zip(removed));
                self.new_words.extend(new.zip(added));
                continue;
            }
            // Lines with too many words to compare may still begin and end with the same
            // characters.
            for (at, (old_line, new_line)) in old_lines.iter().zip(&new_lines).enumerate() {
                let Some((removed, added)) = long_lines::differing(old_line, new_line) else { continue };
                self.old_words.insert(old.start + at, vec![removed]);
                self.new_words.insert(new.start + at, vec![added]);
            }
        }
    }

    /// Returns the changes, each with up to `around` unchanged lines on both sides.
    pub(super) fn hunks(&self, around: usize) -> impl Iterator<Item = Hunk<'_>> {
        let groups = group_diff_ops(self.ops.clone(), around.min(MOST_AROUND));
        groups.into_iter().filter(|group| group.iter().any(|op| op.tag() != DiffTag::Equal)).map(|group| {
            let (old, new) = group.first().map_or((0, 0), |op| (op.old_range().start, op.new_range().start));
            Hunk {
                old_start: self.skipped + old + 1,
                new_start: self.skipped + new + 1,
                lines: group.iter().flat_map(|op| self.lines(op)).collect(),
            }
        })
    }

    fn lines(&self, op: &DiffOp) -> Vec<Line<'_>> {
        let (tag, old, new) = op.as_tag_tuple();
        if tag == DiffTag::Equal {
            return self.old[old].iter().map(|text| Line::of(Side::Both, text, None)).collect();
        }
        let removed = old.map(|at| Line::of(Side::Old, self.old[at], words_of(&self.old_words, at)));
        let added = new.map(|at| Line::of(Side::New, self.new[at], words_of(&self.new_words, at)));
        removed.chain(added).collect()
    }

    /// Returns the unchanged lines between two successive hunks.
    pub(super) fn between(&self, before: &Hunk<'_>, after: &Hunk<'_>) -> Hunk<'_> {
        let old_start = before.old_start + before.count(Side::Old);
        let new_start = before.new_start + before.count(Side::New);
        let index = |number: usize| (number - 1).saturating_sub(self.skipped).min(self.old.len());
        let lines = &self.old[index(old_start)..index(after.old_start).max(index(old_start))];
        let lines = lines.iter().map(|text| Line::of(Side::Both, text, None)).collect();
        Hunk { old_start, new_start, lines }
    }
}

/// Returns the two texts to compare line by line. `None` if a side is not text, or if the content
/// stays the same.
fn texts(change: &Change) -> Option<(&str, &str)> {
    match &change.what {
        ChangeKind::Created(after) => Some(("", after.text()?)),
        ChangeKind::Deleted(before) => Some((before.text()?, "")),
        ChangeKind::Edited { before, after } => Some((before.text()?, after.text()?)),
        ChangeKind::Moved(_) | ChangeKind::Copied(_) => None,
    }
}

fn ops(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut numbers = HashMap::new();
    let mut apart = Vec::new();
    let mut number = |line, by: isize| {
        let next = numbers.len();
        let number = *numbers.entry(line).or_insert(next);
        apart.resize(apart.len().max(number + 1), 0_isize);
        apart[number] += by;
        number
    };
    let before: Vec<usize> = old.iter().map(|line| number(*line, 1)).collect();
    let after: Vec<usize> = new.iter().map(|line| number(*line, -1)).collect();
    if apart.iter().map(|count| count.unsigned_abs()).sum::<usize>() > MOST_APART {
        return vec![DiffOp::Replace { old_index: 0, old_len: old.len(), new_index: 0, new_len: new.len() }];
    }
    let deadline = Instant::now() + SEARCH_TIME;
    capture_diff_slices_deadline(Algorithm::Myers, &before, &after, Some(deadline))
}

fn bare<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    lines.iter().map(|line| line.strip_suffix('\n').unwrap_or(line)).collect()
}

fn words_of(words: &HashMap<usize, Ranges>, line: usize) -> Option<&[Range<usize>]> {
    words.get(&line).map(Vec::as_slice)
}

impl<'a> Line<'a> {
    fn of(side: Side, text: &'a str, words: Option<&'a [Range<usize>]>) -> Self {
        let plain = text.strip_suffix('\n').unwrap_or(text);
        Self { side, text: plain, is_unfinished: plain.len() == text.len(), words }
    }
}

impl Hunk<'_> {
    /// Returns how many lines of one of the texts are in the hunk.
    pub(super) fn count(&self, side: Side) -> usize {
        self.lines.iter().filter(|line| line.side == side || line.side == Side::Both).count()
    }
}

impl Side {
    pub(super) fn sign(self) -> char {
        match self {
            Self::Old => '-',
            Self::New => '+',
            Self::Both => ' ',
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_words_are_found_far_into_a_file() {
        let line = |number: usize| format!("line {number}\n");
        let before: String = (1..=5_000).map(line).collect();
        let after = before.replace("line 2500\n", "row 2500\nand more\n").replace("line 4000\n", "");
        let change = Change::edited("f", &before, &after);
        let diff = Diff::of(&change);
        assert_eq!((diff.added, diff.removed), (2, 2));
        assert!(diff.old.len() < 1_600);
        let hunks: Vec<Hunk<'_>> = diff.hunks(3).collect();
        let heads: Vec<_> = hunks
            .iter()
            .map(|hunk| (hunk.old_start, hunk.count(Side::Old), hunk.new_start, hunk.count(Side::New)))
            .collect();
        assert_eq!(heads, [(2_497, 7, 2_497, 8), (3_997, 7, 3_998, 6)]);
        let gone = hunks[0].lines.iter().find(|line| line.side == Side::Old).unwrap();
        assert_eq!((gone.text, gone.words), ("line 2500", Some(std::slice::from_ref(&(0..4)))));
    }

    /// I-12: a change that holds only the parts that differ shows the same diff as one that holds
    /// both texts.
    #[test]
    fn i_12_a_part_of_a_text_is_shown_as_all_of_it() {
        let line = |number: usize| format!("line {number}\n");
        let before: String = (1..=5_000).map(line).collect();
        for (old, new) in
            [("line 2500\n", "row\n"), ("line 1\n", ""), ("line 5000\n", "end"), ("line 7\n", "x\ny\n")]
        {
            let after = before.replacen(old, new, 1);
            let part = Change::edited_text("f", &before, &after);
            let (held, all) =
                (part.sides().0.and_then(|body| body.text()), Change::edited("f", &before, &after));
            assert!(held.is_some_and(|held| held.len() < 200), "{held:?}");
            assert_eq!(
                format!("{:?}", Diff::of(&part).hunks(3).collect::<Vec<_>>()),
                format!("{:?}", Diff::of(&all).hunks(3).collect::<Vec<_>>())
            );
        }
    }

    /// U-08: the change is found in a line with thousands of words.
    #[test]
    fn u_08_a_change_far_into_a_long_line_is_found() {
        let line = |word: &str| format!("{}{word}{}\n", "ab, ".repeat(2_500), "cd, ".repeat(2_500));
        let change = Change::edited("f", line("one"), line("four"));
        let diff = Diff::of(&change);
        let hunk = diff.hunks(3).next().unwrap();
        let words: Vec<_> = hunk.lines.iter().map(|line| line.words.unwrap()[0].clone()).collect();
        assert_eq!(words, [10_000..10_003, 10_000..10_004]);
    }

    #[test]
    fn the_lines_between_two_hunks_are_there() {
        let line = |number: usize| format!("line {number}\n");
        let before: String = (1..=100).map(line).collect();
        let after = before.replace("line 20\n", "a\nb\n").replace("line 60\n", "");
        let change = Change::edited("f", &before, &after);
        let diff = Diff::of(&change);
        let hunks: Vec<Hunk<'_>> = diff.hunks(3).collect();
        let between = diff.between(&hunks[0], &hunks[1]);
        assert_eq!((between.old_start, between.new_start, between.lines.len()), (24, 25, 33));
        assert_eq!((between.lines[0].text, between.lines[32].text), ("line 24", "line 56"));
    }

    #[test]
    fn a_whole_other_text_is_not_searched() {
        let before: String = (0..6_000).map(|number| format!("a{number}\n")).collect();
        let after: String = (0..6_000).map(|number| format!("b{number}\n")).collect();
        let change = Change::edited("f", before, after);
        let diff = Diff::of(&change);
        assert_eq!((diff.added, diff.removed, diff.hunks(3).count()), (6_000, 6_000, 1));
        let change = Change::edited("f", "same\n", "same\n");
        assert_eq!(Diff::of(&change).hunks(3).count(), 0);
    }
}
