//! What people see of changed contents.
use overt_toolbox::{Blob, Body, Change};

use super::super::access::Kind;
use super::super::error::FileError;
use super::super::work::Stop;
use super::super::write::{Content, OldFile, ScannedFile, SharedEnds, Tree};

/// Most bytes in which two texts may differ to be compared line by line. Beyond it, people see
/// sizes and digests (I-12).
pub(super) const MOST_SHOWN: usize = 2 << 20;
/// Most bytes that are shown around the difference in a large file.
const AROUND: usize = 8 << 10;

/// Shows a file that gets other content. Contents that are not compared are not copied either.
pub(crate) fn shown_edit(path: &str, before: &[u8], after: &[u8]) -> Change {
    let shared = SharedEnds::of(before, after);
    if before.len() + after.len() - 2 * (shared.start + shared.end) > MOST_SHOWN {
        return Change::edited(path, Blob::of(before), Blob::of(after));
    }
    match (as_text(before), as_text(after)) {
        (Some(before), Some(after)) => Change::edited_text(path, before, after),
        _ => Change::edited(path, Blob::of(before), Blob::of(after)),
    }
}

/// Shows a large file that gets other content. Only the differing part is read from it.
pub(crate) fn shown_large_edit(
    path: &str,
    old: &OldFile,
    scanned: &ScannedFile,
    after: &[u8],
    (stop, shown): (&Stop, &str),
) -> Result<Change, FileError> {
    let by_size = || {
        let before = Blob::with_digest(old.facts().size, scanned.digest);
        Change::edited(path, before, Blob::of(after))
    };
    let shared = old.shared(after, stop, shown)?;
    let size = usize::try_from(old.facts().size).unwrap_or(usize::MAX);
    let differing = (size - shared.start - shared.end) + (after.len() - shared.start - shared.end);
    if differing > MOST_SHOWN {
        return Ok(by_size());
    }
    let Some((head, tail)) = whole_lines(after, shared.start, shared.end) else { return Ok(by_size()) };
    let before = old.piece(head as u64..(size - tail) as u64, shown)?;
    let now = &after[head..after.len() - tail];
    let (Some(before), Some(now)) = (as_text(&before), as_text(now)) else { return Ok(by_size()) };
    let lines_before = memchr::memchr_iter(b'\n', &after[..head]).count();
    Ok(Change::edited_part(path, lines_before, before, now))
}

/// Returns how many bytes to leave out at both ends so that whole lines remain. `None` if the lines
/// are too long.
fn whole_lines(after: &[u8], start: usize, end: usize) -> Option<(usize, usize)> {
    let head = match start.checked_sub(AROUND) {
        None | Some(0) => 0,
        Some(from) => from + memchr::memchr(b'\n', &after[from..start])? + 1,
    };
    let tail = match end.checked_sub(AROUND) {
        None | Some(0) => 0,
        Some(rest) => {
            let from = after.len() - end;
            rest + AROUND - (memchr::memrchr(b'\n', &after[from..from + AROUND])? + 1)
        }
    };
    Some((head, tail))
}

/// Shows a new file.
pub(crate) fn shown_new(bytes: &[u8]) -> Body {
    match as_text(bytes) {
        Some(_) if bytes.len() > MOST_SHOWN => blob_of_text(bytes).into(),
        _ => shown_bytes(bytes),
    }
}

/// Shows the content of a file.
pub(crate) fn shown_bytes(bytes: &[u8]) -> Body {
    as_text(bytes).map_or_else(|| Blob::of(bytes).into(), Body::from)
}

/// Shows the content of a file that may be too large.
pub(crate) fn shown_content(content: Option<&Content>, size: u64) -> Body {
    content.map_or_else(|| Blob::new(size).into(), |content| shown_bytes(&content.bytes))
}

/// Shows an entry that is removed, moved or copied.
pub(crate) fn shown_tree(tree: &Tree) -> Body {
    match tree.kind {
        Kind::Folder => tree.listed.clone().into(),
        Kind::File | Kind::Link | Kind::Other(_) => Blob::new(tree.bytes).into(),
    }
}

fn as_text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

fn blob_of_text(bytes: &[u8]) -> Blob {
    Blob::of(bytes).media_type("text/plain")
}
