//! What agents did: a list in pages, and the details of one action.
use std::path::PathBuf;

use clap::ValueEnum as _;
use overt_policy::explain;
use overt_state::audit::{Action, Actions, End, NewestRecords, Record, UnreadLog};
use serde_json::{Value, json};

use super::listings::{Listing, Listings};
use super::problem::Problem;
use super::{long_diff, policy};
use crate::args::{Ending, WhichActionsArgs};
use crate::commands::activity::find_action;
use crate::output::{ShownDiff, action_facts, action_json, action_summary, detail_json};
use crate::settings::{Condition, UiSettings, logs_in, which_actions};

/// The default number of actions in one answer, and the maximum.
const USUAL: usize = 100;
const MOST_ACTIONS: usize = 1_000;

/// The query of a request for actions.
#[derive(Debug, Default)]
pub(super) struct Asked {
    which: WhichActionsArgs,
    ending: Option<Ending>,
    before: Option<String>,
    limit: usize,
}

impl Asked {
    pub(super) fn read(query: &str) -> Result<Self, Problem> {
        let mut asked = Self { limit: USUAL, ..Self::default() };
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            let value = value.into_owned();
            if value.is_empty() {
                continue;
            }
            let wrong = || Problem::new(400, format!("`{name}={value}` is not understood here"));
            let which = &mut asked.which;
            match &*name {
                "since" => which.since = Some(value),
                "until" => which.until = Some(value),
                "client" => which.client = Some(value),
                "project" => which.project = Some(value),
                "server" => which.server = Some(value),
                "tool" => which.tool = Some(value),
                "session" => which.session = Some(value),
                "changed" => which.changed = Some(PathBuf::from(value)),
                "outcome" => {
                    let ending = Ending::from_str(&value, false).map_err(|_| wrong())?;
                    // The records of refusals are found without reading the others.
                    which.denied = ending == Ending::Refused;
                    asked.ending = Some(ending);
                }
                "before" => asked.before = Some(value),
                "limit" => asked.limit = value.parse().map_err(|_| wrong())?,
                _ => return Err(wrong()),
            }
        }
        asked.limit = asked.limit.clamp(1, MOST_ACTIONS);
        Ok(asked)
    }
}

pub(super) fn list(settings: &UiSettings, listings: &Listings, asked: &Asked) -> Result<Value, Problem> {
    let mut listing = match &asked.before {
        Some(name) => listings.take(name).ok_or_else(|| {
            Problem::new(410, "this list is not kept any more; begin again with the newest actions")
        })?,
        None => {
            let (wanted, mut conditions) = which_actions(&asked.which)
                .map_err(|failure| Problem { status: 400, ..Problem::from(failure) })?;
            conditions.extend(asked.ending.map(Condition::Ended));
            let actions = Actions::new(NewestRecords::open(&logs_in(&settings.logs), &wanted));
            Listing { actions, conditions }
        }
    };
    let actions: Vec<Value> = listing.by_ref().take(asked.limit).map(|action| described(&action)).collect();
    let unread: Vec<String> = listing.actions.unread().iter().map(words).collect();
    let next = (actions.len() == asked.limit).then(|| listings.keep(listing));
    Ok(json!({ "actions": actions, "next": next, "unread": unread }))
}

pub(super) fn one(settings: &UiSettings, id: &str) -> Result<Value, Problem> {
    let (found, _) = find_action(&logs_in(&settings.logs), &settings.files, id);
    let mut detail = found.map_err(|failure| Problem { status: 404, ..Problem::from(failure) })?;
    let diff = detail.diff.take();
    let mut value: Value = detail_json(&detail).as_json().read().unwrap_or_default();
    if let Some(ShownDiff::OfChange(diff)) = diff {
        long_diff::put(&mut value, &diff);
    }
    value["decision"] =
        json!({ "then": recorded(&detail.records), "now": decided_now(settings, &detail.action) });
    add_summary(&mut value, &detail.action);
    value["stays"] = detail.stays.clone().into();
    value["facts"] = action_facts(&detail).into_iter().map(|(name, text)| json!([name, text])).collect();
    Ok(value)
}

/// Returns what was decided when the call was made, as far as its records contain it.
fn recorded(records: &[Record]) -> Value {
    let text = |name: &str| {
        let said = records.iter().rev().map(|record| record.text(name)).find(|text| !text.is_empty());
        said.map_or(Value::Null, Value::from)
    };
    let rules = records.last().map(|last| last.list("rules")).unwrap_or_default();
    json!({
        "verdict": text("decision"), "layer": text("layer"), "rules": rules, "reason": text("reason"),
        "grant": text("grant"), "trust": text("trust"), "policyVersion": text("policy_version"),
    })
}

/// Returns what would be decided about the same call now, with each layer's opinion. Null if the
/// record does not contain enough.
fn decided_now(settings: &UiSettings, action: &Action) -> Value {
    let in_force = policy::in_force(settings);
    policy::replay(&policy::Deciders::of(&in_force), action).as_ref().map_or(Value::Null, explain)
}

fn described(action: &Action) -> Value {
    let mut value: Value = action_json(action).as_json().read().unwrap_or_default();
    add_summary(&mut value, action);
    value
}

fn add_summary(value: &mut Value, action: &Action) {
    let summary = action_summary(action);
    value["words"] = summary.words.into();
    value["ending"] = summary.ending.into();
    value["clientName"] = summary.client.into();
    value["projectName"] = summary.project.into();
    value["shortChange"] = summary.change.into();
    value["tone"] = match &action.end {
        End::Refused(_) => "refused",
        End::Failed(_) | End::FailedBefore(_) => "failed",
        End::Done | End::Open if action.only_reads => "read",
        End::Done | End::Open => "change",
    }
    .into();
}

fn words(UnreadLog { log, lines, why }: &UnreadLog) -> String {
    match why {
        Some(why) => format!("log `{log}` could not be read: {why}"),
        None => format!("log `{log}`: {lines} lines can't be read as records"),
    }
}
