//! Laws of all authorities, overlays and calls. There are many cases, so the values are small and
//! parsed only once.
use overt_policy::scope::{Scope, ScopeSet};
use overt_policy::{Authority, Overlays, Policy, Subject, Verdict, explain};
use proptest::prelude::*;
use serde_json::json;

use super::model;
use super::pool::{ARGUMENTS, ATOMS, FACTS, RULES, SCOPES, World, atoms, meet, policies, world};
use crate::cases::cases;

fn one_of<T>(all: &[T]) -> std::ops::Range<usize> {
    0..all.len()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(100_000), ..ProptestConfig::default() })]

    #[test]
    fn pol_02_a_meet_is_one(a in atoms(), b in atoms(), c in atoms()) {
        let (a, b, c) = (meet(&a), meet(&b), meet(&c));
        prop_assert_eq!(a.meet(&a), a.clone());
        prop_assert_eq!(a.meet(&b), b.meet(&a));
        prop_assert_eq!(a.meet(&b).meet(&c), a.meet(&b.meet(&c)));
        prop_assert_eq!(a.meet(&b).meet(&b), a.meet(&b));
        prop_assert_eq!(a.meet(&Policy::top()), a.clone());
        prop_assert_eq!(Policy::top().meet(&a), a);
    }

    /// Layers decide the same one by one, merged, and in any order.
    #[test]
    fn pol_02_layers_are_their_meet(
        world in world(), tool in one_of(&FACTS), arguments in one_of(&ARGUMENTS), turn in 0..3_usize,
    ) {
        let (facts, arguments) = (&FACTS[tool], Some(&ARGUMENTS[arguments]));
        let decision = world.build().decide(facts, arguments);
        let other = if turn == 0 {
            let mut as_one = world.build();
            as_one.session = Vec::new();
            as_one.call = vec![meet(&world.call).meet(&meet(&world.session))];
            as_one
        } else {
            let mut turned = world.clone();
            for list in [&mut turned.session, &mut turned.call, &mut turned.rules, &mut turned.base, &mut turned.ceiling] {
                let by = turn.min(list.len());
                list.rotate_left(by);
            }
            turned.build()
        };
        let other = other.decide(facts, arguments);
        prop_assert_eq!((other.verdict, other.limits, other.missing, other.wider),
            (decision.verdict, decision.limits, decision.missing, decision.wider));
    }

    /// effective(c and p) is within effective(c) and within effective(p), at any place of p.
    #[test]
    fn pol_01_a_policy_never_widens(
        world in world(), tool in one_of(&FACTS), arguments in one_of(&ARGUMENTS),
        more in one_of(&ATOMS), place in 0..3_usize,
    ) {
        let (facts, arguments) = (&FACTS[tool], Some(&ARGUMENTS[arguments]));
        let before = world.build().decide(facts, arguments).verdict;
        let policy = &ATOMS[more].1;
        let open = Authority::open();
        let alone = Overlays { call: std::slice::from_ref(policy), ..Overlays::default() };
        let alone = open.decide(Subject::Tool { facts, arguments }, &alone, &|_| true).verdict;
        let mut narrowed = world.clone();
        let lists = [&mut narrowed.ceiling, &mut narrowed.session, &mut narrowed.call];
        lists.into_iter().nth(place).unwrap().push(more);
        let after = narrowed.build().decide(facts, arguments).verdict;
        prop_assert!(after <= before && after <= alone, "{after:?} {before:?} {alone:?}");
    }

    /// Removing a permission or adding a prohibition never allows more; a grant allows nothing that
    /// a policy or a deny refuses.
    #[test]
    fn pol_01_nothing_but_a_grant_adds(
        world in world(), tool in one_of(&FACTS), arguments in one_of(&ARGUMENTS),
        rule in one_of(&RULES), scope in one_of(&SCOPES), change in 0..6_usize,
    ) {
        let (facts, arguments) = (&FACTS[tool], Some(&ARGUMENTS[arguments]));
        let verdict = |world: &World| world.build().decide(facts, arguments).verdict;
        let before = verdict(&world);
        let changed = |change: &dyn Fn(&mut World)| {
            let mut changed = world.clone();
            change(&mut changed);
            verdict(&changed)
        };
        let fewer: [&dyn Fn(&mut World); 6] = [
            &|world| if !world.rules.contains(&rule) { world.rules.push(rule) },
            &|world| world.denied.push(scope),
            &|world| world.call_denied.push(scope),
            &|world| world.base.truncate(1),
            &|world| world.grants.truncate(1),
            &|world| world.honours = true,
        ];
        prop_assert!(changed(fewer[change]) <= before);
        let granted = changed(&|world| world.grants = (0..SCOPES.len()).collect());
        prop_assert!(granted >= before);
        prop_assert_eq!(granted == Verdict::Deny, before == Verdict::Deny, "a grant turns no deny");
    }

    /// The decision equals that of a simple model of the same texts (POL-19, POL-20: order has no
    /// meaning, and no default changes).
    #[test]
    fn pol_20_the_decision_is_the_model_s(
        world in world(), tool in one_of(&FACTS), arguments in one_of(&ARGUMENTS),
    ) {
        let (facts, arguments) = (&FACTS[tool], &ARGUMENTS[arguments]);
        let decision = world.build().decide(facts, Some(arguments));
        prop_assert_eq!(decision.verdict, model::verdict(&world, facts, arguments), "{:#?}", decision);
    }

    /// What is denied is never allowed, and no person is asked for it.
    #[test]
    fn pol_11_a_deny_is_never_allowed(
        world in world(), tool in one_of(&FACTS), arguments in one_of(&ARGUMENTS),
    ) {
        let built = world.build();
        let decision = built.decide(&FACTS[tool], Some(&ARGUMENTS[arguments]));
        let mut denied: ScopeSet = built.authority.denied.clone();
        denied.extend(built.call_denied.iter().cloned());
        for policy in [&built.authority.ceiling].into_iter().chain(&built.session).chain(&built.call) {
            denied.extend(policy.scopes.deny.iter().cloned());
        }
        if decision.verdict > Verdict::Deny {
            prop_assert!(!decision.needed.iter().any(|scope| denied.overlaps(scope)));
        }
        for scope in decision.requested() {
            prop_assert!(!denied.overlaps(&scope));
            prop_assert!(built.call_allowed.iter().all(|allowed| allowed.covers(&scope)));
        }
        prop_assert_eq!(decision.requested().is_empty(), decision.verdict != Verdict::NeedsApproval);
        for scope in &decision.wider {
            prop_assert!(!scope.is_sweeping());
            prop_assert!(decision.missing.iter().any(|missing| scope.covers(missing) && scope != missing));
        }
        // Granting what is requested is enough (SCP-05), and granting less is not.
        if decision.verdict == Verdict::NeedsApproval {
            let subject = Subject::Tool { facts: &FACTS[tool], arguments: Some(&ARGUMENTS[arguments]) };
            let asked = |granted: &[Scope]| {
                let grants: ScopeSet = granted.iter().cloned().collect();
                let granted = |scopes: &[Scope]| scopes.iter().all(|scope| grants.covers(scope));
                built.authority.decide(subject, &built.overlays(), &granted).verdict
            };
            prop_assert_eq!(asked(&decision.missing), Verdict::Allow);
            prop_assert_eq!(asked(&decision.missing[1..]), Verdict::NeedsApproval);
        }
    }

    /// A tool that a list hides can't be called with any arguments.
    #[test]
    fn pol_21_what_is_hidden_is_refused(
        world in world(), tool in one_of(&FACTS), arguments in one_of(&ARGUMENTS),
    ) {
        let (built, facts) = (world.build(), &FACTS[tool]);
        let listed = built.decide(facts, None).verdict > Verdict::Deny;
        let called = built.decide(facts, Some(&ARGUMENTS[arguments])).verdict > Verdict::Deny;
        prop_assert!(listed || !called);
    }

    /// A tool that a list shows can be called in some way, unless the arguments themselves are
    /// constrained.
    #[test]
    fn pol_21_what_is_shown_can_be_called(world in world(), tool in 0..2_usize) {
        let mut world = world;
        for list in [&mut world.ceiling, &mut world.session, &mut world.call] {
            list.retain(|index| ATOMS[*index].0.get("arguments").is_none() && ATOMS[*index].0.get("limits").is_none());
        }
        world.rules.retain(|index| RULES[*index].0.get("limit").is_none());
        let (built, facts) = (world.build(), &FACTS[tool]);
        let is_callable = |arguments| built.decide(facts, Some(arguments)).verdict > Verdict::Deny;
        if built.decide(facts, None).verdict > Verdict::Deny {
            prop_assert!(ARGUMENTS.iter().any(is_callable), "{:#?}", built.decide(facts, None));
        }
    }

    /// The explanation matches the decision: the verdicts of the layers lead to the final verdict,
    /// and the decisive layer is one of them.
    #[test]
    fn pol_24_the_explanation_is_the_decision(
        world in world(), tool in one_of(&FACTS), arguments in one_of(&ARGUMENTS),
    ) {
        let decision = world.build().decide(&FACTS[tool], Some(&ARGUMENTS[arguments]));
        let said = |verdict| decision.verdicts.iter().any(|said| said.verdict == verdict);
        let is_granted = decision.verdicts.iter().any(|said| said.layer == overt_policy::Layer::Grant);
        let expected = if said(Verdict::Deny) {
            Verdict::Deny
        } else if said(Verdict::NeedsApproval) && !is_granted {
            Verdict::NeedsApproval
        } else {
            Verdict::Allow
        };
        prop_assert_eq!(decision.verdict, expected);
        let explained = explain(&decision);
        prop_assert_eq!(&explained["verdict"], &json!(decision.verdict));
        prop_assert_eq!(&explained["decided_by"]["verdict"], &json!(decision.verdict));
        if decision.verdict < Verdict::Allow {
            prop_assert!(!decision.decisive().unwrap().change.is_empty(), "it says what would have to change");
        }
    }
}

/// A policy that a call adds is within the policy in force, or is reported as wider, or has no
/// effect.
#[test]
fn pol_04_the_lint_is_silent_about_what_is_in_force() {
    for (json, policy) in ATOMS.iter() {
        assert!(policy.widens(policy).is_empty(), "{json}: {}", policy.widens(policy));
        assert!(policy.widens(&Policy::top()).is_empty(), "{json}");
        assert!(Policy::top().widens(policy).is_empty(), "{json}");
    }
    assert_eq!(policies(&[0]), [Policy::top()]);
}
