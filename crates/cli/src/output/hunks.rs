//! The lines in which two texts differ, as a unified diff. Every difference is visible: nothing is
//! cut or left out.
use std::path::Path;
use std::time::Duration;

use overt_wire::text::Untrusted;
use similar::{ChangeTag, TextDiff};

use super::patch::push_replaced;
use super::style::{DIM, PLAIN, paint, paint_words};

/// Time to search for the shortest diff; after that, the diff is longer but still correct.
const DIFF_TIME: Duration = Duration::from_secs(1);

/// Whether each hunk begins with its line numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HunkHeads {
    Shown,
    Hidden,
}

/// The changes from one text to the other, each line after the indent. Terminal control characters
/// are escaped.
pub(super) fn hunks(old: &str, new: &str, heads: HunkHeads, indent: &str) -> String {
    let mut out = String::new();
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(old, new);
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        if heads == HunkHeads::Shown {
            out.push_str(&format!("{indent}{}\n", paint(DIM, hunk.header())));
        }
        let changes: Vec<(ChangeTag, &str)> =
            hunk.iter_changes().map(|change| (change.tag(), change.value().trim_end_matches('\n'))).collect();
        for run in
            changes.chunk_by(|(one, _), (next, _)| (*one == ChangeTag::Equal) == (*next == ChangeTag::Equal))
        {
            push_run(&mut out, run, indent);
        }
    }
    out
}

/// The change of a file as a unified diff; empty if nothing changes. The diff is not escaped; use
/// `patch_text` to show it on a terminal.
pub(crate) fn file_diff(path: &Path, old: &str, new: &str) -> String {
    let name = path.display().to_string();
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(old, new);
    diff.unified_diff().context_radius(3).header(&name, &name).to_string()
}

/// Formats lines that both texts share, or removed lines and their replacements.
fn push_run(out: &mut String, run: &[(ChangeTag, &str)], indent: &str) {
    let escape = |text: &str| Untrusted(text).to_string();
    let of = |tag: ChangeTag| -> Vec<&str> {
        run.iter().filter(|(other, _)| *other == tag).map(|(_, line)| *line).collect()
    };
    for line in of(ChangeTag::Equal) {
        // An empty line that both texts share gets no indent, which would be trailing white space.
        if !line.is_empty() {
            out.push_str(&format!("{indent}{}", paint_words(PLAIN, ' ', line, &[], escape)));
        }
        out.push('\n');
    }
    push_replaced(out, indent, (&of(ChangeTag::Delete), &of(ChangeTag::Insert)), escape);
}

#[cfg(test)]
mod tests {
    use super::super::style::NAME;
    use super::*;

    #[test]
    fn h_42_words_that_differ_in_a_line_are_reversed() {
        let shown = hunks("Reads a file.\n", "Reads a file and sends it.\n", HunkHeads::Hidden, "  ");
        let plain = anstream::adapter::strip_str(&shown).to_string();
        assert_eq!(plain, "  -Reads a file.\n  +Reads a file and sends it.\n");
        let expected = [
            paint(NAME, "+"),
            paint(NAME, "Reads a file"),
            paint(NAME.invert(), " and sends it"),
            paint(NAME, "."),
        ];
        assert!(shown.contains(&expected.concat()), "{shown:?}");
        let escaped = hunks("a \u{202e}b\n", "a \u{202e}c\n", HunkHeads::Hidden, "");
        assert!(!escaped.contains('\u{202e}') && escaped.contains("\\u{202e}"), "{escaped:?}");
    }
}
