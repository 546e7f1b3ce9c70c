//! Runs the task that the settings name.
use overt_operator::undo::{Failed, UndoProblem, apply, plan, select, undone_words};
use overt_servers::files::History;

use super::list;
use crate::args::Format;
use crate::commands::grants::DecisionContext;
use crate::commands::prompter::{OnEnter, Prompter};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::{ChangeData, UndoneReport, planned_text};
use crate::settings::{UndoSettings, UndoTask, logs_in};

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
    let changes = select(&history, &settings.selection, &settings.only, &logs_in(&settings.logs))?;
    if settings.task == UndoTask::List {
        return list::list(settings, &history, changes, context);
    }
    if changes.is_empty() {
        return Err(UndoProblem::NothingLeft.into());
    }
    let batch = plan(&history, &changes)?;
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
    let state = context.state()?;
    let decision = DecisionContext::new(context, &state, Some(&settings.audit));
    let (done, failed) = match apply(&decision.operator(), batch) {
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
    failed.map_or(Ok(Exit::Ok), |problem| Err(problem.into()))
}
