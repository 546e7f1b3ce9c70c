//! Runs the subcommand that was typed.
use super::{check, explain, show, suggest};
use crate::args::{PolicyArgs, PolicyCommand};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::settings::ExplainSettings;

pub(crate) fn policy(args: PolicyArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    match args.command {
        PolicyCommand::Show(args) => show::show(&args, context),
        PolicyCommand::Check(args) => check::check(&args.files, context),
        PolicyCommand::Explain(args) => {
            explain::explain(&ExplainSettings::resolve(*args, &context.env)?, context)
        }
        PolicyCommand::Suggest(args) => suggest::suggest(&args, context),
    }
}
