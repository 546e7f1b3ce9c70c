//! Runs the subcommand that was typed.
use super::context::{DecisionContext, with_audit};
use super::{advance, decide, list, revoke, show};
use crate::args::{GrantsArgs, GrantsCommand};
use crate::context::CommandContext;
use crate::error::{CommandError, Exit};
use crate::output::Opener;
use crate::settings::GrantDecision;

pub(crate) fn grants(args: &GrantsArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let state = &context.state()?;
    let reading = DecisionContext::new(context, state, None);
    match &args.command {
        GrantsCommand::List(_) => list::list(&reading),
        GrantsCommand::Pending(args) if args.watch => list::watch(&reading),
        GrantsCommand::Pending(_) => list::pending(&reading),
        GrantsCommand::Show(args) => {
            let opener = args.open.then(|| Opener { program: context.env.browser() });
            show::show(&reading, &args.id, opener.as_ref())
        }
        GrantsCommand::Allow(args) => {
            let decision = GrantDecision::allow(args)?;
            with_audit(context, state, &args.answer, |context| act_on(context, &decision))
        }
        GrantsCommand::Deny(args) => {
            let decision = GrantDecision::deny(args)?;
            with_audit(context, state, &args.answer, |context| act_on(context, &decision))
        }
        GrantsCommand::Revoke(args) => {
            with_audit(context, state, &args.answer, |context| revoke::revoke(context, args))
        }
    }
}

fn act_on(context: &DecisionContext<'_>, decision: &GrantDecision) -> Result<Exit, CommandError> {
    match decision {
        GrantDecision::Allow { ids, yes, breadth } => decide::allow(context, ids, *yes, *breadth),
        GrantDecision::Deny { ids, no } => decide::deny(context, ids, *no),
        GrantDecision::Advance(decided) => advance::advance(context, decided),
    }
}
