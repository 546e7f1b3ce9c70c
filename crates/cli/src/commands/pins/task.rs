//! Runs the task that the settings name.
use overt_gateway::pins::{Decision, PinStore, StoreError};
use overt_layers::audit::{Entry, Kind};

use super::context::PinsContext;
use super::{decide, show};
use crate::commands::grants::{CommandContext, authorize_answerer};
use crate::failure::{Complaint, Exit, Failure};
use crate::output::Printer;
use crate::settings::{ControlPlan, Env, PinsSettings, Task};

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
    let pins = PinsContext { settings, store, printer: Printer::new(settings.output.verbosity, env) };
    if let Some(action) = accepts(&settings.task) {
        let plan = ControlPlan::of_grants(env)?;
        let context = CommandContext::new(&settings.state, settings.output, Some(&plan), env);
        let record = Entry { reason: Some(action.to_owned()), ..Entry::new(Kind::Approval) };
        authorize_answerer(&context.with_passphrase(settings.passphrase), [record])?;
    }
    match &settings.task {
        Task::List => show::list(&pins),
        Task::Diff(tools) => show::diff(&pins, tools),
        Task::Decide(decision, tools) => decide::decide(&pins, *decision, tools),
        Task::Forget => decide::forget(&pins),
    }
}

/// The name of a task after which a tool may be used that no person accepted before. Only a person
/// may run such a task.
fn accepts(task: &Task) -> Option<&'static str> {
    match task {
        Task::Decide(Decision::Accept, _) => Some("pins accept"),
        Task::Forget => Some("pins forget"),
        Task::Decide(Decision::Keep, _) | Task::List | Task::Diff(_) => None,
    }
}
