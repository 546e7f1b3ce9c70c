//! Audit records of decisions. Each is on disk before its decision takes effect.
use overt_layers::audit::{Entry, Kind};
use overt_layers::seal::random_name;
use overt_policy::scope::Scope;
use overt_wire::Principal;

use super::context::DecisionContext;
use crate::commands::command_log::CommandLog;
use crate::error::CommandError;

/// The records of one decision.
pub(in crate::commands) struct Records {
    log: CommandLog,
    /// A random id that all records of the decision have.
    name: String,
}

impl Records {
    pub(in crate::commands) fn open(context: &DecisionContext<'_>) -> Result<Self, CommandError> {
        Ok(Self { log: CommandLog::open(context.audit)?, name: random_name() })
    }

    /// Returns when the record is on disk.
    pub(in crate::commands) fn write(&self, entry: Entry) -> Result<(), CommandError> {
        self.log.write(Entry {
            call: Some(self.name.clone()),
            principal: Some(Principal::local().key()),
            ..entry
        })
    }

    /// Records that a decision, which is already in the log, had no effect.
    pub(super) fn record_without_effect(&self, entry: Entry, why: &str) {
        let reason = Some(format!("without effect: {why}"));
        if let Err(error) = self.write(Entry { reason, decision: None, ..entry }) {
            tracing::error!("{error:?}");
        }
    }
}

/// Returns a record about a tool of a server, in a project or everywhere.
pub(super) fn entry(
    kind: Kind,
    (server, project): (&str, Option<&str>),
    tool: &str,
    scopes: &[Scope],
) -> Entry {
    Entry {
        target: Some(tool.to_owned()),
        requested: scopes.iter().map(ToString::to_string).collect(),
        ..Entry::of_server(kind, server, project)
    }
}
