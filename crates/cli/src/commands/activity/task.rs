//! Runs `overt log` as its options say.
use super::{follow, list, one};
use crate::args::ActivityArgs;
use crate::failure::{Exit, Failure};
use crate::output::Printer;
use crate::settings::{Condition, Env, OutputSettings, StateDir, logs_folder, logs_in, which_actions};

pub(crate) fn activity(args: &ActivityArgs, env: &Env) -> Result<Exit, Failure> {
    let (wanted, mut conditions) = which_actions(&args.which)?;
    conditions.extend(args.outcome.map(Condition::Ended));
    let folder = logs_folder(env)?;
    let state = StateDir::resolve(env)?;
    let output = OutputSettings::resolve(&args.output, env);
    let printer = Printer::new(output.verbosity, env);
    if args.follow {
        return follow::follow(&folder, &conditions, output.format, &printer);
    }
    let logs = logs_in(&folder);
    match &args.id {
        Some(id) => one::one(&logs, &state.path().join("files"), id, output.format, &printer),
        None if logs.is_empty() => {
            printer.note(NOTHING);
            Ok(Exit::Ok)
        }
        None => list::list(&logs, (&wanted, &conditions), args.count as usize, output.format, &printer),
    }
}

const NOTHING: &str = "nothing is recorded yet: `overt run` and `overt fs` record every call";
