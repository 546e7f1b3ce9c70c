//! Runs the task that the settings name.
use super::{follow, list, one};
use crate::failure::{Exit, Failure};
use crate::output::Printer;
use crate::settings::{ActivitySettings, ActivityTask, Env, logs_in};

pub(crate) fn activity(settings: &ActivitySettings, env: &Env) -> Result<Exit, Failure> {
    let printer = Printer::new(settings.output.verbosity, env);
    let logs = logs_in(&settings.logs);
    match &settings.task {
        ActivityTask::One(id) => one::one(settings, &logs, id, &printer),
        ActivityTask::List { .. } if logs.is_empty() => {
            printer.note(NOTHING);
            Ok(Exit::Ok)
        }
        ActivityTask::List { wanted, conditions, count } => {
            list::list(settings, &logs, (wanted, conditions), *count, &printer)
        }
        ActivityTask::Follow { conditions } => follow::follow(settings, conditions, &printer),
    }
}

const NOTHING: &str = "nothing is recorded yet: `overt run` and `overt fs` record every call";
