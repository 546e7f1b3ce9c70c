//! The calls of the last week, grouped by similarity, so that a draft of the user's file can be
//! tried on all of them. They are read from the log once, and read again when they are no longer
//! fresh.
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use overt_state::audit::{Action, Actions, NewestRecords, RecordQuery};
use serde_json::{Value, json};

use super::own_tools::{OwnTool, own_tools};
use super::replay::{Deciders, replay};
use super::verdict::verdict_json;
use crate::settings::{UiSettings, logs_in};

/// The calls that were read last, and when.
#[derive(Debug, Default)]
pub(in super::super) struct Week {
    read: Mutex<Option<(Instant, Arc<Calls>)>>,
}

/// Calls from the log, in groups.
#[derive(Debug, Default)]
struct Calls {
    groups: Vec<SimilarCalls>,
    all: usize,
    /// Calls whose records don't say what they needed, or that exceed the number of groups.
    left_out: usize,
}

/// Calls about which the decision is the same.
#[derive(Debug)]
struct SimilarCalls {
    /// The newest of them.
    action: Action,
    calls: usize,
}

/// What distinguishes groups of calls.
type Key = (String, Option<String>, Option<String>, String, Vec<String>, [Option<String>; 4], bool);

const WEEK: Duration = Duration::from_hours(7 * 24);
/// How long the calls may be reused before they are read again.
const FRESH: Duration = Duration::from_secs(20);
const MOST_ACTIONS: usize = 200_000;
const MOST_GROUPS: usize = 5_000;
/// The most rows of an answer.
const MOST_ROWS: usize = 500;

impl Week {
    /// Returns the calls that would be decided differently.
    pub(super) fn compare(&self, settings: &UiSettings, before: &Deciders, after: &Deciders) -> Value {
        let calls = self.calls(settings);
        let (mut rows, mut changed, mut left_out) = (Vec::new(), 0, calls.left_out);
        for SimilarCalls { action, calls } in &calls.groups {
            let (Some(was), Some(now)) = (replay(before, action), replay(after, action)) else {
                left_out += calls;
                continue;
            };
            if was.verdict == now.verdict {
                continue;
            }
            changed += calls;
            if rows.len() < MOST_ROWS {
                rows.push(json!({
                    "server": action.server,
                    "project": action.project,
                    "tool": action.target,
                    "sentence": action.sentence,
                    "needed": action.needed,
                    "last": action.ts,
                    "call": action.call,
                    "calls": calls,
                    "now": verdict_json(was.verdict, &decisive(&was)),
                    "then": verdict_json(now.verdict, &decisive(&now)),
                }));
            }
        }
        json!({ "rows": rows, "all": calls.all, "changed": changed, "leftOut": left_out })
    }

    /// Returns the called tools of our own server.
    pub(super) fn own_tools(
        &self,
        settings: &UiSettings,
        before: &Deciders,
        after: &Deciders,
    ) -> Vec<OwnTool> {
        own_tools(self.calls(settings).groups.iter().map(|alike| &alike.action), before, after)
    }

    fn calls(&self, settings: &UiSettings) -> Arc<Calls> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        match &*read {
            Some((at, calls)) if at.elapsed() < FRESH => Arc::clone(calls),
            _ => {
                let calls = Arc::new(Calls::read(settings));
                *read = Some((Instant::now(), Arc::clone(&calls)));
                calls
            }
        }
    }
}

impl Calls {
    fn read(settings: &UiSettings) -> Self {
        let wanted = RecordQuery { since: SystemTime::now().checked_sub(WEEK), ..RecordQuery::default() };
        let (mut alike, mut calls): (BTreeMap<Key, SimilarCalls>, Self) = (BTreeMap::new(), Self::default());
        for action in Actions::new(NewestRecords::open(&logs_in(&settings.logs), &wanted)).take(MOST_ACTIONS)
        {
            if action.method != "tools/call" {
                continue;
            }
            calls.all += 1;
            let is_full = alike.len() >= MOST_GROUPS;
            match alike.entry(key(&action)) {
                Entry::Occupied(mut group) => group.get_mut().calls += 1,
                Entry::Vacant(_) if is_full => calls.left_out += 1,
                Entry::Vacant(place) => {
                    place.insert(SimilarCalls { action, calls: 1 });
                }
            }
        }
        calls.groups = alike.into_values().collect();
        calls
    }
}

fn key(action: &Action) -> Key {
    let Action { server, server_id, project, target, needed, grant, trust, effect, basis, .. } = action;
    let was_refused = !action.end.was_made();
    let rest = [grant.as_ref().map(|_| String::new()), trust.clone(), effect.clone(), basis.clone()];
    (server.clone(), server_id.clone(), project.clone(), target.clone(), needed.clone(), rest, was_refused)
}

fn decisive(decision: &overt_policy::Decision) -> String {
    decision.decisive().map(|said| said.why.clone()).unwrap_or_default()
}
