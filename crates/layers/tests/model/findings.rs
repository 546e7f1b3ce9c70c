//! Regression tests for findings of November 2026 about approvals.
use std::sync::Arc;
use std::time::Duration;

use overt_layers::audit::Kind as Record;
use overt_layers::grants::{GrantLifetime, MemoryStore, StateStore};

use super::bench::{Bench, Return};
use super::client::Kind;
use super::form::Said;
use super::ledger::Mode;
use super::rules::{LINK, Policy, Tool};

pub(crate) const X: &str = "/a/x";
pub(crate) const ONCE: Said = Said::Yes { lifetime: GrantLifetime::Once, is_wide: false };
pub(crate) const SESSION: Said = Said::Yes { lifetime: GrantLifetime::Session, is_wide: false };
pub(crate) const ALWAYS: Said = Said::Yes { lifetime: GrantLifetime::Always, is_wide: false };

pub(crate) fn bench(policy: Policy) -> Bench {
    let store: Arc<dyn StateStore> = Arc::new(MemoryStore::default());
    Bench::new(policy, Box::new(move || Arc::clone(&store)))
}

pub(crate) fn is_done(bench: &Bench, call: usize) -> bool {
    bench.calls[call].answer.as_ref().is_some_and(|answer| answer["result"]["content"][0]["text"] == "done")
}

