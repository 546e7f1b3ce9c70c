//! Undoes several changes together, the latest first. All of them are planned and shown before the
//! first is undone.
use std::path::{Path, PathBuf};
use std::sync::Arc;

use overt_layers::person::Authorised;
use overt_settings::Regions;
use overt_settings::{DeclaredSettings, Origin as SettingOrigin, SettingValue, SettingValues, SourceValues};
use overt_toolbox::{Change, describe_changes};

use super::super::access::View;
use super::super::error::code;
use super::super::journal::{Journal, Origin, Record, UNDO_BY_PERSON};
use super::super::tools::{CallSettings, Irreversibles, Planning};
use super::super::work::Stop;
use super::super::write::{HardLinks, Job, PlanClaim};
use super::super::{FileServer, Options, settings};
use super::chain;
use super::error::UndoError;
use super::not_undone::NotUndone;
use super::past_change::PastChange;
use super::person::{UndoChanges, UndoneBatch};
use super::planned::{PlannedUndo, UndoneChange};
use super::{is_void, lost, plan};

/// A set of changes that can all be undone.
#[derive(Debug)]
pub struct Batch {
    server: Arc<FileServer>,
    view: View,
    steps: Vec<BatchStep>,
}

#[derive(Debug)]
struct BatchStep {
    record: Record,
    planned: PlannedUndo,
    /// The state that the plan was bound to. `None` if a later change in the batch has replaced
    /// what this one left.
    fingerprints: Option<Vec<String>>,
}

/// The largest file, in bytes, whose content is shown and compared as a whole.
const SHOWN_BYTES: u64 = 16 << 20;
/// Limit of the journal while undoing. It is so large that undoing evicts nothing: how much is kept
/// is up to the servers.
pub(super) const MOST_BYTES: u64 = 1 << 40;

impl Batch {
    pub(super) fn plan(journal: &Journal, folder: &Path, ids: &[String]) -> Result<Self, UndoError> {
        let find = |id: &String| journal.find(id).map_err(|_| UndoError::Unknown(id.clone()));
        let records =
            ids.iter().map(|id| find(id).map(|(record, _)| record)).collect::<Result<Vec<_>, _>>()?;
        let mut roots = Vec::new();
        for record in &records {
            roots.extend(roots_of(record)?);
        }
        roots.sort_unstable();
        roots.dedup();
        let server = open(roots, folder)
            .map_err(|folder| UndoError::Gone { change: ids.first().cloned().unwrap_or_default(), folder })?;
        let view = View::of_regions(&server.roots, Regions::top()).showing_absolute_paths();
        let mut batch = Self { server, view, steps: Vec::new() };
        for record in records {
            let step = batch.plan_step(record, journal)?;
            batch.steps.push(step);
        }
        Ok(batch)
    }

    /// What will be undone, the latest change first.
    pub fn planned(&self) -> impl Iterator<Item = &PlannedUndo> {
        self.steps.iter().map(|step| &step.planned)
    }

    /// Returns the undoing of these changes, for a person to make.
    pub fn action(&self) -> UndoChanges {
        UndoChanges::of(self.planned())
    }

    /// Undoes all changes, the latest first. If one fails, the earlier ones stay undone. Nothing is
    /// undone that no person was authorised to undo:
    ///
    /// ```compile_fail,E0308
    /// fn undo(batch: overt_servers::files::Batch) {
    ///     let undoing = batch.action();
    ///     batch.apply(&undoing);
    /// }
    /// ```
    pub fn apply(self, undoing: &Authorised<UndoChanges>) -> UndoneBatch {
        let mut done = Vec::new();
        let failed = match undoing.is_of(self.planned()) {
            true => self.undo(&mut done).err(),
            // Another batch was authorised.
            false => self.steps.first().map(|step| UndoError::Unknown(step.record.id.clone())),
        };
        UndoneBatch { done, failed }
    }

    fn undo(self, done: &mut Vec<UndoneChange>) -> Result<(), UndoError> {
        let Self { server, view, steps } = self;
        for BatchStep { record, planned, fingerprints } in steps {
            let journal = journal_of(&server).ok_or_else(|| UndoError::Unknown(record.id.clone()))?;
            let id = journal.next_id().map_err(|error| UndoError::refused(&record.id, &error))?;
            let owner = OwnerPlanning::new(&server, &view, Some(id.clone()));
            let (_, kept) = journal.find(&record.id).map_err(|_| UndoError::Unknown(record.id.clone()))?;
            let undoing = plan(&owner.planning(), journal, &record, kept);
            let (act, _, now) =
                undoing.map_err(|unplanned| failed(&record, &unplanned.into_error(), None))?;
            // Only changes that were shown may be made.
            if fingerprints.is_some_and(|fingerprints| fingerprints != now) {
                return Err(changed(&record, None));
            }
            let by = Some(id.clone()).filter(|_| act.lost().is_none());
            let origin = Origin {
                client: Some(UNDO_BY_PERSON.to_owned()),
                session: None,
                changes: planned.lines.clone(),
                ..record.origin.clone()
            };
            let OwnerPlanning { claim, stop, .. } = owner;
            let (undoes, (claim, _)) = (Some(record.id.clone()), claim.into_parts());
            let view = view.clone();
            let job =
                Job { tool: UNDO_BY_PERSON, id: Some(id), undoes, origin, act, view, claim, room: None };
            job.make(&server, &stop).map_err(|error| failed(&record, &error, None))?;
            done.push(UndoneChange { change: planned.change, by });
        }
        Ok(())
    }

