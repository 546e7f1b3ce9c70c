//! `overt pins accept`, `overt pins keep` and `overt pins forget`.
use overt_gateway::pins::{DecidePins, Decision, ForgetPins, Identity, PinDecisionError, Record};
use overt_layers::grants::{SeenTool, TrustedServer};
use overt_wire::text::Untrusted;

use super::choose::{PinsContext, nothing_remembered};
use super::show::unknown_tool;
use overt_layers::person::PersonCheck;
use overt_operator::NotAnswerer;
use overt_operator::decisions::{cover_accepted, seen_tool};

use crate::commands::grants::DecisionContext;
use crate::error::{CommandError, Exit, user_error};
use crate::output::project_words;
use crate::settings::{Tools, remembered_identity};

/// The error for a tool that can't be decided about. Nothing is decided then.
fn undecidable(tool: &str, server: &str, why: PinDecisionError) -> CommandError {
    let hint = match why {
        PinDecisionError::ChangedSince => Some(format!("look again: `overt pins diff {server}`")),
        PinDecisionError::Conflicting => Some(format!(
            "once the server is put right: `overt pins keep {server} TOOL`, then list its tools again"
        )),
        PinDecisionError::Unknown | PinDecisionError::Nothing => None,
    };
    let error = user_error(format!("there is nothing to decide about tool `{tool}` of server {server}"))
        .caused_by(why);
    CommandError { hint, ..error }
}

/// The server and the tools that a person accepted.
pub(super) struct Accepted {
    identity: Identity,
    tools: Vec<SeenTool>,
}

/// Decides about all these tools, or about none if one of them fails: a person who names two tools
/// wants both.
pub(super) fn decide<C: PersonCheck<Refusal = NotAnswerer>>(
    context: &DecisionContext<'_>,
    check: &C,
    pins: &PinsContext<'_>,
    decision: Decision,
    tools: &Tools,
) -> Result<Accepted, CommandError> {
    let chosen = pins.chosen_one()?.record?;
    let operator = context.operator();
    let deciding = DecidePins {
        identity: chosen.identity.clone(),
        server: remembered_identity(&chosen.identity),
        decision,
        tools: match tools {
            Tools::Named(names) => names.clone(),
            Tools::All => Vec::new(),
        },
    };
    let mut made = None;
    let mut failed = None;
    let acted = operator.act(check, deciding, |deciding| {
        let decided = pins.store.decide(&deciding, |record| {
            let Some(mut record) = record else { return (None, Err(nothing_remembered())) };
            match decide_all(&mut record, decision, tools, operator.clock.now()) {
                Ok(decided) => {
                    let accepted = accepted_tools(&record, decision, &decided);
                    (Some(record), Ok((decided, accepted)))
                }
                Err(failure) => (None, Err(failure)),
            }
        })?;
        match decided {
            Ok(decided) => made = Some(decided),
            Err(failure) => {
                let why = overt_operator::user_error(failure.chain());
                failed = Some(failure);
                return Err(why);
            }
        }
        Ok(())
    });
    match (acted, failed) {
        (_, Some(failed)) => return Err(failed),
        (acted, None) => acted?,
    }
    let (decided, accepted) = made.unwrap_or_default();
    if decided.is_empty() {
        pins.command.printer.note("nothing differs from what was accepted");
    }
    for (tool, outcome) in decided {
        let tool = Untrusted(&tool);
        match outcome {
            Ok(state) => pins.command.printer.note(&format!("`{tool}` {state}")),
            Err(why) => pins.command.printer.warn(&format!("`{tool}` is not accepted: {why}")),
        }
    }
    Ok(Accepted { identity: chosen.identity, tools: accepted })
}

/// Makes the trust in the server cover what was accepted, so that one command is enough.
pub(super) fn cover<C: PersonCheck<Refusal = NotAnswerer>>(
    context: &DecisionContext<'_>,
    check: &C,
    accepted: &Accepted,
) -> Result<Exit, CommandError> {
    let Accepted { identity, tools } = accepted;
    if tools.is_empty() {
        return Ok(Exit::Ok);
    }
    for decision in cover_accepted(&context.operator(), check, identity, tools)? {
        context.printer().note(&trust_words(tools, &decision));
    }
    Ok(Exit::Ok)
}

/// Says whether the person's trust covers the tools that were accepted.
pub(in crate::commands) fn trust_words(tools: &[SeenTool], decision: &TrustedServer) -> String {
    let server = Untrusted(&decision.server);
    let place = project_words(decision.project.as_deref());
    match tools.iter().all(|tool| tool.digest.is_some()) {
        true => format!("your trust in {server} {place} covers this too"),
        false => format!(
            "a definition is too long to be kept, so your trust in {server} {place} can't cover it: its next call asks you"
        ),
    }
}

/// Returns the tools that the person accepted as they are now.
pub(in crate::commands) fn accepted_tools(
    record: &Record,
    decision: Decision,
    decided: &Outcomes,
) -> Vec<SeenTool> {
    let accepted = decided.iter().filter(|(_, outcome)| outcome.is_ok() && decision == Decision::Accept);
    let definition = |tool: &str| record.tools.get(tool)?.accepted.as_ref();
    accepted.filter_map(|(tool, _)| Some(seen_tool(tool, definition(tool)?))).collect()
}

/// Each tool with what happened to it.
pub(in crate::commands) type Outcomes = Vec<(String, Result<&'static str, PinDecisionError>)>;

/// Applies what a person decided about a server's tools to its record.
pub(in crate::commands) fn decide_all(
    record: &mut Record,
    decision: Decision,
    tools: &Tools,
    now: u64,
) -> Result<Outcomes, CommandError> {
    let names: Vec<String> = match tools {
        Tools::Named(names) => names.clone(),
        Tools::All => {
            let removed = record.removed().filter(|_| decision == Decision::Accept);
            record.waiting().map(|(name, _)| name).chain(removed).map(str::to_owned).collect()
        }
    };
    let mut outcomes = Vec::with_capacity(names.len());
    for tool in names {
        let server = record.identity.id();
        match record.decide(&tool, decision, now) {
            Err(PinDecisionError::Unknown) => return Err(unknown_tool(&tool, record)),
            // With `--all`, a tool that can't be decided about does not block the others.
            Err(PinDecisionError::Conflicting) if *tools == Tools::All => {
                outcomes.push((tool, Err(PinDecisionError::Conflicting)));
            }
            Err(source) => return Err(undecidable(&tool, &server, source)),
            Ok(()) => {
                let state = match decision {
                    Decision::Accept if !record.tools.contains_key(&tool) => {
                        "is forgotten; the server does not list it"
                    }
                    Decision::Accept => "is accepted",
                    Decision::Keep if record.tools.contains_key(&tool) => "stays as it was accepted",
                    Decision::Keep => "is not accepted",
                };
                outcomes.push((tool, Ok(state)));
            }
        }
    }
    Ok(outcomes)
}

pub(super) fn forget(context: &DecisionContext<'_>, pins: &PinsContext<'_>) -> Result<Exit, CommandError> {
    let chosen = pins.chosen_one()?;
    let operator = context.operator();
    let server = chosen
        .record
        .as_ref()
        .map_or_else(|_| chosen.id.clone(), |record| remembered_identity(&record.identity));
    let forgetting = ForgetPins { server };
    operator
        .act(&operator.answerer(), forgetting, |forgetting| pins.store.forget(&chosen.id, &forgetting))?;
    pins.command.printer.note(&format!("forgot server {}; what it shows next is accepted", chosen.id));
    Ok(Exit::Ok)
}
