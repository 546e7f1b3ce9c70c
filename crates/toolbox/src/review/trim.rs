//! Removes the common beginning and end of two texts, so that the cost of a small change does not
//! depend on the size of the file.

/// The most unchanged lines that are shown around a change.
pub(super) const MOST_AROUND: usize = 5;

/// Returns how many bytes of two texts remain without their common beginning and end.
pub(in super::super) fn differing(before: &str, after: &str) -> usize {
    let (_, before, after) = trim(before, after, MOST_AROUND);
    before.len() + after.len()
}

/// Returns the number of lines before the parts of two texts that differ, and these parts with up
/// to [`MOST_AROUND`] common lines around them.
pub(in super::super) fn parts_that_differ<'a>(before: &'a str, after: &'a str) -> (usize, &'a str, &'a str) {
    trim(before, after, MOST_AROUND)
}

/// Returns the number of lines that were removed at the beginning, and the rest of both texts: the
/// part that differs, with up to `around` common lines on both sides.
pub(super) fn trim<'a>(before: &'a str, after: &'a str, around: usize) -> (usize, &'a str, &'a str) {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let same = common_start(old, new);
    let head = lines_back(&old[..same], around);
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let same = common_end(old_rest, new_rest);
    let tail = lines_on(&old_rest[old_rest.len() - same..], around);
    let skipped = old[..head].iter().filter(|byte| **byte == b'\n').count();
    // Both cuts directly follow a line break, so no character is split.
    (skipped, &before[head..before.len() - tail], &after[head..after.len() - tail])
}

/// Bytes that are compared at once. Most blocks of a file are equal.
const BLOCK: usize = 64;

fn common_start(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.as_chunks::<BLOCK>().0.iter().zip(new.as_chunks::<BLOCK>().0);
    let blocks = blocks.take_while(|(old, new)| old == new).count() * BLOCK;
    let rest = old[blocks..].iter().zip(&new[blocks..]);
    blocks + rest.take_while(|(old, new)| old == new).count()
}

fn common_end(old: &[u8], new: &[u8]) -> usize {
    let blocks = old.as_rchunks::<BLOCK>().1.iter().rev().zip(new.as_rchunks::<BLOCK>().1.iter().rev());
    let blocks = blocks.take_while(|(old, new)| old == new).count() * BLOCK;
    let rest = old[..old.len() - blocks].iter().rev().zip(new[..new.len() - blocks].iter().rev());
    blocks + rest.take_while(|(old, new)| old == new).count()
}

/// Returns where the last `lines` complete lines begin. An unfinished line after them is included.
fn lines_back(text: &[u8], lines: usize) -> usize {
    let mut breaks = text.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    breaks.nth(lines).map_or(0, |(at, _)| at + 1)
}

/// Returns how many bytes follow the first, unfinished line and `lines` complete lines.
fn lines_on(text: &[u8], lines: usize) -> usize {
    let mut breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    breaks.nth(lines).map_or(0, |(at, _)| text.len() - at - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_shared_ends_are_as_long_as_can_be(
            (head, a, b, tail) in ("[ab\n]{0,300}", "[ab\n]{0,80}", "[ab\n]{0,80}", "[ab\n]{0,300}"),
        ) {
            let (old, new) = (format!("{head}{a}{tail}").into_bytes(), format!("{head}{b}{tail}").into_bytes());
            let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
            let end = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
            prop_assert_eq!((common_start(&old, &new), common_end(&old, &new)), (start, end));
        }
    }

    #[test]
    fn what_both_share_is_left_out_by_whole_lines() {
        let before = "1\n2\n3\n4ä\n5\n6\n7\n";
        let after = "1\n2\n3\n4ö\n5\n6\n7\n";
        assert_eq!(trim(before, after, 1), (2, "3\n4ä\n5\n", "3\n4ö\n5\n"));
        assert_eq!(trim(before, after, 0), (3, "4ä\n", "4ö\n"));
        assert_eq!(trim(before, after, 10), (0, before, after));
        // The common end must not overlap the common beginning.
        assert_eq!(trim("a\na\na\n", "a\na\n", 0), (2, "a\n", ""));
        assert_eq!(trim("a\nb", "a\nb\n", 0), (1, "b", "b\n"));
        assert_eq!(trim("", "x\n", 3), (0, "", "x\n"));
        assert_eq!(trim("x\ny\n", "", 3), (0, "x\ny\n", ""));
    }
}
