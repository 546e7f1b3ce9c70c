//! From settings to what was asked for.
use super::context::CommandContext;
use super::{decide, list, show};
use crate::failure::{Exit, Failure};
use crate::settings::{Env, GrantsSettings, GrantsTask};

pub(crate) fn grants(settings: &GrantsSettings, env: &Env) -> Result<Exit, Failure> {
    let context = CommandContext::new(&settings.state, settings.talk, settings.audit.as_ref(), env);
    let context = &context.with_passphrase(settings.passphrase);
    match &settings.task {
        GrantsTask::List => list::list(context),
        GrantsTask::Pending(look) => list::pending(context, *look),
        GrantsTask::Show { id, open } => show::show(context, id, open.as_ref()),
        GrantsTask::Allow { ids, yes, wider } => decide::allow(context, ids, *yes, *wider),
        GrantsTask::Advance { server, tool, scopes, project, yes } => {
            decide::advance(context, (server, project.as_deref()), tool, scopes, *yes)
        }
        GrantsTask::Deny { ids, whole_session } => decide::deny(context, ids, *whole_session),
        GrantsTask::Revoke(which) => decide::revoke(context, which),
    }
}
