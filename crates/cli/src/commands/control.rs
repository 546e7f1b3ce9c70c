//! Puts together what decides about calls: the settings, the person's grants, and the audit log.
use std::path::Path;
use std::sync::Arc;

use overt_layers::audit::{Ledger, NoLedger};
use overt_layers::grants::{MemoryStore, StateStore, StoreError};
use overt_layers::{Control, PolicySnapshot};
use overt_operator::Explain;
use overt_state::audit::{AuditError, AuditLog, CheckpointSink, Options};
use overt_state::grants::{ClientProcess, LateStore, SharedStore, SqliteStore};

use crate::error::{CommandError, Diagnostic, ErrorKind};
use crate::settings::{ControlPlan, OtlpSettings};
use crate::telemetry::CollectorAnchors;

/// Logs of one server that can be written at the same time: one for each process of the server.
const MOST_LOGS: u32 = 64;

impl Diagnostic for AuditError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Outside
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Broken { .. } => {
                "look at it with `overt audit verify`; move the folder away to begin a new log".to_owned()
            }
            _ => "calls that may change something are only made when they can be written down; `--audit off` does without"
                .to_owned(),
        })
    }
}

impl Diagnostic for StoreError {
    fn kind(&self) -> ErrorKind {
        Explain::kind(self)
    }
}

/// The control that a running server is under, and the audit log to close at its end.
#[derive(Debug)]
pub(super) struct Controlled {
    pub(super) control: Control,
    pub(super) ledger: Arc<dyn Ledger>,
    log: Option<Arc<AuditLog>>,
}

impl Controlled {
    /// `audit` holds the folder of the server's logs and their options; `None` if nothing is
    /// recorded.
    pub(super) fn new(
        snapshot: PolicySnapshot,
        store: Arc<dyn StateStore>,
        audit: Option<(&Path, &dyn Fn() -> Options)>,
    ) -> Result<Self, CommandError> {
        let log = audit.map(|(dir, options)| open_log(dir, options)).transpose()?.map(Arc::new);
        let ledger: Arc<dyn Ledger> = match &log {
            Some(log) => Arc::<AuditLog>::clone(log),
            None => Arc::new(NoLedger),
        };
        let control = Control::new(snapshot).ledger(Arc::clone(&ledger)).store(store);
        Ok(Self { control, ledger, log })
    }

    /// The process of `client` and what it starts must not answer the client's questions. If there
    /// is a collector, checkpoints of the audit log go to it too.
    pub(super) fn of(
        plan: &ControlPlan,
        client: Option<ClientProcess>,
        collector: Option<&OtlpSettings>,
    ) -> Result<Self, CommandError> {
        let options = || {
            let mut options = plan.options();
            // A wrong address was already refused when the spans were set up.
            let collector = collector.and_then(|settings| CollectorAnchors::new(settings).ok());
            options.sinks.extend(collector.map(|collector| Box::new(collector) as Box<dyn CheckpointSink>));
            options
        };
        let grants = open_grants(plan, client);
        let audit = plan.audit.as_deref().map(|dir| (dir, &options as &dyn Fn() -> Options));
        Self::new(plan.settings.snapshot(), grants, audit)
    }

    /// Writes the records that still wait, and closes the log.
    pub(super) fn close(self) {
        if let Some(log) = self.log {
            log.close();
        }
    }
}

/// Returns the store of grants. It is opened for the first question, which can come where
/// everything is allowed too: some calls are asked about each time. If the store on disk can't be
/// opened, grants end with this process.
fn open_grants(plan: &ControlPlan, client: Option<ClientProcess>) -> Arc<dyn StateStore> {
    let state = plan.state.clone();
    let file_trust = plan.file_trust.clone();
    let open = move || {
        let store = SqliteStore::open(&state)?;
        // The client must be noted before the first question is asked.
        client.map_or(Ok(()), |client| store.note_client(client))?;
        Ok::<_, StoreError>(store)
    };
    Arc::new(LateStore::new(move || match open() {
        Ok(store) => {
            if let Ok(Some(ended)) = store.take_ended() {
                tracing::warn!("{ended}");
            }
            if let Some(decision) = &file_trust {
                super::file_trust::apply(decision, &store);
            }
            Arc::new(SharedStore::new(store))
        }
        Err(error) => {
            tracing::warn!(
                "{error}; what is granted holds until this program ends, and `overt grants` does not see it"
            );
            Arc::new(MemoryStore::default())
        }
    }))
}

/// Opens the server's first log that no other process writes.
fn open_log(dir: &Path, options: &dyn Fn() -> Options) -> Result<AuditLog, AuditError> {
    let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let others = (2..=MOST_LOGS).map(|number| dir.with_file_name(format!("{name}.{number}")));
    let mut last = AuditError::Locked(dir.to_owned());
    for dir in std::iter::once(dir.to_owned()).chain(others) {
        match AuditLog::open(&dir, options()) {
            Err(locked @ AuditError::Locked(_)) => last = locked,
            opened => return opened,
        }
    }
    Err(last)
}
