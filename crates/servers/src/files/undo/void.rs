//! Changes that never happened: the record comes before the change, so a process that was killed in between leaves a record alone (I-05).
use super::super::journal::{Before, Record, Step};
use super::super::space::{Kind, Mounts};
use super::super::tools::Desk;
use super::super::write::{Old, Want};

/// Whether what was there before the change is there now: it was never made, or somebody took it back by hand. False if that can't be
/// told.
pub(crate) fn is_void(desk: &Desk<'_>, record: &Record) -> bool {
    match &record.step {
        Step::Put { path, before: Some(before), .. } => has_content(desk, path, before),
        Step::PutAll { puts } => puts.iter().all(|put| has_content(desk, &put.path, &put.before)),
        Step::Put { path, before: None, .. } | Step::Made { path, .. } => is_missing(desk, path),
        Step::Grown { folders, .. } => folders.first().is_some_and(|first| is_missing(desk, first)),
        Step::Removed { path, print } => has_print(desk, path, print),
        Step::Moved { from, to, print } => is_missing(desk, to) && has_print(desk, from, print),
    }
}

fn is_missing(desk: &Desk<'_>, path: &str) -> bool {
    desk.slot_itself(path, Mounts::Cross).is_ok_and(|slot| slot.now.is_none())
}

fn has_content(desk: &Desk<'_>, path: &str, before: &Before) -> bool {
    let Some(wanted) = &before.sha256 else { return false };
    let Ok(slot) = desk.slot_itself(path, Mounts::Cross) else { return false };
    if slot.now.is_none_or(|now| now.kind != Kind::File || now.size != before.size) {
        return false;
    }
    let old = Old::open(&slot, desk.terms.hardlinks, desk.terms.edit_max_bytes, path);
    old.and_then(|old| old.digest(&desk.server.disk, desk.stop, path)).is_ok_and(|now| now == *wanted)
}

fn has_print(desk: &Desk<'_>, path: &str, print: &str) -> bool {
    let Ok(slot) = desk.slot_itself(path, Mounts::Cross) else { return false };
    slot.now.is_some() && desk.look(&slot, Want::Change, None, path).is_ok_and(|seen| seen.print == print)
}
