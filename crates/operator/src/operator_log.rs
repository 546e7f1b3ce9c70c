//! The audit log of what a person does. It is opened for the first record, and not before: while
//! the person typed, other processes could write it.
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use overt_layers::audit::{Durability, Entry, Ledger, LedgerError};
use overt_state::audit::{AuditError, AuditLog, Options};
use overt_wire::BoxFuture;

/// How long to wait for another command that writes the log. Each command writes only a few
/// records.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);

/// Where and how a person's changes are recorded.
#[derive(Clone)]
pub struct LogPlan {
    pub folder: PathBuf,
    pub options: Arc<dyn Fn() -> Options + Send + Sync>,
}

/// The audit log of one command.
#[derive(Debug)]
pub struct OperatorLog {
    /// `None` if nothing is recorded.
    plan: Option<LogPlan>,
    log: OnceLock<Result<AuditLog, LedgerError>>,
}

impl OperatorLog {
    pub fn new(plan: Option<LogPlan>) -> Self {
        Self { plan, log: OnceLock::new() }
    }

    fn opened(&self) -> Option<Result<&AuditLog, LedgerError>> {
        let plan = self.plan.as_ref()?;
        Some(self.log.get_or_init(|| open(plan)).as_ref().map_err(Clone::clone))
    }
}

impl Ledger for OperatorLog {
    fn write(&self, entry: Entry, when: Durability) -> BoxFuture<'_, Result<(), LedgerError>> {
        match self.opened() {
            None => Box::pin(std::future::ready(Ok(()))),
            Some(Ok(log)) => log.write(entry, when),
            Some(Err(error)) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn note(&self, entry: Entry) {
        if let Some(Ok(log)) = self.opened() {
            log.note(entry);
        }
    }

    fn is_on(&self) -> bool {
        self.plan.is_some()
    }
}

fn open(plan: &LogPlan) -> Result<AuditLog, LedgerError> {
    let begun = Instant::now();
    loop {
        match AuditLog::open(&plan.folder, (plan.options)()) {
            Err(AuditError::Locked(_)) if begun.elapsed() < LONGEST_WAIT => std::thread::sleep(PAUSE),
            opened => return opened.map_err(|error| LedgerError { why: error.to_string() }),
        }
    }
}

impl fmt::Debug for LogPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogPlan").field("folder", &self.folder).finish_non_exhaustive()
    }
}
