//! What people decide here is in the audit log before it holds: on the disk first, changed second.
use overt_layers::audit::{Entry, Kind};
use overt_layers::grants::LOCAL;
use overt_layers::seal::random_name;
use overt_policy::scope::Scope;

use super::context::CommandContext;
use crate::commands::command_log::CommandLog;
use crate::failure::Failure;

/// The records of one decision.
pub(in crate::commands) struct Records {
    log: CommandLog,
    /// Ties the records of one decision together.
    name: String,
}

impl Records {
    pub(in crate::commands) fn open(context: &CommandContext<'_>) -> Result<Self, Failure> {
        Ok(Self { log: CommandLog::open(context.audit)?, name: random_name() })
    }

    /// Returns when it is on the disk.
    pub(in crate::commands) fn write(&self, entry: Entry) -> Result<(), Failure> {
        self.log.write(Entry { call: Some(self.name.clone()), principal: Some(LOCAL.to_owned()), ..entry })
    }

    /// What was written down did not happen.
    pub(super) fn in_vain(&self, entry: Entry, why: &str) {
        let reason = Some(format!("without effect: {why}"));
        if let Err(error) = self.write(Entry { reason, decision: None, ..entry }) {
            tracing::error!("{error:?}");
        }
    }
}

/// A record about a tool of a server, in a project or everywhere.
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
