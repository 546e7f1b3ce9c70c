//! From settings to what was asked for.
use overt_state::audit::Unread;

use super::{follow, list, one};
use crate::failure::{Exit, Failure};
use crate::output::{Printer, one_line};
use crate::settings::{ActivitySettings, ActivityTask, Env, logs_in};

pub(crate) fn activity(settings: &ActivitySettings, env: &Env) -> Result<Exit, Failure> {
    let printer = Printer::new(settings.talk.verbosity, env);
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

/// Says what could not be read. Nothing is hidden because of it.
pub(super) fn tell_unread(unread: &[Unread], printer: &Printer) {
    for Unread { log, lines, why } in unread {
        let log = one_line(log);
        if *lines > 0 {
            let lines = if *lines == 1 { "1 line" } else { &format!("{lines} lines") };
            printer.warn(&format!("log `{log}`: skipped {lines} that can't be read as records; `overt audit verify {log}` says where"));
        }
        if let Some(why) = why {
            printer.warn(&format!("log `{log}` could not be read: {}", one_line(why)));
        }
    }
}

const NOTHING: &str = "nothing is recorded yet: `overt run` and `overt fs` record every call";
