//! Runs the subcommand that was typed.
use jiff::Timestamp;
use overt_wire::rfc3339;

use super::check::Demand;
use super::{check, compare, files, server};
use crate::args::{CardArgs, CardCommand, CheckCardArgs};
use crate::commands::describe;
use crate::commands::session::with_server;
use crate::failure::{Exit, Failure};
use crate::output::Printer;
use crate::settings::{Cards, DescribeSettings, Env, OutputSettings};

pub(crate) fn card(args: CardArgs, env: &Env) -> Result<Exit, Failure> {
    match args.command {
        CardCommand::Check(args) => check(&args, env),
        CardCommand::Build(args) => describe(&DescribeSettings::resolve(&args.describe(), env)?, env),
        CardCommand::Diff(args) => {
            let output = OutputSettings::resolve(&args.output, env);
            compare::compare(&args.old, &args.new, output.format, &Printer::new(output.verbosity, env))
        }
    }
}

fn check(args: &CheckCardArgs, env: &Env) -> Result<Exit, Failure> {
    let output = OutputSettings::resolve(&args.output, env);
    let today = args.today.unwrap_or_else(|| rfc3339::date_of(Timestamp::now()));
    let demand = Demand { level: args.level, mode: args.mode, today };
    match Cards::resolve(args, env)? {
        Cards::In(paths) => {
            let texts = files::all(&paths)?;
            check::check(&texts, demand, output.format, &Printer::new(output.verbosity, env))
        }
        Cards::Of(connection) => with_server(&connection, output, env, async |client, printer| {
            let texts = server::all(client, printer).await?;
            printer.progress_stop();
            check::check(&texts, demand, output.format, printer)
        }),
    }
}
