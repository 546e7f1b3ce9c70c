//! The proposal from a log covers everything that was done, and nothing more.
use std::collections::BTreeSet;

use overt_policy::record::{Effect, ToolRecord};
use overt_policy::scope::{Action, Scope};
use overt_policy::{Authority, Overlays, Subject, ToolFacts, Verdict};
use overt_settings::suggest::{ApprovalState, LEAST_FILES, Observation, Paths, Proposal, suggest};
use proptest::prelude::*;
use serde_json::json;

use crate::cases::cases;

fn scope(text: &str) -> Scope {
    Scope::parse(text).unwrap()
}

fn seen(needed: &[&str], passage: ApprovalState) -> Observation {
    let needed = needed.iter().map(|text| scope(text)).collect();
    let [server, tool, project] = ["files", "write", "/p"].map(str::to_owned);
    Observation { server, tool, project: Some(project), needed, passage }
}

fn proposed_with(observations: &[Observation], paths: Paths) -> Vec<String> {
    suggest(observations, paths)
        .allow
        .iter()
        .map(|one| format!("{} {}/{}", one.scope, one.calls, one.different))
        .collect()
}

fn proposed(observations: &[Observation]) -> Vec<String> {
    proposed_with(observations, Paths::Exact)
}

fn granted(observations: &[Observation]) -> Vec<String> {
    let grants = suggest(observations, Paths::Exact).grants;
    let line = |scopes: &[Scope]| scopes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    grants
        .iter()
        .map(|one| {
            format!("{} {} {}: {} {}", one.server, one.project, one.tool, line(&one.scopes), one.calls)
        })
        .collect()
}

#[test]
fn a_folder_is_proposed_on_request_and_from_three_files_on() {
    let write = |path: &str| seen(&[&format!("write:file:{path}")], ApprovalState::Unasked);
    let folders = |observations: &[Observation]| proposed_with(observations, Paths::Folders);
    let two = [write("/p/src/a"), write("/p/src/b"), write("/p/src/a")];
    assert_eq!(folders(&two), ["write:file:/p/src/a 2/1", "write:file:/p/src/b 1/1"]);
    let three = [&two[..], &[write("/p/src/c"), write("/p/x")]].concat();
    assert_eq!(folders(&three), ["write:file:/p/src 4/3", "write:file:/p/x 1/1"]);
    assert_eq!(proposed(&three).len(), 4, "without the request it is what happened");
    // Never outside of the project, and never above the folder of the files.
    let outside =
        [write("/q/a"), write("/q/b"), write("/q/c"), write("/p/d/a"), write("/p/e/a"), write("/p/f/a")];
    assert_eq!(folders(&outside).len(), 6);
    // Not if something in the folder was refused.
    let refused = [&three[..], &[seen(&["write:file:/p/src/.env"], ApprovalState::Refused)]].concat();
    assert_eq!(folders(&refused).len(), 4);
}

#[test]
fn what_was_refused_last_stays_refused() {
    let [yes, no] =
        [ApprovalState::Unasked, ApprovalState::Refused].map(|passage| seen(&["execute:mail:send"], passage));
    assert_eq!(proposed(&[yes.clone(), no.clone()]), ["execute:mail:send 1/1"]);
    assert!(proposed(&[no.clone(), yes]).is_empty());
    let both = seen(&["execute:mail:send", "read:mail:list"], ApprovalState::Unasked);
    let kept = suggest(&[no.clone(), both], Paths::Exact);
    assert_eq!(kept.withheld, [scope("execute:mail:send")]);
    assert_eq!(kept.allow.len(), 1);
    let agreed = seen(&["execute:mail:send"], ApprovalState::Granted);
    assert_eq!(granted(&[agreed.clone(), no.clone()]).len(), 1);
    assert!(granted(&[no, agreed]).is_empty());
}

