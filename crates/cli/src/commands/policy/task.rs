//! Runs the task that the settings name.
use super::{check, explain, suggest};
use crate::failure::{Exit, Failure};
use crate::output::Printer;
use crate::settings::{Env, PolicySettings, PolicyTask};

pub(crate) fn policy(settings: PolicySettings, env: &Env) -> Result<Exit, Failure> {
    let output = settings.output;
    match settings.task {
        PolicyTask::Check(files) => check::check(&files, output.format, &Printer::new(output.verbosity, env)),
        PolicyTask::Explain(settings) => explain::explain(&settings, output, env),
        PolicyTask::Suggest(settings) => suggest::suggest(&settings, output, env),
    }
}
