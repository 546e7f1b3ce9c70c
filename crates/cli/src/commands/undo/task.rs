//! Runs the task that the settings name.
use std::path::Path;

use overt_servers::files::{Batch, History, UndoneChange};

use super::error::UndoProblem;
use super::record::Records;
use super::{list, select};
use crate::args::Format;
use crate::commands::prompter::{OnEnter, Prompter};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{ChangeData, UndoneReport, planned_text};
use crate::settings::{ControlPlan, UndoSettings, UndoTask};

pub(crate) fn undo(settings: &UndoSettings, context: &CommandContext) -> Result<Exit, CommandError> {
    let CommandContext { output, printer, .. } = context;
    let Some(history) = History::open(&settings.files)? else {
        return match settings.task {
            UndoTask::List => {
                printer.note("no change was made through `overt fs` yet");
                Ok(Exit::Ok)
            }
            _ => Err(UndoProblem::NothingLeft.into()),
        };
    };
    let changes = select::select(&history, &settings.selection, &settings.only, &settings.logs)?;
    if settings.task == UndoTask::List {
        return list::list(settings, &history, changes, context);
    }
    if changes.is_empty() {
        return Err(UndoProblem::NothingLeft.into());
    }
    let batch = select::plan(&history, &changes)?;
    let is_text = output.format == Format::Text;
    if is_text {
        for planned in batch.planned() {
            printer.text(&planned_text(planned))?;
        }
    }
    let count = batch.planned().count();
    match settings.task {
        UndoTask::Show if is_text => {
            printer.note("nothing was undone: this only shows what would be");
            return Ok(Exit::Ok);
        }
        UndoTask::Show => {
            let shown = batch.planned().map(|planned| ChangeData::new(&planned.change, None));
            printer.data(&UndoneReport::WouldUndo(shown.collect()))?;
            return Ok(Exit::Ok);
        }
        UndoTask::NobodyToAsk => return Err(UndoProblem::NobodyToAsk.into()),
        UndoTask::Ask => {
            let question = if count == 1 {
                "Undo this change?".to_owned()
            } else {
                format!("Undo these {count} changes?")
            };
            if !Prompter::new(printer).confirm(&question, OnEnter::No)? {
                printer.note("nothing was undone");
                return Ok(Exit::Ok);
            }
        }
        UndoTask::Undo | UndoTask::List => {}
    }
    let applied = apply(batch, &settings.audit);
    let (done, failed) = match applied {
        Ok(done) => (done, None),
        Err(Failed { done, problem }) => (done, Some(problem)),
    };
    match output.format {
        Format::Json => {
            let shown = done.iter().map(|undone| ChangeData::new(&undone.change, undone.by.as_deref()));
            printer.data(&UndoneReport::Undone(shown.collect()))?;
        }
        Format::Text => done.iter().for_each(|undone| printer.note(&undone_words(undone))),
    }
    failed.map_or(Ok(Exit::Ok), Err)
}

/// The changes that were undone before an error.
pub(in crate::commands) struct Failed {
    pub(in crate::commands) done: Vec<UndoneChange>,
    pub(in crate::commands) problem: CommandError,
}

/// Undoes all changes of the batch. The intents are on disk before anything is undone.
pub(in crate::commands) fn apply(batch: Batch, audit: &ControlPlan) -> Result<Vec<UndoneChange>, Failed> {
    let failed = |problem| Failed { done: Vec::new(), problem };
    let count = batch.planned().count();
    let records = Records::intend(audit, batch.planned()).map_err(failed)?;
    let mut done: Vec<UndoneChange> = Vec::new();
    let applied = batch.apply(&mut done);
    let ids: Vec<Option<String>> = done.iter().map(|undone| undone.by.clone()).collect();
    if let Err(problem) = records.end(&ids, applied.is_err()) {
        return Err(Failed { done, problem });
    }
    match applied {
        Ok(()) => Ok(done),
        Err(error) => {
            let problem = match done.len() {
                0 => UndoProblem::Refused { error, rest: Vec::new(), files: 1 },
                many => UndoProblem::Halfway { done: many, all: count, error },
            };
            Err(Failed { done, problem: problem.into() })
        }
    }
}

/// Plans to undo the change with this id. Nothing is undone yet.
pub(in crate::commands) fn plan_one(files: &Path, id: &str) -> Result<Batch, CommandError> {
    let history = History::open(files)?.ok_or(UndoProblem::NothingLeft)?;
    let change = select::by_id(&history, id)?;
    Ok(select::plan(&history, &[change])?)
}

pub(in crate::commands) fn undone_words(undone: &UndoneChange) -> String {
    let change = undone.change.short_id();
    match &undone.by {
        Some(by) => {
            let by = by.rsplit_once('-').map_or_else(|| by.clone(), |(_, last)| format!("c-{last}"));
            format!("{change} is undone as {by}. `overt undo {by}` brings it back.")
        }
        None => format!("{change} is undone for good: what it had made was too large to be kept."),
    }
}
