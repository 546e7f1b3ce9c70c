//! Undoes changes as they were shown.
use std::path::Path;

use overt_servers::files::{Batch, History, OpenError, UndoneBatch, UndoneChange};

use super::error::UndoProblem;
use super::select;
use crate::error::{Explain, OperatorError};
use crate::operator::Operator;

impl Explain for OpenError {
    fn hint(&self) -> Option<String> {
        Some("name directories that you can open; `overt fs --help` has examples".to_owned())
    }
}

/// The changes that were undone before an error.
#[derive(Debug)]
pub struct Failed {
    pub done: Vec<UndoneChange>,
    pub problem: OperatorError,
}

/// Undoes all changes of the batch. The intents are on disk before anything is undone.
pub fn apply(operator: &Operator<'_>, batch: Batch) -> Result<Vec<UndoneChange>, Failed> {
    let count = batch.planned().count();
    let undoing = batch.action();
    let undone = operator
        .act(&operator.answerer(), undoing, |undoing| Ok::<UndoneBatch, UndoProblem>(batch.apply(&undoing)));
    let UndoneBatch { done, failed } = undone.map_err(|problem| Failed { done: Vec::new(), problem })?;
    let Some(error) = failed else { return Ok(done) };
    let problem = match done.len() {
        0 => UndoProblem::Refused { error, rest: Vec::new(), files: 1 },
        many => UndoProblem::Halfway { done: many, all: count, error },
    };
    Err(Failed { done, problem: problem.into() })
}

/// Plans to undo the change with this id. Nothing is undone yet.
pub fn plan_one(files: &Path, id: &str) -> Result<Batch, OperatorError> {
    let history = History::open(files)?.ok_or(UndoProblem::NothingLeft)?;
    let change = select::by_id(&history, id)?;
    Ok(select::plan(&history, &[change])?)
}

pub fn undone_words(undone: &UndoneChange) -> String {
    let change = undone.change.short_id();
    match &undone.by {
        Some(by) => {
            let by = by.rsplit_once('-').map_or_else(|| by.clone(), |(_, last)| format!("c-{last}"));
            format!("{change} is undone as {by}. `overt undo {by}` brings it back.")
        }
        None => format!("{change} is undone for good: what it had made was too large to be kept."),
    }
}
