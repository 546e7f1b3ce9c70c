//! Audit records of what a person does with a command. Each is on disk before the change takes
//! effect.
use std::fmt;
use std::time::{Duration, Instant};

use overt_layers::audit::{Durability, Entry, Ledger as _, LedgerError};
use overt_state::audit::{AuditError, AuditLog};
use tokio::runtime::Runtime;

use super::session::setup_failed;
use crate::error::{CommandError, Diagnostic, ErrorKind};
use crate::settings::ControlPlan;

/// How long to wait for another command that writes the log. Each command writes only a few
/// records.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);

impl Diagnostic for LedgerError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Outside
    }

    fn hint(&self) -> Option<String> {
        Some("nothing was changed; `overt doctor` checks the log and its folder".to_owned())
    }
}

/// The audit log, open for the records of one command.
pub(super) struct CommandLog {
    /// `None` if nothing is recorded.
    log: Option<(AuditLog, Runtime)>,
}

impl CommandLog {
    pub(super) fn open(plan: Option<&ControlPlan>) -> Result<Self, CommandError> {
        let Some((plan, dir)) = plan.and_then(|plan| Some((plan, plan.audit.as_deref()?))) else {
            return Ok(Self { log: None });
        };
        let begun = Instant::now();
        let log = loop {
            match AuditLog::open(dir, plan.options()) {
                Err(AuditError::Locked(_)) if begun.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
                opened => break opened?,
            }
        };
        let runtime =
            tokio::runtime::Builder::new_current_thread().build().map_err(setup_failed("the runtime"))?;
        Ok(Self { log: Some((log, runtime)) })
    }

    /// Returns when the record is on the disk.
    pub(super) fn write(&self, entry: Entry) -> Result<(), CommandError> {
        match &self.log {
            Some((log, runtime)) => Ok(runtime.block_on(log.write(entry, Durability::Durable))?),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for CommandLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandLog").field("is_recorded", &self.log.is_some()).finish()
    }
}
