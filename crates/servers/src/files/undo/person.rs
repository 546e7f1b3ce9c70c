//! A person's undoing of changes, with its records.
use std::collections::VecDeque;

use overt_layers::audit::{CallOutcome, Entry, Kind};
use overt_layers::person::{PersonAction, Reach};
use overt_layers::seal::UniqueNames;

use super::error::UndoError;
use super::planned::{PlannedUndo, UndoneChange};
use crate::files::NAME;

/// The undoing of changes as it was shown, the latest change first.
#[derive(Debug)]
pub struct UndoChanges {
    changes: Vec<String>,
    records: Vec<Entry>,
}

/// What became of an undoing.
#[derive(Debug)]
pub struct UndoneBatch {
    /// The changes that were undone. If one fails, the earlier ones stay undone.
    pub done: Vec<UndoneChange>,
    pub failed: Option<UndoError>,
}

impl UndoChanges {
    pub(super) fn of<'a>(planned: impl Iterator<Item = &'a PlannedUndo>) -> Self {
        let names = UniqueNames::default();
        let (changes, records) =
            planned.map(|planned| (planned.change.id.clone(), record(planned, names.next()))).unzip();
        Self { changes, records }
    }

    /// Returns whether exactly these changes are undone.
    pub(super) fn is_of<'a>(&self, planned: impl Iterator<Item = &'a PlannedUndo>) -> bool {
        planned.map(|planned| &planned.change.id).eq(&self.changes)
    }
}

impl PersonAction for UndoChanges {
    type Effect = UndoneBatch;

    fn intent(&self) -> Vec<Entry> {
        self.records.clone()
    }

    /// Returns the outcome of each: the undone ones with the ids of their undo changes, the one
    /// that failed, and the others as cancelled.
    fn outcome(&self, undone: &UndoneBatch) -> Vec<Entry> {
        let mut done: VecDeque<&UndoneChange> = undone.done.iter().collect();
        let mut failed = undone.failed.is_some();
        let outcome = |record: &Entry| {
            let undone = done.pop_front();
            let outcome = match undone {
                Some(_) => CallOutcome::Ok,
                None if std::mem::take(&mut failed) => CallOutcome::ToolError,
                None => CallOutcome::CancelledBefore,
            };
            let change = undone.and_then(|undone| undone.by.clone());
            Entry { kind: Kind::Outcome, outcome: Some(outcome), change, ..record.clone() }
        };
        self.records.iter().map(outcome).collect()
    }

    fn reach(&self) -> Reach {
        Reach::Call
    }

    fn allows_more(&self) -> bool {
        false
    }
}

fn record(planned: &PlannedUndo, call: String) -> Entry {
    let change = &planned.change;
    let needed = change.paths.iter().map(|path| format!("write:file:{path}"));
    Entry {
        call: Some(call),
        agent: Some("you".to_owned()),
        method: Some("overt undo".to_owned()),
        target: Some("undo".to_owned()),
        intent: Some(format!("Undo the change {}", change.short_id())),
        needed: needed.collect(),
        decision: Some("allow"),
        effect: Some("mutating"),
        basis: Some("declared"),
        changes: planned.lines.clone(),
        ..Entry::of_server(Kind::Intent, NAME, change.project.as_deref())
    }
}
