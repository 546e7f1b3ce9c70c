//! The tools of our own server. What they may do depends on the path of each call, so their recent
//! calls are decided again: there is one row for each decision, with what the last such call
//! needed.
use std::collections::BTreeMap;

use overt_policy::{Decision, Verdict};
use overt_state::audit::Action;

use super::replay::{Deciders, replay, was_made};

/// A tool in a project, with the decision about its calls.
#[derive(Debug)]
pub(super) struct OwnTool {
    pub(super) server: String,
    pub(super) project: Option<String>,
    pub(super) tool: String,
    pub(super) now: (Verdict, String),
    /// What would be decided after the change, if that differs.
    pub(super) then: Option<(Verdict, String)>,
}

/// Returns the rows for calls of our own server. Other calls are ignored.
pub(super) fn own_tools<'a>(
    calls: impl Iterator<Item = &'a Action>,
    before: &Deciders,
    after: &Deciders,
) -> Vec<OwnTool> {
    let mut last: BTreeMap<_, (&Action, Decision, Decision)> = BTreeMap::new();
    for action in calls.filter(|action| action.server_id.is_none()) {
        let (Some(was), Some(would)) = (replay(before, action), replay(after, action)) else { continue };
        let key = (&action.server, &action.project, &action.target, was.verdict, would.verdict);
        let is_later = last.get(&key).is_none_or(|(known, ..)| known.ts < action.ts);
        if is_later {
            last.insert(key, (action, was, would));
        }
    }
    let row = |(action, was, would): (&Action, Decision, Decision)| OwnTool {
        server: action.server.clone(),
        project: action.project.clone(),
        tool: action.target.clone(),
        then: (would.verdict != was.verdict).then(|| (would.verdict, by(&would, action))),
        now: (was.verdict, by(&was, action)),
    };
    last.into_values().map(row).collect()
}

fn by(decision: &Decision, action: &Action) -> String {
    let needed = action.needed.join("`, `");
    match decision.verdict {
        Verdict::Allow if action.grant.is_some() => format!("you agreed to `{needed}`"),
        Verdict::Allow if was_made(action) => format!("`{needed}` is in its folders"),
        _ => decision.decisive().map(|said| said.why.clone()).unwrap_or_default(),
    }
}
