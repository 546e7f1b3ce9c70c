//! Leaves out of two texts what both begin and end with, so that a small change in a large file costs as much as a small change.

/// How many lines were left out at the beginning, and the rest of both texts, with so many lines that they share around it.
pub(super) fn trim<'a>(before: &'a str, after: &'a str, around: usize) -> (usize, &'a str, &'a str) {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let same = common(old.iter(), new.iter());
    let head = lines_back(&old[..same], around);
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let same = common(old_rest.iter().rev(), new_rest.iter().rev());
    let tail = lines_on(&old_rest[old_rest.len() - same..], around);
    let skipped = old[..head].iter().filter(|byte| **byte == b'\n').count();
    // Both ends stand behind a line break, so no character is cut.
    (skipped, &before[head..before.len() - tail], &after[head..after.len() - tail])
}

fn common<'a>(old: impl Iterator<Item = &'a u8>, new: impl Iterator<Item = &'a u8>) -> usize {
    old.zip(new).take_while(|(old, new)| old == new).count()
}

/// Where so many whole lines before the last, unfinished one begin.
fn lines_back(text: &[u8], lines: usize) -> usize {
    let mut breaks = text.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    breaks.nth(lines).map_or(0, |(at, _)| at + 1)
}

/// How many bytes are left behind the end of the first, unfinished line and so many whole ones.
fn lines_on(text: &[u8], lines: usize) -> usize {
    let mut breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    breaks.nth(lines).map_or(0, |(at, _)| text.len() - at - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_share_is_left_out_by_whole_lines() {
        let before = "1\n2\n3\n4ä\n5\n6\n7\n";
        let after = "1\n2\n3\n4ö\n5\n6\n7\n";
        assert_eq!(trim(before, after, 1), (2, "3\n4ä\n5\n", "3\n4ö\n5\n"));
        assert_eq!(trim(before, after, 0), (3, "4ä\n", "4ö\n"));
        assert_eq!(trim(before, after, 10), (0, before, after));
        // The shared end must not reach into the shared beginning.
        assert_eq!(trim("a\na\na\n", "a\na\n", 0), (2, "a\n", ""));
        assert_eq!(trim("a\nb", "a\nb\n", 0), (1, "b", "b\n"));
        assert_eq!(trim("", "x\n", 3), (0, "", "x\n"));
        assert_eq!(trim("x\ny\n", "", 3), (0, "x\ny\n", ""));
    }
}
