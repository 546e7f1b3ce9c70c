//! Runs the subcommand that was typed.
use overt_gateway::pins::{Decision, PinStore, StoreError};
use overt_layers::audit::{Entry, Kind};

use super::context::PinsContext;
use super::{decide, show};
use crate::args::{AnswerArgs, DecisionArgs, PinsArgs, PinsCommand};
use crate::commands::grants::{authorize_answerer, with_audit};
use crate::failure::{Complaint, Exit, Failure};
use crate::output::Printer;
use crate::settings::{Env, OutputSettings, Server, StateDir, Tools};

impl Complaint for StoreError {
    fn hint(&self) -> Option<String> {
        Some(
            "what can't be read is never replaced: put the file right, or `overt pins forget SERVER`"
                .to_owned(),
        )
    }
}

pub(crate) fn pins(args: &PinsArgs, env: &Env) -> Result<Exit, Failure> {
    let state = StateDir::resolve(env)?;
    let context = |server: Server, output: OutputSettings| PinsContext {
        server,
        store: PinStore::new(state.path()),
        format: output.format,
        printer: Printer::new(output.verbosity, env),
    };
    let decide = |decision: Decision, args: &DecisionArgs, answer: Option<&AnswerArgs>| {
        let (server, words) = Server::split(&args.words, &args.at, env)?;
        let tools = Tools::resolve(args.all, words)?;
        answer.map_or(Ok(()), |answer| authorize("pins accept", answer, &state, env))?;
        decide::decide(&context(server, OutputSettings::PLAIN), decision, &tools)
    };
    match &args.command {
        PinsCommand::List(args) => {
            let server = Server::resolve(args.server.as_deref(), &args.at, env)?;
            show::list(&context(server, OutputSettings::resolve(&args.output, env)))
        }
        PinsCommand::Diff(args) => {
            let (server, tools) = Server::split(&args.words, &args.at, env)?;
            show::diff(&context(server, OutputSettings::resolve(&args.output, env)), tools)
        }
        PinsCommand::Accept(args) => {
            let accepted = decide(Decision::Accept, &args.decision, Some(&args.answer))?;
            with_audit(&state, OutputSettings::PLAIN, &args.answer, env, |context| {
                decide::cover(context, &accepted)
            })
        }
        PinsCommand::Keep(args) => {
            decide(Decision::Keep, &args.decision, None)?;
            Ok(Exit::Ok)
        }
        PinsCommand::Forget(args) => {
            let server = Server::resolve(args.server.as_deref(), &args.at, env)?;
            authorize("pins forget", &args.answer, &state, env)?;
            decide::forget(&context(server, OutputSettings::PLAIN))
        }
    }
}

/// Checks that a person runs the command: after it, a tool may be usable that no person
/// accepted before.
fn authorize(command: &str, answer: &AnswerArgs, state: &StateDir, env: &Env) -> Result<(), Failure> {
    let record = Entry { reason: Some(command.to_owned()), ..Entry::new(Kind::Approval) };
    with_audit(state, OutputSettings::PLAIN, answer, env, |context| {
        authorize_answerer(context, [record]).map(drop)
    })
}
