//! All changes as JSON, for programs that show them. It goes into `_meta`, which no model reads.
use overt_wire::json::{Array, JsonBuf, Object};

use super::diff::{Diff, Hunk, Side};

/// Bytes of all lines together. A longer diff is at its address.
const LONGEST: usize = 64 << 10;

/// The list of changes, and whether lines were left out of it.
pub(super) fn write(diffs: &[Diff<'_>]) -> (JsonBuf, bool) {
    let mut changes = Array::new();
    let (mut room, mut is_cut) = (LONGEST, false);
    for diff in diffs {
        let object = Object::new()
            .string("label", &diff.change.label)
            .maybe("from", diff.change.from.as_deref())
            .string("kind", diff.change.kind())
            .value("added", &diff.added)
            .value("removed", &diff.removed);
        let length: usize =
            diff.hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| line.text.len() + 4).sum();
        let object = match room.checked_sub(length) {
            Some(rest) => {
                room = rest;
                let hunks = diff.hunks.iter().fold(Array::new(), |all, hunk| all.json(of(hunk).as_json()));
                object.json("hunks", hunks.finish().as_json())
            }
            None => {
                is_cut = true;
                object
            }
        };
        changes = changes.json(object.finish().as_json());
    }
    (changes.finish(), is_cut)
}

fn of(hunk: &Hunk) -> JsonBuf {
    let lines: Vec<String> =
        hunk.lines.iter().map(|line| format!("{}{}", line.side.sign(), line.text)).collect();
    Object::new()
        .value("oldStart", &hunk.old_start)
        .value("oldLines", &hunk.count(Side::Old))
        .value("newStart", &hunk.new_start)
        .value("newLines", &hunk.count(Side::New))
        .value("lines", &lines)
        .finish()
}
