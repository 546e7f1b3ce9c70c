//! What is proposed from a log: everything that was done, and nothing more.
use std::collections::BTreeSet;

use overt_policy::scope::{Action, Scope};
use overt_policy::suggest::{LEAST_FILES, Observation, suggest};
use proptest::prelude::*;

use crate::cases::cases;

fn scope(text: &str) -> Scope {
    Scope::parse(text).unwrap()
}

fn seen(needed: &[&str], was_allowed: bool) -> Observation {
    let needed = needed.iter().map(|text| scope(text)).collect();
    Observation { needed, project: Some("/p".to_owned()), was_allowed }
}

fn proposed(observations: &[Observation]) -> Vec<String> {
    suggest(observations)
        .allow
        .iter()
        .map(|one| format!("{} {}/{}", one.scope, one.calls, one.different))
        .collect()
}

#[test]
fn a_folder_is_proposed_from_three_files_on() {
    let write = |path: &str| seen(&[&format!("write:file:{path}")], true);
    let two = [write("/p/src/a"), write("/p/src/b"), write("/p/src/a")];
    assert_eq!(proposed(&two), ["write:file:/p/src/a 2/1", "write:file:/p/src/b 1/1"]);
    let three = [&two[..], &[write("/p/src/c"), write("/p/x")]].concat();
    assert_eq!(proposed(&three), ["write:file:/p/src 4/3", "write:file:/p/x 1/1"]);
    // Never outside of the project, and never beyond the folder of the files.
    let outside =
        [write("/q/a"), write("/q/b"), write("/q/c"), write("/p/d/a"), write("/p/e/a"), write("/p/f/a")];
    assert_eq!(proposed(&outside).len(), 6);
    // Not if something in the folder was refused.
    let refused = [&three[..], &[seen(&["write:file:/p/src/.env"], false)]].concat();
    assert_eq!(proposed(&refused).len(), 4);
}

#[test]
fn what_was_refused_last_stays_refused() {
    let (yes, no) = (seen(&["execute:mail:send"], true), seen(&["execute:mail:send"], false));
    assert_eq!(proposed(&[yes.clone(), no.clone()]), ["execute:mail:send 1/1"]);
    assert!(proposed(&[no.clone(), yes]).is_empty());
    let both = seen(&["execute:mail:send", "read:mail:list"], true);
    let kept = suggest(&[no, both]);
    assert_eq!(kept.withheld, [scope("execute:mail:send")]);
    assert_eq!(kept.allow.len(), 1);
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
    let project =
        prop_oneof![2 => Just(Some("/p".to_owned())), 1 => Just(None), 1 => Just(Some("/q/a".to_owned()))];
    (proptest::collection::vec(any_scope(), 0..3), project, any::<bool>())
        .prop_map(|(needed, project, was_allowed)| Observation { needed, project, was_allowed })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(2_000), ..ProptestConfig::default() })]

    /// Whatever happened: nothing is proposed that did not happen, what happened is covered, what was refused last is not.
    #[test]
    fn it_never_proposes_more_than_what_happened(log in proptest::collection::vec(any_observation(), 0..24)) {
        let proposal = suggest(&log);
        let done: Vec<&Observation> = log.iter().filter(|one| one.was_allowed).collect();
        let needed: BTreeSet<&Scope> = done.iter().flat_map(|one| &one.needed).collect();
        for one in &proposal.allow {
            let is_needed = needed.contains(&one.scope);
            let files: BTreeSet<&Scope> = done
                .iter()
                .filter(|done| {
                    let inside = |project: &String| Scope::of_path(one.scope.action(), "file", project).covers(&one.scope);
                    done.project.as_ref().is_some_and(inside)
                })
                .flat_map(|done| &done.needed)
                .filter(|needed| needed.parent().as_ref() == Some(&one.scope))
                .collect();
            prop_assert!(is_needed || files.len() >= LEAST_FILES, "{one:?} of {log:?}");
        }
        let covers = |wanted: &Scope| proposal.allow.iter().any(|one| one.scope.covers(wanted));
        let mut known: BTreeSet<Vec<Scope>> = BTreeSet::new();
        for one in log.iter().filter(|one| !one.needed.is_empty()) {
            let mut needed = one.needed.clone();
            needed.sort();
            needed.dedup();
            // The last word counts, and the last call comes first.
            if !known.insert(needed.clone()) {
                continue;
            }
            if one.was_allowed {
                let is_withheld = |scope: &Scope| proposal.withheld.iter().any(|withheld| withheld == scope);
                prop_assert!(needed.iter().all(|scope| covers(scope) || is_withheld(scope)), "{one:?} {proposal:?}");
            } else {
                prop_assert!(!needed.iter().all(covers), "{one:?} {proposal:?}");
            }
        }
    }
}
