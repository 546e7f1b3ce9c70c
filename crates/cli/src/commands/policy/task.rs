//! Runs the task that the settings name.
use super::{check, explain, suggest};
use crate::failure::{Exit, Failure};
use crate::output::Printer;
use crate::settings::{Env, PolicySettings, PolicyTask};

pub(crate) fn policy(settings: PolicySettings, env: &Env) -> Result<Exit, Failure> {
    let talk = settings.talk;
    match settings.task {
        PolicyTask::Check(files) => check::check(&files, talk.format, &Printer::new(talk.verbosity, env)),
        PolicyTask::Explain(settings) => explain::explain(&settings, talk, env),
        PolicyTask::Suggest(settings) => suggest::suggest(&settings, talk, env),
    }
}
