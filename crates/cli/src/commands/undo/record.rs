//! The audit records of what is undone: that it is about to happen is on the disk before it does.
use std::time::{Duration, Instant};

use overt_layers::audit::{CallOutcome, Durability, Entry, Kind, Ledger as _};
use overt_layers::grants::LOCAL;
use overt_layers::seal::Names;
use overt_servers::files::{NAME, PastChange, Planned};
use overt_state::audit::{AuditError, AuditLog};

use crate::commands::session::SetupError;
use crate::failure::Failure;
use crate::settings::ControlPlan;

/// How long another `overt undo` may write: it has few things to say.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);

/// The log of `overt undo`; none where nothing is written down.
pub(super) struct Records {
    log: Option<AuditLog>,
    entries: Vec<Entry>,
}

impl Records {
    /// Opens the log and records what is about to be undone.
    pub(super) fn intend<'a>(
        plan: &ControlPlan,
        planned: impl Iterator<Item = &'a Planned>,
    ) -> Result<Self, Failure> {
        let begun = Instant::now();
        let log = plan.audit.as_deref().map(|dir| {
            loop {
                match AuditLog::open(dir, plan.options()) {
                    Err(AuditError::Locked(_)) if begun.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
                    opened => return opened,
                }
            }
        });
        let names = Names::default();
        let entries: Vec<Entry> = planned.map(|planned| entry(planned, names.next())).collect();
        let records = Self { log: log.transpose()?, entries };
        for entry in &records.entries {
            records.write(entry.clone())?;
        }
        Ok(records)
    }

    /// Records how each ended: those that were undone, with the ids of their undoings, then the one that failed, then the others.
    pub(super) fn end(self, done: &[Option<String>], has_failed: bool) -> Result<(), Failure> {
        for (index, entry) in self.entries.iter().enumerate() {
            let outcome = match done.get(index) {
                Some(_) => CallOutcome::Ok,
                None if has_failed && index == done.len() => CallOutcome::ToolError,
                None => CallOutcome::CancelledBefore,
            };
            let change = done.get(index).cloned().flatten();
            self.write(Entry { kind: Kind::Outcome, outcome: Some(outcome), change, ..entry.clone() })?;
        }
        if let Some(log) = self.log {
            log.close();
        }
        Ok(())
    }

    fn write(&self, entry: Entry) -> Result<(), Failure> {
        let Some(log) = &self.log else { return Ok(()) };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .map_err(|source| SetupError { what: "the runtime", source })?;
        Ok(runtime.block_on(log.write(entry, Durability::Durable))?)
    }
}

fn entry(planned: &Planned, call: String) -> Entry {
    let change: &PastChange = &planned.change;
    let needed = change.paths.iter().map(|path| format!("write:file:{path}"));
    Entry {
        call: Some(call),
        principal: Some(LOCAL.to_owned()),
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