#[test]
fn what_a_person_agreed_to_becomes_grants() {
    let agreed = |needed: &[&str]| seen(needed, ApprovalState::Granted);
    let log = [
        agreed(&["write:file:/p/a"]),
        agreed(&["write:file:/p/b"]),
        agreed(&["write:file:/p/a"]),
        Observation { tool: "move".to_owned(), ..agreed(&["write:file:/p/a", "write:file:/p/c"]) },
        Observation { tool: "move".to_owned(), ..agreed(&["write:file:/p/b", "write:file:/p/d"]) },
    ];
    // The scopes of one call stay together: no call moved `a` to `d`.
    let expected = [
        "files /p move: write:file:/p/a write:file:/p/c 1",
        "files /p move: write:file:/p/b write:file:/p/d 1",
        "files /p write: write:file:/p/a write:file:/p/b 3",
    ];
    assert_eq!(granted(&log), expected);
    assert!(proposed(&log).is_empty(), "a scope of the settings would not replace the agreement");
    // No grant that would apply in every project, and none that is too wide to last.
    let homeless = suggest(&[Observation { project: None, ..agreed(&["write:file:/p/a"]) }], Paths::Exact);
    assert_eq!((homeless.grants.len(), homeless.without_project), (0, 1));
    let wide = suggest(&[agreed(&["write:file"])], Paths::Exact);
    assert_eq!((wide.grants.len(), wide.withheld), (0, vec![scope("write:file")]));
}

/// Returns the decision about the call with the proposal in force, depending on whether a person
/// must approve it.
fn decided(proposal: &Proposal, call: &Observation, must_ask: bool) -> Verdict {
    let base = proposal.allow.iter().map(|one| one.scope.clone()).collect();
    let authority = Authority { base, ..Authority::careful() };
    let scopes = call.needed.iter().map(ToString::to_string).collect();
    let record = ToolRecord { scopes, human_approval: Some(must_ask), ..ToolRecord::new(Effect::Mutating) };
    let facts = ToolFacts::of(&call.server, &call.tool, Some(&record), Default::default()).unwrap();
    let holds = |scopes: &[Scope]| {
        proposal.grants.iter().any(|grant| {
            grant.server == call.server
                && grant.tool == call.tool
                && Some(&grant.project) == call.project.as_ref()
                && scopes.iter().all(|scope| grant.scopes.iter().any(|own| own.covers(scope)))
        })
    };
    let arguments = json!({});
    let subject = Subject::Tool { facts: &facts, arguments: Some(&arguments) };
    authority.decide(subject, &Overlays::default(), &holds).verdict
}

fn any_scope() -> impl Strategy<Value = Scope> {
    let action = prop_oneof![Just(Action::Read), Just(Action::Write)];
    let name = prop_oneof![Just("a"), Just("b"), Just("c"), Just("d")];
    let path = (prop_oneof![Just("/p"), Just("/q")], proptest::collection::vec(name, 0..4));
    let file = (action, path).prop_map(|(action, (top, names))| {
        Scope::of_path(action, "file", &format!("{top}/{}", names.join("/")))
    });
    let tool = prop_oneof![Just("execute:mail:send"), Just("execute:mail:read"), Just("write:db:put")];
    prop_oneof![4 => file, 1 => tool.prop_map(scope)]
}

fn any_observation() -> impl Strategy<Value = Observation> {
    any_observation_of(0..3)
}

