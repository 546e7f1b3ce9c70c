//! Runs `overt log` as its options say.
use super::{follow, list, one};
use crate::args::ActivityArgs;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::settings::{Condition, logs_folder, logs_in, which_actions};

pub(crate) fn activity(args: &ActivityArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let (wanted, mut conditions) = which_actions(&args.which)?;
    conditions.extend(args.outcome.map(Condition::Ended));
    let folder = logs_folder(&context.env)?;
    let state = context.state()?;
    if args.follow {
        return follow::follow(&folder, &conditions, context);
    }
    let logs = logs_in(&folder);
    match &args.id {
        Some(id) => one::one(&logs, &state.path().join("files"), id, context),
        None if logs.is_empty() => {
            context.printer.note(NOTHING);
            Ok(Exit::Ok)
        }
        None => list::list(&logs, (&wanted, &conditions), args.count as usize, context),
    }
}

const NOTHING: &str = "nothing is recorded yet: `overt run` and `overt fs` record every call";
