//! Runs the subcommand that was typed.
use jiff::Timestamp;
use overt_wire::rfc3339;

use super::check::Demand;
use super::{check, compare, files, server};
use crate::args::{CardArgs, CardCommand, CheckCardArgs};
use crate::commands::describe;
use crate::commands::session::with_server;
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::settings::{Cards, DescribeSettings};

pub(crate) fn card(args: CardArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    match args.command {
        CardCommand::Check(args) => check(&args, context),
        CardCommand::Build(args) => describe(&DescribeSettings::resolve(&args.describe(), context)?, context),
        CardCommand::Diff(args) => compare::compare(&args.old, &args.new, context),
    }
}

fn check(args: &CheckCardArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let today = args.today.unwrap_or_else(|| rfc3339::date_of(Timestamp::now()));
    let demand = Demand { level: args.level, mode: args.mode, today };
    match Cards::resolve(args, &context.env)? {
        Cards::In(paths) => {
            let texts = files::all(&paths)?;
            check::check(&texts, demand, context)
        }
        Cards::Of(connection) => with_server(&connection, context, async |client, printer| {
            let texts = server::all(client, printer).await?;
            printer.progress_stop();
            check::check(&texts, demand, context)
        }),
    }
}
