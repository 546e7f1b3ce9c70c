//! Runs the subcommand that was typed.
use overt_gateway::pins::{Decision, PinStore, StoreError};
use overt_layers::audit::{Entry, Kind};

use super::choose::PinsContext;
use super::{decide, show};
use crate::args::{DecisionArgs, PinsArgs, PinsCommand};
use crate::commands::grants::{DecisionContext, with_audit};
use crate::context::CommandContext;
use crate::error::{CommandError, Diagnostic, Exit};
use crate::settings::{ControlPlan, Server, Tools};

impl Diagnostic for StoreError {
    fn hint(&self) -> Option<String> {
        overt_operator::Explain::hint(self)
    }
}

pub(crate) fn pins(args: &PinsArgs, command: &CommandContext) -> Result<Exit, CommandError> {
    let env = &command.env;
    let state = command.state()?;
    let context = |server: Server| PinsContext { server, store: PinStore::new(state.path()), command };
    let parts = |args: &DecisionArgs| -> Result<_, CommandError> {
        let (server, words) = Server::split(&args.words, &args.at, env)?;
        Ok((context(server), Tools::resolve(args.all, words)?))
    };
    match &args.command {
        PinsCommand::List(args) => {
            let server = Server::resolve(args.server.as_deref(), &args.at, env)?;
            show::list(&context(server))
        }
        PinsCommand::Diff(args) => {
            let (server, tools) = Server::split(&args.words, &args.at, env)?;
            show::diff(&context(server), tools)
        }
        PinsCommand::Accept(args) => {
            let (pins, tools) = parts(&args.decision)?;
            with_audit(command, &state, &args.answer, |context| {
                // After it, a tool may be usable that no person accepted before.
                let operator = context.operator();
                let about = Entry { reason: Some("pins accept".to_owned()), ..Entry::new(Kind::Approval) };
                let check = operator.proven(operator.prove([about])?);
                let accepted = decide::decide(context, &check, &pins, Decision::Accept, &tools)?;
                decide::cover(context, &check, &accepted)
            })
        }
        PinsCommand::Keep(args) => {
            let (pins, tools) = parts(&args.decision)?;
            let audit = ControlPlan::of_grants(env)?;
            let context = DecisionContext::new(command, &state, Some(&audit));
            let operator = context.operator();
            decide::decide(&context, &operator.answerer(), &pins, Decision::Keep, &tools)?;
            Ok(Exit::Ok)
        }
        PinsCommand::Forget(args) => {
            let pins = context(Server::resolve(args.server.as_deref(), &args.at, env)?);
            with_audit(command, &state, &args.answer, |context| decide::forget(context, &pins))
        }
    }
}
