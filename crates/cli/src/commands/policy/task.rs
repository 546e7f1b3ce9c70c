//! Runs the subcommand that was typed.
use super::{check, explain, show, suggest};
use crate::args::{PolicyArgs, PolicyCommand};
use crate::failure::{Exit, Failure};
use crate::output::Printer;
use crate::settings::{Env, ExplainSettings, OutputSettings};

pub(crate) fn policy(args: PolicyArgs, env: &Env) -> Result<Exit, Failure> {
    match args.command {
        PolicyCommand::Show(args) => show::show(&args, env),
        PolicyCommand::Check(args) => {
            let output = OutputSettings::resolve(&args.output, env);
            check::check(&args.files, output.format, &Printer::new(output.verbosity, env))
        }
        PolicyCommand::Explain(args) => {
            let output = OutputSettings::resolve(&args.output, env);
            explain::explain(&ExplainSettings::resolve(*args, env)?, output, env)
        }
        PolicyCommand::Suggest(args) => suggest::suggest(&args, env),
    }
}
