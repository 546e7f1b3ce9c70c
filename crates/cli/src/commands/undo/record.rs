//! Audit records of undone changes. The intent is on disk before a change is undone.
use overt_layers::audit::{CallOutcome, Entry, Kind};
use overt_layers::seal::UniqueNames;
use overt_servers::files::{NAME, PastChange, PlannedUndo};
use overt_wire::Principal;

use crate::commands::command_log::CommandLog;
use crate::error::CommandError;
use crate::settings::ControlPlan;

/// The audit records of one `overt undo`.
pub(super) struct Records {
    log: CommandLog,
    entries: Vec<Entry>,
}

impl Records {
    /// Opens the log and records what is about to be undone.
    pub(super) fn intend<'a>(
        plan: &ControlPlan,
        planned: impl Iterator<Item = &'a PlannedUndo>,
    ) -> Result<Self, CommandError> {
        let names = UniqueNames::default();
        let entries: Vec<Entry> = planned.map(|planned| entry(planned, names.next())).collect();
        let records = Self { log: CommandLog::open(Some(plan))?, entries };
        for entry in &records.entries {
            records.log.write(entry.clone())?;
        }
        Ok(records)
    }

    /// Records the outcome of each: undone ones with the ids of their undo changes, the one that
    /// failed, and the others as cancelled.
    pub(super) fn end(self, done: &[Option<String>], has_failed: bool) -> Result<(), CommandError> {
        for (index, entry) in self.entries.iter().enumerate() {
            let outcome = match done.get(index) {
                Some(_) => CallOutcome::Ok,
                None if has_failed && index == done.len() => CallOutcome::ToolError,
                None => CallOutcome::CancelledBefore,
            };
            let change = done.get(index).cloned().flatten();
            self.log.write(Entry { kind: Kind::Outcome, outcome: Some(outcome), change, ..entry.clone() })?;
        }
        Ok(())
    }
}

fn entry(planned: &PlannedUndo, call: String) -> Entry {
    let change: &PastChange = &planned.change;
    let needed = change.paths.iter().map(|path| format!("write:file:{path}"));
    Entry {
        call: Some(call),
        principal: Some(Principal::local().key()),
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
