//! Runs the task that the settings name.
use super::context::CommandContext;
use super::{advance, decide, list, revoke, show};
use crate::failure::{Exit, Failure};
use crate::settings::{Env, GrantsSettings, GrantsTask};

pub(crate) fn grants(settings: &GrantsSettings, env: &Env) -> Result<Exit, Failure> {
    let context = CommandContext::new(&settings.state, settings.output, settings.audit.as_ref(), env);
    let context = &context.with_passphrase(settings.passphrase);
    match &settings.task {
        GrantsTask::List => list::list(context),
        GrantsTask::Pending(look) => list::pending(context, *look),
        GrantsTask::Show { id, open } => show::show(context, id, open.as_ref()),
        GrantsTask::Allow { ids, yes, breadth } => decide::allow(context, ids, *yes, *breadth),
        GrantsTask::Advance(decided) => advance::advance(context, decided),
        GrantsTask::Deny { ids, no } => decide::deny(context, ids, *no),
        GrantsTask::Revoke(which) => revoke::revoke(context, which),
    }
}
