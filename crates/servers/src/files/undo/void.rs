//! Finds changes that never happened. The record is written before the change, so a process that
//! was killed in between leaves a record without a change (I-05).
use super::super::access::{Kind, Mounts};
use super::super::journal::{Before, Record, RecordedStep};
use super::super::tools::Planning;
use super::super::write::{OldFile, TreePurpose};

/// Whether the state before the change is the current one: the change was never made, or was
/// reverted by hand. `false` if that is not certain.
pub(crate) fn is_void(planning: &Planning<'_>, record: &Record) -> bool {
    match &record.step {
        RecordedStep::Put { path, before: Some(before), .. } => has_content(planning, path, before),
        RecordedStep::PutAll { puts } => puts.iter().all(|put| has_content(planning, &put.path, &put.before)),
        RecordedStep::Put { path, before: None, .. } | RecordedStep::Made { path, .. } => {
            is_missing(planning, path)
        }
        RecordedStep::Grown { folders, .. } => {
            folders.first().is_some_and(|first| is_missing(planning, first))
        }
        RecordedStep::Removed { path, print } => has_print(planning, path, print),
        RecordedStep::Moved { from, to, print } => {
            is_missing(planning, to) && has_print(planning, from, print)
        }
    }
}

fn is_missing(planning: &Planning<'_>, path: &str) -> bool {
    planning.slot_itself(path, Mounts::Cross).is_ok_and(|slot| slot.now.is_none())
}

fn has_content(planning: &Planning<'_>, path: &str, before: &Before) -> bool {
    let Some(wanted) = before.digest else { return false };
    let Ok(slot) = planning.slot_itself(path, Mounts::Cross) else { return false };
    if slot.now.is_none_or(|now| now.kind != Kind::File || now.size != before.size) {
        return false;
    }
    let old = OldFile::open(&slot, planning.settings.hardlinks, planning.settings.edit_max_bytes, path);
    let digest = |old: OldFile| old.digest(&planning.server.disk, planning.stop, path);
    old.and_then(digest).is_ok_and(|now| now == wanted)
}

fn has_print(planning: &Planning<'_>, path: &str, print: &str) -> bool {
    let Ok(slot) = planning.slot_itself(path, Mounts::Cross) else { return false };
    slot.now.is_some()
        && planning.scan(&slot, TreePurpose::Change, None, path).is_ok_and(|seen| seen.print == print)
}
