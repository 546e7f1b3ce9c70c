//! Plans a call of `edit_file`: every file is read and edited in memory before any is written.
use overt_toolbox::{Change, ChangedLines, changed_lines};

use super::super::access::Slot;
use super::super::error::{FileError, code};
use super::super::write::{Act, Bounds, EditError, OldFile, Part, Put, PutAll, Unplanned, apply_edits};
use super::changing::PlannedChange;
use super::edit_mismatch::explain;
use super::edit_schema::{Edited, Input, InputEdit, Lines, Output};
use super::encoded::Decoded;
use super::etag;
use super::params::IfEtag;
use super::planning::Planning;
use super::shown::shown_edit;

/// Most files of one call.
const MOST_FILES: usize = 50;
/// All files of one call may have this many times the bytes of one file.
const SHARE: u64 = 4;
/// Most lines, and most bytes, that an answer shows of all changes.
const MOST_LINES: usize = 100;
const MOST_SHOWN: usize = 8192;
/// Unchanged lines that are shown around a change.
const AROUND: usize = 1;

/// The edits of one file.
struct Target<'a> {
    /// The path as the client wrote it.
    shown: &'a str,
    slot: Slot,
    /// The edits, each with its index in the call.
    edits: Vec<(usize, &'a InputEdit)>,
}

/// A file after its edits, before it is written.
struct EditedFile {
    put: Put,
    change: Change,
    fingerprint: String,
    edited: Edited,
}

pub(super) fn plan(planning: &Planning<'_>, input: &Input) -> Result<PlannedChange<Output>, Unplanned> {
    let targets = targets(planning, input)?;
    let slots: Vec<&Slot> = targets.iter().map(|target| &target.slot).collect();
    planning.take(&slots)?;
    let is_several = targets.len() > 1;
    let most = planning.settings.edit_max_bytes;
    let sizes = slots.iter().filter_map(|slot| slot.now).map(|now| now.size).filter(|size| *size <= most);
    // Memory for the old content, the new content and the shown parts of both. It is reserved in
    // one step, so that no two calls wait for each other.
    planning.take_room(sizes.sum::<u64>().min(most.saturating_mul(SHARE)) * 4)?;
    let mut left = most.saturating_mul(SHARE);
    let mut room = Room { lines: MOST_LINES, bytes: MOST_SHOWN };
    let mut made = Vec::with_capacity(targets.len());
    let (mut puts, mut changes, mut fingerprints, mut files) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for target in targets {
        let is_of_call = input.path.as_deref() == Some(target.shown);
        let if_etag = input.if_etag.as_ref().filter(|_| is_of_call || !is_several);
        let one = edit(planning, input, target, if_etag, &mut room, is_several)?;
        left = left.checked_sub(one.edited.size).ok_or_else(|| {
            FileError::new(
                code::TOO_LARGE,
                format!(
                    "the files of this call have more than {} bytes together; nothing was changed",
                    most * SHARE
                ),
                "Edit fewer files in one call.",
            )
        })?;
        made.push(one);
    }
    for EditedFile { put, change, fingerprint, edited } in made {
        puts.push(put);
        changes.push(change);
        fingerprints.push(fingerprint);
        files.push(edited);
    }
    let match_count = files.iter().map(|file| file.match_count).sum();
    let act = match puts.pop() {
        Some(only) if puts.is_empty() => Act::Put(only),
        last => Act::PutAll(PutAll { puts: puts.into_iter().chain(last).collect() }),
    };
    let irreversible = act.lost().is_some();
    let change = planning.settings.change.clone().filter(|_| !irreversible);
    let output = Output { files, match_count, change, irreversible };
    Ok(PlannedChange { act, output, changes, fingerprints, undoes: None })
}

/// Returns the files of the call, each once, in the order in which the edits name them.
fn targets<'a>(planning: &Planning<'_>, input: &'a Input) -> Result<Vec<Target<'a>>, FileError> {
    let mut targets: Vec<Target<'a>> = Vec::new();
    for (index, edit) in input.edits.iter().enumerate() {
        let Some(shown) = edit.path.as_ref().or(input.path.as_ref()) else {
            return Err(FileError::new(
                code::INVALID_ARGUMENTS,
                format!("neither edit {} nor the call has a `path`", index + 1),
                "Give the `path` of the file to edit.",
            ));
        };
        if let Some(target) = targets.iter_mut().find(|target| target.shown == &**shown) {
            target.edits.push((index, edit));
            continue;
        }
        let slot = planning.slot(shown)?;
        let known = targets.iter().position(|target| target.slot.path() == slot.path());
        match known {
            Some(at) => targets[at].edits.push((index, edit)),
            None if targets.len() == MOST_FILES => {
                return Err(FileError::new(
                    code::TOO_LARGE,
                    format!("the edits name more than {MOST_FILES} files; nothing was changed"),
                    "Edit fewer files in one call.",
                ));
            }
            None => targets.push(Target { shown, slot, edits: vec![(index, edit)] }),
        }
    }
    Ok(targets)
}

