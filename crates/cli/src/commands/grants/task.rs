//! From settings to what was asked for.
use overt_layers::grants::{Clock, StoreError};
use overt_state::grants::SqliteStore;

use super::{decide, show};
use crate::failure::{Exit, Failure};
use crate::output::Printer;
use crate::settings::{Env, GrantsSettings, GrantsTask};

/// What every part needs.
pub(super) struct Desk<'a> {
    pub(super) settings: &'a GrantsSettings,
    pub(super) printer: Printer,
    pub(super) clock: Clock,
}

impl Desk<'_> {
    /// The store, if anything was ever kept.
    pub(super) fn store(&self) -> Result<Option<SqliteStore>, StoreError> {
        SqliteStore::open_if_there(self.settings.state.path())
    }
}

pub(crate) fn grants(settings: &GrantsSettings, env: &Env) -> Result<Exit, Failure> {
    let printer = Printer::new(settings.talk.verbosity, env);
    let desk = Desk { settings, printer, clock: Clock::default() };
    match &settings.task {
        GrantsTask::List => show::list(&desk),
        GrantsTask::Pending(look) => show::pending(&desk, *look),
        GrantsTask::Allow { id, yes, wider } => decide::allow(&desk, id, *yes, *wider),
        GrantsTask::Advance { server, tool, scopes, yes } => {
            decide::advance(&desk, server, tool, scopes, *yes)
        }
        GrantsTask::Deny { id, whole_session } => decide::deny(&desk, id, *whole_session),
        GrantsTask::Revoke(which) => decide::revoke(&desk, which),
    }
}
