//! Recovers from a killed process: a change of several files of which some are new and some are
//! old. The new ones get their old content back, so that the change never happened. This runs when
//! a server starts. What another program has written since stays.
use std::io::Read as _;

use overt_settings::Regions;

use super::super::FileServer;
use super::super::access::{AbsolutePath, Kind, Mounts, View};
use super::super::error::FileError;
use super::super::journal::{Journal, PutStep, Record, RecordedStep};
use super::super::tools::{CallSettings, Irreversibles, Planning};
use super::super::work::Stop;
use super::old_file::{HardLinks, OldFile, digest_of_file};
use super::plan_claim::PlanClaim;
use super::put::{Part, Put};
use super::put_all::{MADE, PENDING};
use super::remove;

/// Most interrupted changes that are checked at startup.
const MOST_PENDING: usize = 100;
/// Largest file in bytes; `edit_max_bytes` does not apply here.
const MOST_BYTES: u64 = 1 << 30;

/// Takes back every interrupted change whose files are all in the roots of this server. Returns how
/// many it took back.
pub(crate) fn recover(server: &FileServer) -> usize {
    let Some(journal) = server.journal.as_deref() else { return 0 };
    let ids = journal.names(PENDING);
    ids.iter().take(MOST_PENDING).filter(|id| take_back(server, journal, id)).count()
}

fn take_back(server: &FileServer, journal: &Journal, id: &str) -> bool {
    let (disk, name) = (&server.disk, format!("{id}{PENDING}"));
    let Ok(marker) = journal.folder.child_file(&name) else { return false };
    // The process that makes the change is still running.
    if disk.hold(&marker.file).is_err() {
        return false;
    }
    let mut said = Vec::new();
    let is_made = (&marker.file).take(16).read_to_end(&mut said).is_ok() && said == MADE;
    if is_made {
        let _ = disk.remove(&journal.folder, &name);
        return false;
    }
    let Ok((record, _)) = journal.find(id) else {
        // The process was killed before it changed anything.
        let _ = remove::all(disk, &journal.folder, &Journal::kept_name(id));
        let _ = disk.remove(&journal.folder, &name);
        return false;
    };
    let RecordedStep::PutAll { puts } = &record.step else { return false };
    let is_here = |put: &PutStep| {
        AbsolutePath::from_system(&put.path).is_some_and(|path| server.roots.is_reached(&path))
    };
    // A change with a file outside of these roots is taken back by a server that has its roots.
    if !puts.iter().all(is_here) {
        return false;
    }
    let view = View::of_regions(&server.roots, Regions::top()).showing_absolute_paths();
    let (stop, plan_claim) = (Stop::default(), PlanClaim::new(&server.claims));
    let settings = CallSettings {
        hardlinks: HardLinks::Allow,
        edit_max_bytes: MOST_BYTES,
        new_file_mode: 0o644,
        irreversible: Irreversibles::Refuse,
        change: None,
    };
    let planning = Planning { server, view: &view, stop: &stop, claim: &plan_claim, settings: &settings };
    let mut is_whole = true;
    for (index, put) in puts.iter().enumerate() {
        if let Err(error) = put_back(&planning, journal, &record, index, put) {
            tracing::warn!(change = id, path = %put.path, "an interrupted change could not be taken back: {}", error.problem);
            is_whole = false;
        }
    }
    if is_whole {
        journal.forget(disk, id);
        let _ = remove::all(disk, &journal.folder, &Journal::kept_name(id));
        tracing::info!(change = id, "an interrupted change of several files was taken back");
    }
    let _ = disk.remove(&journal.folder, &name);
    is_whole
}

/// Restores the old content of a file. Does nothing if the file still has it, and fails if the file
/// has neither the old nor the new content.
fn put_back(
    planning: &Planning<'_>,
    journal: &Journal,
    record: &Record,
    index: usize,
    put: &PutStep,
) -> Result<(), FileError> {
    let (disk, shown) = (&planning.server.disk, &put.path);
    let slot = planning.slot_itself(shown, Mounts::Cross)?;
    if slot.now.is_none_or(|now| now.kind != Kind::File) {
        return Err(FileError::conflict(shown));
    }
    let old = OldFile::open(&slot, planning.settings.hardlinks, planning.settings.edit_max_bytes, shown)?;
    let now = old.digest(disk, planning.stop, shown)?;
    if put.before.digest == Some(now) {
        return Ok(());
    }
    if now != put.after.digest {
        return Err(FileError::conflict(shown));
    }
    let kept = journal.kept_file(&record.id, index).ok_or_else(|| Journal::unknown(&record.id))?;
    if let Some(wanted) = put.before.digest {
        let context = (disk, planning.stop, shown.as_str());
        if digest_of_file(&kept, put.before.size, context)? != wanted {
            return Err(Journal::unknown(&record.id));
        }
        disk.rewind(&kept).map_err(|errno| FileError::system(errno, shown))?;
    }
    let parts = vec![Part::File { file: kept, size: put.before.size }];
    let back = Put { slot, old: Some(old), parts, mode: put.before.mode, shown: shown.clone(), lost: None };
    let ready = back.prepare(disk, planning.stop)?;
    ready.perform(disk).map_err(|failed| failed.error)
}