    fn plan_step(&self, record: Record, journal: &Journal) -> Result<BatchStep, UndoError> {
        let later: Vec<&Record> = self.steps.iter().map(|step| &step.record).collect();
        let (changes, fingerprints) = match chain::nearest(&record, &later) {
            Some(nearest) => {
                if let Some(why) = &record.irreversible {
                    return Err(UndoError::refused(&record.id, &lost(&record, why)));
                }
                (chain::changes(&record, nearest, journal)?, None)
            }
            None => {
                let (changes, fingerprints) = self.plan_now(&record, journal)?;
                (changes, Some(fingerprints))
            }
        };
        let shown = describe_changes(&changes);
        let planned =
            PlannedUndo { change: PastChange::from(&record), lines: shown.changes, diff: shown.diff };
        Ok(BatchStep { record, planned, fingerprints })
    }

    /// Plans the undoing on the current state of the files.
    fn plan_now(&self, record: &Record, journal: &Journal) -> Result<(Vec<Change>, Vec<String>), UndoError> {
        let owner = OwnerPlanning::new(&self.server, &self.view, None);
        let (_, kept) = journal.find(&record.id).map_err(|_| UndoError::Unknown(record.id.clone()))?;
        match plan(&owner.planning(), journal, record, kept) {
            Ok((_, changes, fingerprints)) => Ok((changes, fingerprints)),
            Err(_) if is_void(&owner.planning(), record) => Err(UndoError::Nothing(record.id.clone())),
            Err(unplanned) => Err(failed(record, &unplanned.into_error(), later_change(record, journal))),
        }
    }
}

/// What planning needs when there is no client.
pub(super) struct OwnerPlanning<'a> {
    server: &'a FileServer,
    view: &'a View,
    stop: Stop,
    claim: PlanClaim,
    settings: CallSettings,
}

impl<'a> OwnerPlanning<'a> {
    pub(super) fn new(server: &'a FileServer, view: &'a View, change: Option<String>) -> Self {
        let settings = CallSettings {
            hardlinks: HardLinks::Read,
            edit_max_bytes: SHOWN_BYTES,
            new_file_mode: 0o644,
            // A person decides, and was shown what is undone.
            irreversible: Irreversibles::Ask,
            change,
        };
        Self { server, view, stop: Stop::default(), claim: PlanClaim::new(&server.claims), settings }
    }

    pub(super) fn planning(&self) -> Planning<'_> {
        Planning {
            server: self.server,
            view: self.view,
            stop: &self.stop,
            claim: &self.claim,
            settings: &self.settings,
        }
    }
}

fn journal_of(server: &FileServer) -> Option<&Journal> {
    server.journal.as_deref()
}

/// Returns the folders in which a change was made, and checks that each is still there and is not a
/// link. If the record names no root around a path, the nearest existing folder above it counts.
pub(super) fn roots_of(record: &Record) -> Result<Vec<PathBuf>, UndoError> {
    let gone = |folder: &Path| UndoError::Gone {
        change: record.id.clone(),
        folder: folder.to_string_lossy().into_owned(),
    };
    let mut roots = Vec::new();
    for path in record.step.paths() {
        let said = record.origin.roots.iter().map(Path::new);
        let around =
            said.filter(|root| Path::new(path).starts_with(root)).max_by_key(|root| root.as_os_str().len());
        let root = match around {
            Some(root) => root.to_owned(),
            None => existing_parent(Path::new(path)).ok_or_else(|| gone(Path::new(path)))?,
        };
        // Paths in records contain no links. A link that is there now leads elsewhere.
        if std::fs::canonicalize(&root).ok().as_deref() != Some(&*root) {
            return Err(gone(&root));
        }
        roots.push(root);
    }
    Ok(roots)
}

fn existing_parent(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_owned)
}

/// Opens a file server over these folders that serves no client.
pub(super) fn open(roots: Vec<PathBuf>, journal: &Path) -> Result<Arc<FileServer>, String> {
    let shown = roots.first().map_or_else(String::new, |root| root.to_string_lossy().into_owned());
    let values = DeclaredSettings::new(settings()).map(SettingValues::from).map_err(|_| shown.clone())?;
    let mut given = SourceValues::default();
    // How much is kept is up to the servers.
    given.set("journal_max_bytes", SettingValue::Number(MOST_BYTES), SettingOrigin::Default);
    let options = Options { journal: Some(journal.to_owned()), ..Options::new(roots, values.over(given)) };
    FileServer::open(&options).map_err(|_| shown)
}

fn failed(record: &Record, error: &super::super::error::FileError, by: Option<String>) -> UndoError {
    match error.code {
        code::CONFLICT | code::TARGET_EXISTS | code::NOT_FOUND => changed(record, by),
        _ => UndoError::refused(&record.id, error),
    }
}

/// The error when another program has changed what the change left.
fn changed(record: &Record, by: Option<String>) -> UndoError {
    let path = record.step.paths().last().map_or_else(String::new, |path| (*path).to_owned());
    let at = std::fs::symlink_metadata(&path).and_then(|about| about.modified()).ok();
    UndoError::Changed { change: record.id.clone(), path, at, by }
}

/// Returns a later change of ours to the same paths that is not undone.
fn later_change(record: &Record, journal: &Journal) -> Option<String> {
    let mut not_undone = NotUndone::default();
    journal
        .all()
        .take_while(|later| later.id > record.id)
        .find(|later| {
            let holds = not_undone.holds(&later.id, later.undoes.as_deref());
            holds && chain::overlap(later, record)
        })
        .map(|later| later.id)
}
