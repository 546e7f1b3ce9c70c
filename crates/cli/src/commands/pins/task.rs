//! From settings to what was asked for.
use overt_gateway::pins::{PinStore, StoreError};

use super::{decide, show};
use crate::failure::{Complaint, Exit, Failure};
use crate::output::Printer;
use crate::settings::{Env, PinsSettings, Task};

/// What every part needs.
pub(super) struct Desk<'a> {
    pub(super) settings: &'a PinsSettings,
    pub(super) store: PinStore,
    pub(super) printer: Printer,
}

impl Complaint for StoreError {
    fn hint(&self) -> Option<String> {
        Some(
            "what can't be read is never replaced: put the file right, or `overt pins forget SERVER`"
                .to_owned(),
        )
    }
}

pub(crate) fn pins(settings: &PinsSettings, env: &Env) -> Result<Exit, Failure> {
    let store = PinStore::new(settings.state.path());
    let desk = Desk { settings, store, printer: Printer::new(settings.talk.verbosity, env) };
    match &settings.task {
        Task::List => show::list(&desk),
        Task::Diff(tools) => show::diff(&desk, tools),
        Task::Decide(decision, tools) => decide::decide(&desk, *decision, tools),
        Task::Forget => decide::forget(&desk),
    }
}