/// Generates an observation with this many scopes.
fn any_observation_of(scopes: std::ops::Range<usize>) -> impl Strategy<Value = Observation> {
    let project =
        prop_oneof![2 => Just(Some("/p".to_owned())), 1 => Just(None), 1 => Just(Some("/q/a".to_owned()))];
    let name = |names: [&'static str; 2]| proptest::sample::select(names.to_vec()).prop_map(str::to_owned);
    let passage = proptest::sample::select(vec![
        ApprovalState::Unasked,
        ApprovalState::Granted,
        ApprovalState::Refused,
    ]);
    let needed = proptest::collection::vec(any_scope(), scopes);
    (name(["x", "y"]), name(["put", "take"]), project, needed, passage).prop_map(
        |(server, tool, project, needed, passage)| Observation { server, tool, project, needed, passage },
    )
}

/// Identifies a call by its server, tool, project and scopes, whatever its outcome.
fn key(one: &Observation) -> (String, String, Option<String>, BTreeSet<Scope>) {
    (one.server.clone(), one.tool.clone(), one.project.clone(), one.needed.iter().cloned().collect())
}

/// Returns the last observation of each call. A log begins with the most recent call.
fn latest_observations(log: &[Observation]) -> Vec<&Observation> {
    let mut known = BTreeSet::new();
    log.iter().filter(|one| known.insert(key(one)) && !one.needed.is_empty()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(2_000), ..ProptestConfig::default() })]

    /// With the proposal in force, every call that passed still passes, except for withheld scopes,
    /// and no call passes whose last outcome was a refusal.
    #[test]
    fn what_was_done_would_pass(log in proptest::collection::vec(any_observation(), 0..24)) {
        let proposal = suggest(&log, Paths::Exact);
        for one in latest_observations(&log) {
            let is_withheld = one.needed.iter().any(|scope| proposal.withheld.contains(scope));
            match one.passage {
                ApprovalState::Unasked if !is_withheld => {
                    prop_assert_eq!(decided(&proposal, one, false), Verdict::Allow, "{:?} {:?}", one, proposal);
                }
                ApprovalState::Granted if !is_withheld && one.project.is_some() => {
                    prop_assert_eq!(decided(&proposal, one, true), Verdict::Allow, "{:?} {:?}", one, proposal);
                }
                ApprovalState::Unasked | ApprovalState::Granted => {}
                ApprovalState::Refused => {
                    prop_assert_ne!(decided(&proposal, one, false), Verdict::Allow, "{:?} {:?}", one, proposal);
                    prop_assert_ne!(decided(&proposal, one, true), Verdict::Allow, "{:?} {:?}", one, proposal);
                }
            }
        }
    }

    /// A call that passes with the proposal in force is covered by calls that passed before: all
    /// its needs, and if a person must approve it, by one approved call of the same tool of the
    /// same server in the same project.
    #[test]
    fn nothing_passes_that_no_call_covers(
        log in proptest::collection::vec(any_observation(), 0..24),
        other in any_observation_of(1..3),
    ) {
        let proposal = suggest(&log, Paths::Exact);
        let covers = |one: &Observation, scope: &Scope| one.needed.iter().any(|needed| needed.covers(scope));
        let done = |scope: &Scope| log.iter().any(|one| one.passage != ApprovalState::Refused && covers(one, scope));
        if decided(&proposal, &other, false) == Verdict::Allow {
            prop_assert!(other.needed.iter().all(done), "{other:?} {proposal:?}");
        }
        if decided(&proposal, &other, true) == Verdict::Allow {
            let is_alike = |one: &&Observation| {
                one.passage == ApprovalState::Granted
                    && (&one.server, &one.tool, &one.project) == (&other.server, &other.tool, &other.project)
            };
            let agreed = |scope: &Scope| log.iter().filter(is_alike).any(|one| covers(one, scope));
            prop_assert!(other.needed.iter().all(agreed), "{other:?} {proposal:?}");
        }
    }

    /// A folder replaces files only on request, inside the project, and if enough of its files were
    /// used.
    #[test]
    fn folders_rest_on_their_files(log in proptest::collection::vec(any_observation(), 0..24)) {
        let proposal = suggest(&log, Paths::Folders);
        let done: Vec<&Observation> = log.iter().filter(|one| one.passage == ApprovalState::Unasked).collect();
        let needed: BTreeSet<&Scope> = done.iter().flat_map(|one| &one.needed).collect();
        for one in &proposal.allow {
            let inside =
                |project: &String| Scope::of_path(one.scope.action(), "file", project).covers(&one.scope);
            let files: BTreeSet<&Scope> = done
                .iter()
                .filter(|done| done.project.as_ref().is_some_and(inside))
                .flat_map(|done| &done.needed)
                .filter(|needed| needed.parent().as_ref() == Some(&one.scope))
                .collect();
            prop_assert!(needed.contains(&one.scope) || files.len() >= LEAST_FILES, "{one:?} of {log:?}");
        }
        for one in latest_observations(&log).iter().filter(|one| one.passage == ApprovalState::Refused) {
            prop_assert_ne!(decided(&proposal, one, false), Verdict::Allow, "{:?} {:?}", one, proposal);
        }
    }
}
