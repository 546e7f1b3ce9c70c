//! What people decide here is in the audit log before it holds: on the disk first, changed second.
use std::time::{Duration, Instant};

use overt_layers::audit::{Durability, Entry, Kind, Ledger as _, Unwritten};
use overt_layers::grants::LOCAL;
use overt_layers::seal::random_name;
use overt_policy::scope::Scope;
use overt_state::audit::{AuditError, AuditLog};

use super::context::CommandContext;
use crate::commands::session::SetupError;
use crate::failure::{Complaint, Exit, Failure};

/// How long another `overt grants` may write: it has one thing to say.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);

impl Complaint for Unwritten {
    fn exit(&self) -> Exit {
        Exit::Outside
    }

    fn hint(&self) -> Option<String> {
        Some("nothing was changed; `OVERT_AUDIT=off` does without the log".to_owned())
    }
}

/// The log of what is decided with `overt grants`; none where nothing is written down.
pub(in crate::commands) struct Records {
    log: Option<AuditLog>,
    /// Ties the records of one decision together.
    name: String,
}

impl Records {
    pub(in crate::commands) fn open(context: &CommandContext<'_>) -> Result<Self, Failure> {
        let log = context.audit.and_then(|plan| Some((plan.audit.as_deref()?, plan)));
        let begun = Instant::now();
        let log = log.map(|(dir, plan)| {
            loop {
                match AuditLog::open(dir, plan.options()) {
                    Err(AuditError::Locked(_)) if begun.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
                    opened => return opened,
                }
            }
        });
        Ok(Self { log: log.transpose()?, name: random_name() })
    }

    /// Returns when it is on the disk.
    pub(in crate::commands) fn write(&self, entry: Entry) -> Result<(), Failure> {
        let Some(log) = &self.log else { return Ok(()) };
        let entry = Entry { call: Some(self.name.clone()), principal: Some(LOCAL.to_owned()), ..entry };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .map_err(|source| SetupError { what: "the runtime", source })?;
        Ok(runtime.block_on(log.write(entry, Durability::Durable))?)
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
