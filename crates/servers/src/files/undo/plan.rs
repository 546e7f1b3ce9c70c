//! Plans the undoing of one change: what it left becomes what was there before it.
use std::fs::File;
use std::io::Read as _;

use overt_toolbox::{Body, Change};

use super::super::access::{AbsolutePath, Kind, Mounts, Slot};
use super::super::error::{FileError, code};
use super::super::file_digest::FileDigest;
use super::super::journal::{After, Before, Journal, PutStep, Record, RecordedStep};
use super::super::tools::{Planning, shown_bytes, shown_content, shown_tree};
use super::super::write::{
    Act, Move, OldFile, Part, Put, PutAll, Remove, Restore, Retention, Tree, TreePurpose, TreeScan,
    Unplanned, is_same_name, scan_tree,
};

/// A plan that undoes a change: the act, the changes that people see, and the state that it is
/// bound to.
pub(crate) type UndoPlan = (Act, Vec<Change>, Vec<String>);

/// Plans the undoing of a change. `kept` is the file with the old content, positioned at its start.
pub(crate) fn plan(
    planning: &Planning<'_>,
    journal: &Journal,
    record: &Record,
    kept: File,
) -> Result<UndoPlan, Unplanned> {
    let undo = Undo { planning, journal, record };
    if let Some(why) = &record.irreversible {
        return Err(lost(record, why).into());
    }
    match &record.step {
        RecordedStep::Put { path, before: Some(before), after } => undo.content(path, before, after, kept),
        RecordedStep::Put { path, before: None, after } => undo.new_file(path, after),
        RecordedStep::PutAll { puts } => undo.contents(puts),
        RecordedStep::Grown { folders, file } => undo.folders(folders, file.as_ref()),
        RecordedStep::Removed { path, print } => undo.removed(path, print),
        RecordedStep::Moved { from, to, print } => undo.moved(from, to, print),
        RecordedStep::Made { path, print } => undo.made(path, print),
    }
}

/// The error for a change whose old content was not kept, with a person's consent.
pub(crate) fn lost(record: &Record, why: &str) -> FileError {
    FileError::new(
        code::NOT_KEPT,
        format!("the change `{}` can't be undone: {why}, so the previous content was not kept", record.id),
        "Go on without it, or ask the user for a backup; `list_changes` shows which changes can be undone.",
    )
}

/// Undoes one change. Each method first checks that what the change left is still there.
struct Undo<'a> {
    planning: &'a Planning<'a>,
    journal: &'a Journal,
    record: &'a Record,
}