pub(crate) fn code(bench: &Bench, call: usize) -> &str {
    let answer = bench.calls[call].answer.as_ref().unwrap_or_else(|| panic!("call {call} still waits"));
    answer["result"]["_meta"]["dev.overt/error"]["code"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

/// Makes a call and waits until it is answered or asks.
pub(crate) async fn call(bench: &mut Bench, kind: Kind, tool: Tool, path: &'static str) -> usize {
    let client = bench.client(kind);
    let number = bench.call(&client, tool, path);
    bench.settle().await;
    bench.pass(Duration::from_millis(200)).await;
    number
}

/// Answers the question of a call in the way that its client asks it. Returns the call that
/// continues.
pub(crate) async fn say(bench: &mut Bench, kind: Kind, call: usize, said: Said) -> usize {
    let goes_on = match kind {
        Kind::Dialogs => {
            assert!(bench.answer(0, said), "nothing was asked");
            call
        }
        _ => {
            assert!(!bench.asked.is_empty(), "nothing was asked");
            bench.come_back(0, said, Return::Honestly);
            bench.calls.len() - 1
        }
    };
    bench.pass(Duration::from_millis(500)).await;
    goes_on
}

pub(crate) const ERAS: [Kind; 2] = [Kind::Dialogs, Kind::InResults];

/// Returns how many questions the person still sees, in either era.
pub(crate) fn questions(bench: &Bench, kind: Kind) -> usize {
    match kind {
        Kind::Dialogs => bench.client(kind).dialogs(),
        _ => bench.asked.iter().filter(|asked| asked.is_open()).count(),
    }
}

#[tokio::test(start_paused = true)]
async fn a_01_one_answer_for_the_session_releases_all_equal_calls() {
    let mut bench = bench(Policy::Careful);
    let client = bench.client(Kind::Dialogs);
    for _ in 0..200 {
        bench.call(&client, Tool::Wipe, X);
    }
    bench.pass(Duration::from_millis(1_500)).await;
    assert_eq!(client.dialogs(), 1);
    assert!(bench.answer(0, SESSION));
    bench.pass(Duration::from_millis(1_500)).await;
    let done = (0..200).filter(|index| is_done(&bench, *index)).count();
    assert_eq!(done, 200);
    assert_eq!(client.shown(), 1, "one question");
    assert_eq!(bench.ledger.count(Record::Approval), 1, "one approval");
    assert_eq!(bench.store.grants().await.unwrap().len(), 1);
    bench.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_01_a_yes_for_one_call_lets_one_of_the_equal_calls_through() {
    let mut bench = bench(Policy::Careful);
    let client = bench.client(Kind::Dialogs);
    for _ in 0..5 {
        bench.call(&client, Tool::Wipe, X);
    }
    for answered in 1..=3 {
        bench.pass(Duration::from_millis(1_500)).await;
        assert!(bench.answer(0, ONCE));
        bench.pass(Duration::from_millis(500)).await;
        let done = (0..5).filter(|index| is_done(&bench, *index)).count();
        assert_eq!(done, answered);
    }
    bench.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_01_after_a_yes_for_one_call_the_next_answer_counts_for_the_others() {
    let mut bench = bench(Policy::Careful);
    let client = bench.client(Kind::Dialogs);
    for _ in 0..3 {
        bench.call(&client, Tool::Wipe, X);
    }
    for said in [ONCE, SESSION] {
        bench.pass(Duration::from_millis(1_500)).await;
        assert!(bench.answer(0, said));
        bench.pass(Duration::from_millis(500)).await;
    }
    let done = (0..3).filter(|index| is_done(&bench, *index)).count();
    assert_eq!(done, 3);
    assert_eq!(bench.store.grants().await.unwrap().len(), 1);
    bench.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_02_a_hint_alone_is_not_enough_and_of_two_the_worse_counts() {
    for kind in ERAS {
        let mut bench = bench(Policy::Careful);
        for tool in [Tool::ClaimsRead, Tool::ClaimsWrite, Tool::Contradicts] {
            let asked = call(&mut bench, kind, tool, X).await;
            assert!(!bench.calls[asked].has_reached, "{kind:?} {tool:?}");
            let told = say(&mut bench, kind, asked, Said::No).await;
            assert_eq!(code(&bench, told), "PERMISSION_DENIED");
        }
        // The person trusts the claim to only read. This does not cover the other tools.
        let asked = call(&mut bench, kind, Tool::ClaimsRead, X).await;
        let told = say(&mut bench, kind, asked, ONCE).await;
        assert!(is_done(&bench, told));
        let read = call(&mut bench, kind, Tool::ClaimsRead, "/a/y").await;
        assert!(is_done(&bench, read), "{kind:?}");
        for tool in [Tool::ClaimsWrite, Tool::Contradicts] {
            let asked = call(&mut bench, kind, tool, X).await;
            assert!(!bench.calls[asked].has_reached, "{kind:?} {tool:?}");
        }
        bench.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_05_a_yes_to_one_plan_does_not_run_another() {
    for kind in ERAS {
        for path in [X, LINK] {
            let mut bench = bench(Policy::Careful);
            let asked = call(&mut bench, kind, Tool::Edit, path).await;
            bench.world.change();
            let told = say(&mut bench, kind, asked, ONCE).await;
            assert!(!bench.calls[told].has_reached, "{kind:?} {path}");
            // The new plan is shown, and a yes to it runs it.
            assert_eq!(questions(&bench, kind), 1);
            let told = say(&mut bench, kind, told, ONCE).await;
            assert!(is_done(&bench, told), "{kind:?} {path}");
            bench.finish().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_05_a_yes_to_an_unknown_plan_does_not_run_a_plan_that_was_not_shown() {
    for kind in ERAS {
        // Reading is not allowed either, so only the person learns that the plan failed.
        let mut bench = bench(Policy::Nothing);
        bench.world.set_broken(true);
        let asked = call(&mut bench, kind, Tool::Edit, X).await;
        bench.world.set_broken(false);
        let told = say(&mut bench, kind, asked, ONCE).await;
        assert!(!bench.calls[told].has_reached, "{kind:?}");
        bench.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_05_a_yes_to_what_only_the_plan_found_is_bound_to_the_plan() {
    for kind in ERAS {
        // Writing to the link is allowed, but its target needs approval.
        let mut bench = bench(Policy::Writing);
        let asked = call(&mut bench, kind, Tool::Edit, LINK).await;
        // The link leads to the same place, but the content is different.
        bench.world.change();
        bench.world.change();
        let told = say(&mut bench, kind, asked, ONCE).await;
        assert!(!bench.calls[told].has_reached, "{kind:?}");
        bench.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_05_nobody_is_asked_about_a_place_that_is_denied_when_the_plan_finds_it() {
    for kind in ERAS {
        let mut bench = bench(Policy::NoDeep);
        let refused = call(&mut bench, kind, Tool::Edit, LINK).await;
        assert_eq!(questions(&bench, kind), 0);
        let answer = bench.calls[refused].answer.as_ref().unwrap();
        assert_eq!(answer["result"]["isError"], true, "{kind:?}");
        bench.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_06_a_yes_stores_what_was_shown_whatever_the_policy_is_by_then() {
    for kind in ERAS {
        for (before, after) in [
            (Policy::Careful, Policy::Nothing),
            (Policy::Writing, Policy::Careful),
            (Policy::OneFile, Policy::Careful),
        ] {
            for said in [ONCE, SESSION, ALWAYS, Said::Yes { lifetime: GrantLifetime::Always, is_wide: true }]
            {
                for tool in [Tool::Edit, Tool::Wipe] {
                    let mut bench = bench(before);
                    let asked = call(&mut bench, kind, tool, LINK).await;
                    bench.reload(after);
                    // The answer arrives before the call has noticed the change; `check_grant`
                    // checks what is stored.
                    let told = say(&mut bench, kind, asked, said).await;
                    let _ = told;
                    bench.finish().await;
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_06_an_answer_elsewhere_stores_what_was_listed_although_another_call_asks_for_more() {
    let mut bench = bench(Policy::OneFile);
    // The folder can't be offered, because one file in it is denied.
    call(&mut bench, Kind::Mute, Tool::Wipe, X).await;
    bench.reload(Policy::Careful);
    bench.settle().await;
    bench.answer_elsewhere(0, Said::Yes { lifetime: GrantLifetime::Always, is_wide: true }).await;
    let again = call(&mut bench, Kind::Mute, Tool::Wipe, X).await;
    let other = call(&mut bench, Kind::Mute, Tool::Wipe, "/a/y").await;
    assert!(!bench.calls[other].has_reached, "{:?}", bench.calls[again]);
    bench.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_14_an_approval_that_cant_be_recorded_gives_no_grant() {
    for kind in ERAS {
        for said in [ONCE, SESSION] {
            let mut bench = bench(Policy::Careful);
            let asked = call(&mut bench, kind, Tool::Wipe, X).await;
            bench.ledger.set(Mode::Fails);
            let told = say(&mut bench, kind, asked, said).await;
            assert_eq!(code(&bench, told), "AUDIT_UNAVAILABLE", "{kind:?} {said:?}");
            assert_eq!(bench.store.grants().await.unwrap(), [], "{kind:?} {said:?}");
            bench.ledger.set(Mode::Works);
            let again = call(&mut bench, kind, Tool::Wipe, X).await;
            assert!(!bench.calls[again].has_reached, "{kind:?} {said:?}");
            bench.finish().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_14_every_call_that_waits_for_an_answer_ends_when_it_cant_be_recorded() {
    let mut bench = bench(Policy::Careful);
    let client = bench.client(Kind::Dialogs);
    for _ in 0..3 {
        bench.call(&client, Tool::Wipe, X);
    }
    bench.settle().await;
    bench.ledger.set(Mode::Fails);
    assert!(bench.answer(0, SESSION));
    bench.pass(Duration::from_millis(500)).await;
    for index in 0..3 {
        assert_eq!(code(&bench, index), "AUDIT_UNAVAILABLE");
    }
    assert_eq!(bench.store.grants().await.unwrap(), []);
    bench.finish().await;
}

#[tokio::test(start_paused = true)]
async fn scp_09_a_no_in_the_client_counts_although_another_call_used_an_earlier_yes() {
    let mut bench = bench(Policy::Careful);
    call(&mut bench, Kind::InResults, Tool::Wipe, X).await;
    bench.answer_elsewhere(0, ONCE).await;
    let other = call(&mut bench, Kind::InResults, Tool::Wipe, X).await;
    assert!(is_done(&bench, other));
    let told = say(&mut bench, Kind::InResults, 0, Said::No).await;
    assert_eq!(code(&bench, told), "PERMISSION_DENIED");
    assert_eq!(questions(&bench, Kind::InResults), 0, "nobody is asked again");
    bench.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_14_a_refusal_spends_no_grant() {
    for kind in ERAS {
        let mut bench = bench(Policy::Careful);
        let asked = call(&mut bench, kind, Tool::Wipe, X).await;
        bench.ledger.set(Mode::Slow);
        // The approval is recorded, but the intent is not.
        match kind {
            Kind::Dialogs => assert!(bench.answer(0, ONCE)),
            _ => bench.come_back(0, ONCE, Return::Honestly),
        }
        bench.pass(Duration::from_millis(400)).await;
        assert_eq!(bench.ledger.count(Record::Approval), 1);
        bench.ledger.set(Mode::Fails);
        bench.pass(Duration::from_millis(400)).await;
        let told = if kind == Kind::Dialogs { asked } else { bench.calls.len() - 1 };
        assert_eq!(code(&bench, told), "AUDIT_UNAVAILABLE");
        assert_eq!(bench.store.grants().await.unwrap().len(), 1, "the yes is not used up");
        bench.ledger.set(Mode::Works);
        let again = call(&mut bench, kind, Tool::Wipe, X).await;
        assert!(is_done(&bench, again), "{kind:?}");
        let third = call(&mut bench, kind, Tool::Wipe, X).await;
        assert!(!bench.calls[third].has_reached, "{kind:?}");
        bench.finish().await;
    }
}
