//! Runs the subcommand that was typed.
use overt_gateway::pins::{Decision, PinStore, StoreError};
use overt_layers::audit::{Entry, Kind};

use super::choose::PinsContext;
use super::{decide, show};
use crate::args::{AnswerArgs, DecisionArgs, PinsArgs, PinsCommand};
use crate::commands::grants::{authorize_answerer, with_audit};
use crate::context::CommandContext;
use crate::error::{CommandError, Diagnostic, Exit};
use crate::settings::{Server, StateDir, Tools};

impl Diagnostic for StoreError {
    fn hint(&self) -> Option<String> {
        Some(
            "what can't be read is never replaced: put the file right, or `overt pins forget SERVER`"
                .to_owned(),
        )
    }
}

pub(crate) fn pins(args: &PinsArgs, command: &CommandContext) -> Result<Exit, CommandError> {
    let env = &command.env;
    let state = command.state()?;
    let context = |server: Server| PinsContext { server, store: PinStore::new(state.path()), command };
    let decide = |decision: Decision, args: &DecisionArgs, answer: Option<&AnswerArgs>| {
        let (server, words) = Server::split(&args.words, &args.at, env)?;
        let tools = Tools::resolve(args.all, words)?;
        answer.map_or(Ok(()), |answer| authorize("pins accept", answer, &state, command))?;
        decide::decide(&context(server), decision, &tools)
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
            let accepted = decide(Decision::Accept, &args.decision, Some(&args.answer))?;
            with_audit(command, &state, &args.answer, |context| decide::cover(context, &accepted))
        }
        PinsCommand::Keep(args) => {
            decide(Decision::Keep, &args.decision, None)?;
            Ok(Exit::Ok)
        }
        PinsCommand::Forget(args) => {
            let server = Server::resolve(args.server.as_deref(), &args.at, env)?;
            authorize("pins forget", &args.answer, &state, command)?;
            decide::forget(&context(server))
        }
    }
}

/// Checks that a person runs the command: after it, a tool may be usable that no person
/// accepted before.
fn authorize(
    what: &str,
    answer: &AnswerArgs,
    state: &StateDir,
    command: &CommandContext,
) -> Result<(), CommandError> {
    let record = Entry { reason: Some(what.to_owned()), ..Entry::new(Kind::Approval) };
    with_audit(command, state, answer, |context| authorize_answerer(context, [record]).map(drop))
}
