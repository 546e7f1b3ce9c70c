//! The lines that change, in groups with some that don't.
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::super::change::{Change, What};

/// How long a diff may look for the shortest form; after that it is longer, not wrong.
const PATIENCE: Duration = Duration::from_millis(300);

/// One change, line by line.
#[derive(Debug)]
pub(super) struct Diff<'a> {
    pub(super) change: &'a Change,
    /// Whether it can be compared line by line.
    pub(super) is_text: bool,
    pub(super) hunks: Vec<Hunk>,
    pub(super) added: usize,
    pub(super) removed: usize,
}

/// Lines that stand together. Numbers count from 1.
#[derive(Debug)]
pub(super) struct Hunk {
    pub(super) old_start: usize,
    pub(super) new_start: usize,
    pub(super) lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) side: Side,
    /// Without the line break.
    pub(super) text: String,
    /// The last line of a text that doesn't end with a line break.
    pub(super) is_unfinished: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Old,
    New,
    Both,
}

impl<'a> Diff<'a> {
    /// With so many unchanged lines around each change.
    pub(super) fn of(change: &'a Change, around: usize) -> Self {
        let texts = texts(change);
        let mut found = Self { change, is_text: texts.is_some(), hunks: Vec::new(), added: 0, removed: 0 };
        let Some((before, after)) = texts else { return found };
        let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before, after);
        for group in diff.grouped_ops(around) {
            let Some(first) = group.first() else { continue };
            let mut hunk = Hunk {
                old_start: first.old_range().start + 1,
                new_start: first.new_range().start + 1,
                lines: Vec::new(),
            };
            for line in group.iter().flat_map(|op| diff.iter_changes(op)) {
                let side = match line.tag() {
                    ChangeTag::Delete => Side::Old,
                    ChangeTag::Insert => Side::New,
                    ChangeTag::Equal => Side::Both,
                };
                found.removed += usize::from(side == Side::Old);
                found.added += usize::from(side == Side::New);
                let text = line.value();
                let plain = text.strip_suffix('\n').unwrap_or(text);
                let is_unfinished = plain.len() == text.len();
                hunk.lines.push(Line { side, text: plain.to_owned(), is_unfinished });
            }
            found.hunks.push(hunk);
        }
        found
    }
}

/// What is compared line by line: nothing, where a side is no text or where both are the same.
fn texts(change: &Change) -> Option<(&str, &str)> {
    match &change.what {
        What::Created(after) => Some(("", after.text()?)),
        What::Deleted(before) => Some((before.text()?, "")),
        What::Edited { before, after } => Some((before.text()?, after.text()?)),
        What::Moved(_) | What::Copied(_) => None,
    }
}

impl Hunk {
    /// How many lines of one of the texts are in it.
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