impl Undo<'_> {
    /// Restores several files, again as one change.
    fn contents(&self, puts: &[PutStep]) -> Result<UndoPlan, Unplanned> {
        let slots = puts.iter().map(|put| self.slot(&put.path)).collect::<Result<Vec<_>, _>>()?;
        self.planning.take(&slots.iter().map(|(slot, _)| slot).collect::<Vec<_>>())?;
        let (mut acts, mut changes, mut fingerprints) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (put, (slot, shown))) in puts.iter().zip(slots).enumerate() {
            let kept = self.journal.kept_file(&self.record.id, index).ok_or_else(|| self.damaged())?;
            let (act, change, seen) = self.content_at(slot, shown, &put.before, &put.after, kept)?;
            acts.push(act);
            changes.extend(change);
            fingerprints.extend(seen);
        }
        Ok((Act::PutAll(PutAll { puts: acts }), changes, fingerprints))
    }

    fn content(&self, path: &str, before: &Before, after: &After, kept: File) -> Result<UndoPlan, Unplanned> {
        let (slot, shown) = self.slot(path)?;
        let (put, changes, fingerprints) = self.content_at(slot, shown, before, after, kept)?;
        Ok((Act::Put(put), changes, fingerprints))
    }

    fn content_at(
        &self,
        slot: Slot,
        shown: String,
        before: &Before,
        after: &After,
        kept: File,
    ) -> Result<(Put, Vec<Change>, Vec<String>), Unplanned> {
        let old = self.left(&slot, &shown, after, Some(before))?;
        let size = before.size;
        let (part, body): (Part, Body) = if size <= self.planning.settings.edit_max_bytes {
            let mut bytes = Vec::new();
            let read = (&kept).take(size).read_to_end(&mut bytes);
            let is_whole = before.digest.is_none_or(|wanted| wanted == FileDigest::of(&bytes));
            if read.is_err() || bytes.len() as u64 != size || !is_whole {
                return Err(self.damaged().into());
            }
            let body = shown_bytes(&bytes);
            (Part::Bytes(bytes), body)
        } else {
            (Part::File { file: kept, size }, overt_toolbox::Blob::new(size).into())
        };
        self.planning.check_room(old.facts().size, &shown)?;
        // A caller that may only write sees only sizes.
        let sees = self.planning.view.sees(&slot.path());
        let now = shown_content(old.content.as_ref().filter(|_| sees), old.facts().size);
        let body = if sees { body } else { overt_toolbox::Blob::new(size).into() };
        let fingerprints = vec![old.identity()];
        let change = Change::edited(&shown, now, body);
        let put = Put { slot, old: Some(old), parts: vec![part], mode: before.mode, shown, lost: None };
        Ok((put, vec![change], fingerprints))
    }

    fn new_file(&self, path: &str, after: &After) -> Result<UndoPlan, Unplanned> {
        let (slot, shown) = self.slot(path)?;
        let old = self.left(&slot, &shown, after, None)?;
        let sees = self.planning.view.sees(&slot.path());
        let body = shown_content(old.content.as_ref().filter(|_| sees), old.facts().size);
        let seen = self.planning.scan(&slot, TreePurpose::Change, None, &shown)?;
        self.remove(slot, seen, shown, body)
    }

    fn folders(&self, folders: &[String], file: Option<&(String, After)>) -> Result<UndoPlan, Unplanned> {
        let first = folders.first().ok_or_else(|| self.damaged())?;
        let (slot, shown) = self.slot(first)?;
        let seen = self.planning.scan(&slot, TreePurpose::Change, None, &shown)?;
        let wanted = folders.len() + usize::from(file.is_some());
        if seen.kind != Kind::Folder
            || seen.entries() != wanted as u64
            || seen.folders != folders.len() as u64
        {
            return Err(self.changed(&shown).into());
        }
        if let Some((path, after)) = file {
            let (slot, shown) = self.slot(path)?;
            self.left(&slot, &shown, after, None)?;
        }
        let body = shown_tree(&seen);
        self.remove(slot, seen, shown, body)
    }

    fn made(&self, path: &str, print: &str) -> Result<UndoPlan, Unplanned> {
        let (slot, shown) = self.slot(path)?;
        if slot.now.is_none() {
            return Err(self.changed(&shown).into());
        }
        let seen = self.planning.scan(&slot, TreePurpose::Change, None, &shown)?;
        if seen.print != print {
            return Err(self.changed(&shown).into());
        }
        let body = shown_tree(&seen);
        self.remove(slot, seen, shown, body)
    }

    fn remove(&self, slot: Slot, seen: Tree, shown: String, body: Body) -> Result<UndoPlan, Unplanned> {
        self.planning.take(&[&slot])?;
        self.planning.check_hard_links(&seen, &shown)?;
        let keeping = self.keeping(&slot, &seen, &shown)?;
        let fingerprints = vec![seen.identity.clone()];
        let change = Change::deleted(&shown, body);
        Ok((Act::Remove(Remove { slot, scanned: seen, shown, keeping }), vec![change], fingerprints))
    }

    /// Decides whether the journal keeps what is removed. What it can't keep is removed only if a
    /// person agrees, although our own change made it.
    fn keeping(&self, slot: &Slot, seen: &Tree, shown: &str) -> Result<Retention, FileError> {
        Ok(match self.planning.unkept(slot, seen, shown) {
            None => Retention::Kept,
            Some(unkept) => Retention::Lost(self.planning.refuse_or_ask(unkept)?),
        })
    }

    fn removed(&self, path: &str, print: &str) -> Result<UndoPlan, Unplanned> {
        let (to, shown) = self.slot(path)?;
        if to.now.is_some() {
            return Err(self.changed(&shown).into());
        }
        let id = &self.record.id;
        if self.journal.kept_kind(id).is_none() {
            return Err(Journal::unknown(id).into());
        }
        let target = to.path();
        let scan_options = TreeScan {
            view: Some(self.planning.view),
            want: TreePurpose::Own,
            target: Some(&target),
            shown: &shown,
            stop: self.planning.stop,
        };
        let seen = scan_tree(&self.journal.folder, &Journal::kept_name(id), scan_options)?;
        self.planning.check_hard_links(&seen, &shown)?;
        let change = Change::created(&shown, shown_tree(&seen));
        let restore = Restore { id: id.clone(), to, print: print.to_owned(), bytes: seen.bytes, shown };
        Ok((Act::Restore(restore), vec![change], vec![seen.identity]))
    }

    fn moved(&self, from: &str, to: &str, print: &str) -> Result<UndoPlan, Unplanned> {
        let (source, shown) = self.slot(to)?;
        let (target, shown_to) = self.slot(from)?;
        self.planning.take(&[&source, &target])?;
        if !self.planning.view.sees(&source.path()) {
            return Err(FileError::hidden(&shown).into());
        }
        if source.now.is_none() {
            return Err(self.changed(&shown).into());
        }
        if target.now.is_some() && !is_same_name(&source, &target) {
            return self.half_moved(source, shown, &target, &shown_to, print);
        }
        let seen = self.planning.scan(&source, TreePurpose::Change, Some(&target.path()), &shown)?;
        if seen.print != print {
            return Err(self.changed(&shown).into());
        }
        self.planning.check_hard_links(&seen, &shown)?;
        let change = Change::moved(&shown, &shown_to, shown_tree(&seen));
        let fingerprints = vec![seen.identity.clone()];
        Ok((
            Act::Move(Move { from: source, to: target, scanned: seen, shown, shown_to }),
            vec![change],
            fingerprints,
        ))
    }

    /// Handles a move whose original path is taken. A process that was killed while it moved
    /// something to another file system left it at both places; then the copy is removed. Otherwise
    /// another program put something there.
    fn half_moved(
        &self,
        copy: Slot,
        shown: String,
        original: &Slot,
        shown_original: &str,
        print: &str,
    ) -> Result<UndoPlan, Unplanned> {
        let stands = self.planning.scan(original, TreePurpose::Change, None, shown_original)?;
        let seen = self.planning.scan(&copy, TreePurpose::Change, None, &shown)?;
        if stands.print != print || seen.print != print {
            return Err(FileError::exists(shown_original).into());
        }
        self.planning.check_hard_links(&seen, &shown)?;
        let keeping = self.keeping(&copy, &seen, &shown)?;
        let fingerprints = vec![seen.identity.clone(), stands.identity];
        let change = Change::deleted(&shown, shown_tree(&seen));
        Ok((Act::Remove(Remove { slot: copy, scanned: seen, shown, keeping }), vec![change], fingerprints))
    }

    /// Claims a path of the change. Returns its slot, and the path for display.
    fn slot(&self, path: &str) -> Result<(Slot, String), Unplanned> {
        let shown = AbsolutePath::from_system(path)
            .map_or_else(|| path.to_owned(), |path| self.planning.view.shown(&path));
        // Something that was moved or deleted was on the file system of its root. Other changes may
        // be on a file system that is mounted in the root.
        let mounts = match self.record.step {
            RecordedStep::Moved { .. } | RecordedStep::Removed { .. } => Mounts::Stay,
            RecordedStep::Put { .. }
            | RecordedStep::PutAll { .. }
            | RecordedStep::Grown { .. }
            | RecordedStep::Made { .. } => Mounts::Cross,
        };
        let slot = self.planning.slot_itself(&shown, mounts)?;
        if !matches!(
            self.record.step,
            RecordedStep::Moved { .. } | RecordedStep::Grown { .. } | RecordedStep::PutAll { .. }
        ) {
            self.planning.take(&[&slot])?;
        }
        Ok((slot, shown))
    }

    /// Opens the file, if its content is what the change left.
    fn left(
        &self,
        slot: &Slot,
        shown: &str,
        after: &After,
        before: Option<&Before>,
    ) -> Result<OldFile, FileError> {
        if slot.now.is_none_or(|facts| facts.kind != Kind::File) {
            return Err(self.changed(shown));
        }
        let old = OldFile::open(
            slot,
            self.planning.settings.hardlinks,
            self.planning.settings.edit_max_bytes,
            shown,
        )?;
        let is = |size: u64| old.facts().size == size;
        if !is(after.size) && !before.is_some_and(|before| is(before.size)) {
            return Err(self.changed(shown));
        }
        let now = old.digest(&self.planning.server.disk, self.planning.stop, shown)?;
        if now == after.digest {
            return Ok(old);
        }
        // The record is written before the change, so a process that was killed in between leaves a
        // record without a change.
        if before.is_some_and(|before| before.digest == Some(now)) {
            return Err(FileError::new(
                code::CONFLICT,
                format!(
                    "`{shown}` is what it was before the change `{}`: there is nothing to undo",
                    self.record.id
                ),
                "Go on: the change was already undone, or never made.",
            ));
        }
        Err(self.changed(shown))
    }

    fn changed(&self, shown: &str) -> FileError {
        FileError::new(
            code::CONFLICT,
            format!(
                "`{shown}` is no longer what the change `{}` left, so nothing was undone",
                self.record.id
            ),
            "Undo the later changes first, starting with the last one, or change the file yourself.",
        )
    }

    fn damaged(&self) -> FileError {
        FileError::new(
            code::UNKNOWN_CHANGE,
            format!("what was kept for the change `{}` is damaged, so nothing was undone", self.record.id),
            "Change the file yourself.",
        )
    }
}
