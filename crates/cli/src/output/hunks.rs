//! The lines that two texts don't share, as a unified diff. Whatever differs is visible: nothing is cut or left out.
use std::time::Duration;

use overt_wire::text::Untrusted;
use similar::{ChangeTag, TextDiff};

use super::style::{DANGER, DIM, NAME, PLAIN, paint};

/// How long a diff may look for the shortest form; after that it is longer, not wrong.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether the places of the changes are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heads {
    Shown,
    Hidden,
}

/// The changes from one text to the other, each line behind the indent. What a terminal would obey is escaped.
pub(super) fn hunks(old: &str, new: &str, heads: Heads, indent: &str) -> String {
    let mut out = String::new();
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        if heads == Heads::Shown {
            out.push_str(&format!("{indent}{}\n", paint(DIM, hunk.header())));
        }
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', DANGER),
                ChangeTag::Insert => ('+', NAME),
                ChangeTag::Equal => (' ', PLAIN),
            };
            let line = change.value().trim_end_matches('\n');
            let shown = match (change.tag(), line) {
                // Nothing to see, also not at the end of the line.
                (ChangeTag::Equal, "") => String::new(),
                _ => format!("{indent}{}", paint(style, format!("{sign}{}", Untrusted(line)))),
            };
            out.push_str(&shown);
            out.push('\n');
        }
    }
    out
}
