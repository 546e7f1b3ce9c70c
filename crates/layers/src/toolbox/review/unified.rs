//! A unified diff of all changes, as `patch` and people read it.
use std::fmt::Write as _;

use overt_wire::text::Untrusted;

use super::diff::{Diff, Hunk, Side};

/// Three unchanged lines around each change, as everybody has it.
pub(super) const AROUND: usize = 3;
/// Bytes of all changes together.
const LONGEST: usize = 2 << 20;

pub(super) fn write(diffs: &[Diff<'_>]) -> String {
    let mut out = String::new();
    for diff in diffs {
        let change = diff.change;
        let old = change.from.as_ref().unwrap_or(&change.label);
        let name = |side: &str, label: &str, text: &Option<String>| match text {
            // A label is one line, whatever it holds.
            Some(_) => format!("{side}/{}", Untrusted(label)),
            None => "/dev/null".to_owned(),
        };
        let _ = writeln!(out, "--- {}", name("a", old, &change.before));
        let _ = writeln!(out, "+++ {}", name("b", &change.label, &change.after));
        for hunk in &diff.hunks {
            if out.len() > LONGEST {
                out.push_str("\\ The rest is too long to be shown.\n");
                return out;
            }
            write_hunk(hunk, &mut out);
        }
    }
    out
}

fn write_hunk(hunk: &Hunk, out: &mut String) {
    let range = |start: usize, count: usize| match count {
        // An empty range stands behind the line before it.
        0 => format!("{},0", start - 1),
        1 => start.to_string(),
        _ => format!("{start},{count}"),
    };
    let (old, new) =
        (range(hunk.old_start, hunk.count(Side::Old)), range(hunk.new_start, hunk.count(Side::New)));
    let _ = writeln!(out, "@@ -{old} +{new} @@");
    for line in &hunk.lines {
        if out.len() > LONGEST {
            return;
        }
        let _ = writeln!(out, "{}{}", line.side.sign(), line.text);
        if line.is_unfinished {
            out.push_str("\\ No newline at end of file\n");
        }
    }
}
