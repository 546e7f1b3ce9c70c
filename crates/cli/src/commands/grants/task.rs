//! Runs the subcommand that was typed.
use super::context::{CommandContext, with_audit};
use super::{advance, decide, list, revoke, show};
use crate::args::{GrantsArgs, GrantsCommand, OutputArgs};
use crate::failure::{Exit, Failure};
use crate::output::Opener;
use crate::settings::{Env, GrantDecision, OutputSettings, StateDir};

pub(crate) fn grants(args: &GrantsArgs, env: &Env) -> Result<Exit, Failure> {
    let state = &StateDir::resolve(env)?;
    let output = |args: &OutputArgs| OutputSettings::resolve(args, env);
    let reading = |args: &OutputArgs| CommandContext::new(state, output(args), None, env);
    match &args.command {
        GrantsCommand::List(args) => list::list(&reading(args)),
        GrantsCommand::Pending(args) if args.watch => list::watch(&reading(&args.output)),
        GrantsCommand::Pending(args) => list::pending(&reading(&args.output)),
        GrantsCommand::Show(args) => {
            let opener = args.open.then(|| Opener { program: env.browser() });
            show::show(&reading(&args.output), &args.id, opener.as_ref())
        }
        GrantsCommand::Allow(args) => {
            let decision = GrantDecision::allow(args)?;
            with_audit(state, output(&args.output), &args.answer, env, |context| act_on(context, &decision))
        }
        GrantsCommand::Deny(args) => {
            let decision = GrantDecision::deny(args)?;
            with_audit(state, output(&args.output), &args.answer, env, |context| act_on(context, &decision))
        }
        GrantsCommand::Revoke(args) => {
            with_audit(state, output(&args.output), &args.answer, env, |context| {
                revoke::revoke(context, args)
            })
        }
    }
}

fn act_on(context: &CommandContext<'_>, decision: &GrantDecision) -> Result<Exit, Failure> {
    match decision {
        GrantDecision::Allow { ids, yes, breadth } => decide::allow(context, ids, *yes, *breadth),
        GrantDecision::Deny { ids, no } => decide::deny(context, ids, *no),
        GrantDecision::Advance(decided) => advance::advance(context, decided),
    }
}
