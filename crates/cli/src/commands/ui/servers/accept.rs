//! Accepts or rejects definitions of tools as they were shown. If one of them has changed since,
//! nothing is decided.
use overt_gateway::pins::{DecidePins, Decision, PinStore, Record};
use overt_layers::person::{PersonAction as _, PersonCheck as _};
use overt_operator::decisions::cover_accepted;
use overt_operator::user_error;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::problem::Problem;
use super::definitions::{digest_of, record};
use crate::commands::pins::{accepted_tools, decide_all, trust_words};
use crate::output::one_line;
use crate::settings::{Tools, UiSettings, remembered_identity};
use overt_operator::inbox::InboxStore;

/// The page's request to decide about tools of a server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct Accept {
    /// The server's id in the pin store.
    id: String,
    decision: Decided,
    tools: Vec<Shown>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Decided {
    Accept,
    Keep,
}

/// A tool as the page showed it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    name: String,
    digest: String,
}

pub(in super::super) fn accept(
    store: &InboxStore<'_>,
    settings: &UiSettings,
    accept: &Accept,
) -> Result<Value, Problem> {
    let known = record(settings, &accept.id)?;
    check(&known, &accept.tools)?;
    let decision = match accept.decision {
        Decided::Accept => Decision::Accept,
        Decided::Keep => Decision::Keep,
    };
    let names: Vec<String> = accept.tools.iter().map(|shown| shown.name.clone()).collect();
    let deciding = DecidePins {
        identity: known.identity.clone(),
        server: remembered_identity(&known.identity),
        decision,
        tools: names.clone(),
    };
    let operator = store.operator();
    // A page that an agent started can only show, also where a decision only restricts.
    store.check().person().map_err(|why| operator.refuse(why, deciding.intent()))?;
    let (mut decided, mut conflict) = (None, None);
    let acted = operator.act(&store.check(), deciding, |deciding| {
        let pins = PinStore::new(operator.state);
        let result = pins.decide(&deciding, |record| {
            let result = record.ok_or_else(gone).and_then(|mut record| {
                check(&record, &accept.tools)?;
                let outcomes = decide_all(&mut record, decision, &Tools::Named(names), operator.clock.now())?;
                let accepted = accepted_tools(&record, decision, &outcomes);
                Ok((record, (outcomes, accepted)))
            });
            match result {
                Ok((record, decided)) => (Some(record), Ok(decided)),
                Err(problem) => (None, Err(problem)),
            }
        })?;
        match result {
            Ok(made) => decided = Some(made),
            Err(problem) => {
                let why = user_error(problem.message.clone());
                conflict = Some(problem);
                return Err(why);
            }
        }
        Ok(())
    });
    match (acted, conflict) {
        (_, Some(conflict)) => return Err(conflict),
        (acted, None) => acted?,
    }
    let (outcomes, accepted) = decided.unwrap_or_default();
    let mut words: Vec<String> = outcomes
        .iter()
        .map(|(tool, outcome)| match outcome {
            Ok(state) => one_line(&format!("{tool} {state}")),
            Err(why) => one_line(&format!("{tool} is not accepted: {why}")),
        })
        .collect();
    if !accepted.is_empty() {
        let covering = cover_accepted(operator, &store.check(), &known.identity, &accepted)?;
        words.extend(covering.iter().map(|trusted| one_line(&trust_words(&accepted, trusted))));
    }
    Ok(json!({ "words": words.join("; ") }))
}

fn gone() -> Problem {
    Problem::new(404, "nothing is remembered of this server any more")
}

/// Checks that each tool is still what was shown.
fn check(record: &Record, tools: &[Shown]) -> Result<(), Problem> {
    if tools.is_empty() {
        return Err(Problem::new(400, "name the tools that are decided about"));
    }
    for Shown { name, digest } in tools {
        let now = record.tools.get(name).and_then(digest_of);
        if now.as_ref() != Some(digest) {
            let message = format!("{} is not what was shown; nothing was decided", one_line(name));
            return Err(Problem::conflict(message).with_hint("look at it again"));
        }
    }
    Ok(())
}