fn edit(
    planning: &Planning<'_>,
    input: &Input,
    target: Target<'_>,
    if_etag: Option<&IfEtag>,
    room: &mut Room,
    is_several: bool,
) -> Result<EditedFile, FileError> {
    let Target { shown: text, slot, edits } = target;
    if !planning.view.sees(&slot.path()) {
        return Err(FileError::hidden(text));
    }
    if slot.now.is_none() {
        return Err(FileError::system(rustix::io::Errno::NOENT, text));
    }
    let most = planning.settings.edit_max_bytes;
    let old = OldFile::open(&slot, planning.settings.hardlinks, most, text)?;
    etag::check(planning, if_etag, Some(&old), text)?;
    let size = old.facts().size;
    let Some(content) = &old.content else {
        return Err(FileError::new(
            code::TOO_LARGE,
            format!("`{text}` has {size} bytes, and `edit_max_bytes` allows editing files of at most {most}"),
            "Ask the user to raise `edit_max_bytes` and call again, or work on smaller files.",
        ));
    };
    let before = Decoded::of(&content.bytes).ok_or_else(|| {
        FileError::new(
            code::NOT_TEXT,
            format!("`{text}` is not text in UTF-8, UTF-16 or windows-1252; nothing was changed"),
            "Replace the whole file with `write_file`, or leave it as it is.",
        )
    })?;
    let wanted: Vec<_> = edits.iter().map(|(_, edit)| edit.edit()).collect();
    let (after, match_count) = apply_edits(&before.text, &wanted, Bounds { most, stop: planning.stop })
        .map_err(|error| {
            let index = edits.get(error.index).map_or(error.index, |(index, _)| *index);
            let stopped = planning.stop.check().err();
            stopped.unwrap_or_else(|| explain(EditError { index, ..error }, input, text, most))
        })?;
    let path = planning.view.shown(&slot.path());
    let change = shown_edit(&path, before.text.as_bytes(), after.as_bytes());
    let is_same = before.text == after;
    let bytes = before.encode(after).map_err(|letter| {
        FileError::new(
            code::NOT_TEXT,
            format!("`{text}` is windows-1252, which has no `{letter}`; nothing was changed"),
            "Use other characters, or replace the file with `write_file`, which writes UTF-8.",
        )
    })?;
    // Undoing the change keeps the content of that time, which may be larger.
    let lost = match planning.check_room(size.max(bytes.len() as u64), text) {
        Ok(()) => None,
        // Where there is a journal, changing several files all-or-nothing needs it.
        Err(unkept) if is_several && planning.server.journal.is_some() => return Err(unkept.into()),
        Err(unkept) => Some(planning.refuse_or_ask(unkept)?),
    };
    let (changed, is_cut) = room.take(changed_lines(&change, AROUND));
    // Very large changes are not compared line by line.
    let truncated = is_cut || changed.is_empty() && !is_same;
    let edited = Edited {
        path,
        match_count,
        size: bytes.len() as u64,
        etag: etag::of_bytes(&bytes),
        changed,
        truncated,
    };
    let (fingerprint, mode) = (old.identity(), old.facts().mode);
    let put =
        Put { slot, old: Some(old), parts: vec![Part::Bytes(bytes)], mode, shown: text.to_owned(), lost };
    Ok(EditedFile { put, change, fingerprint, edited })
}

/// How much more the answer can show.
struct Room {
    lines: usize,
    bytes: usize,
}

impl Room {
    /// Returns the changed lines that fit, and whether some are left out.
    fn take(&mut self, changes: Vec<ChangedLines>) -> (Vec<Lines>, bool) {
        let mut shown = Vec::new();
        for ChangedLines { start_line, text } in changes {
            let lines = text.lines().count();
            let (Some(lines), Some(bytes)) =
                (self.lines.checked_sub(lines), self.bytes.checked_sub(text.len()))
            else {
                return (shown, true);
            };
            (self.lines, self.bytes) = (lines, bytes);
            shown.push(Lines { start_line, text });
        }
        (shown, false)
    }
}
