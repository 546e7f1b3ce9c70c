//! Regression tests for findings of November 2026: changes while calls wait and grants are valid.
use std::time::Duration;

use overt_layers::grants::{GrantLifetime, TrustedServerKey, TrustedTool};
use overt_policy::Trust;
use overt_testkit::person::trusting;
use overt_wire::Principal;

use super::bench::Return;
use super::client::Kind;
use super::findings::{ALWAYS, ERAS, ONCE, SESSION, X, bench, call, code, is_done, questions, say};
use super::form::Said;
use super::ledger::Mode;
use super::rules::{PROJECT, Policy, SERVER, Tool};

#[tokio::test(start_paused = true)]
async fn a_15_a_grant_ends_when_its_tool_is_redefined() {
    for kind in ERAS {
        for said in [SESSION, Said::Yes { lifetime: GrantLifetime::Session, is_wide: true }] {
            let mut bench = bench(Policy::Careful);
            let asked = call(&mut bench, kind, Tool::Wipe, X).await;
            let told = say(&mut bench, kind, asked, said).await;
            assert!(is_done(&bench, told));
            let again = call(&mut bench, kind, Tool::Wipe, X).await;
            assert!(is_done(&bench, again), "{kind:?} {said:?}");
            bench.world.redefine(Tool::Wipe);
            let third = call(&mut bench, kind, Tool::Wipe, X).await;
            assert!(!bench.calls[third].has_reached, "{kind:?} {said:?}");
            assert_eq!(questions(&bench, kind), 1);
            bench.finish().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_15_a_yes_does_not_count_for_a_tool_that_was_redefined_meanwhile() {
    for kind in ERAS {
        for tool in [Tool::Wipe, Tool::ClaimsRead, Tool::ClaimsWrite] {
            for said in [ONCE, ALWAYS] {
                let mut bench = bench(Policy::Careful);
                let asked = call(&mut bench, kind, tool, X).await;
                bench.world.redefine(tool);
                let told = say(&mut bench, kind, asked, said).await;
                assert!(!bench.calls[told].has_reached, "{kind:?} {tool:?} {said:?}");
                bench.finish().await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_16_a_reload_reaches_calls_that_wait() {
    for (policy, expected) in [(Policy::NoWriting, false), (Policy::Open, true)] {
        let mut bench = bench(Policy::Careful);
        let first = call(&mut bench, Kind::Dialogs, Tool::Wipe, X).await;
        let second = call(&mut bench, Kind::Dialogs, Tool::Edit, X).await;
        bench.reload(policy);
        bench.settle().await;
        bench.pass(Duration::from_millis(50)).await;
        for waiting in [first, second] {
            assert_eq!(is_done(&bench, waiting), expected, "{policy:?}");
            assert!(expected || code(&bench, waiting) == "PERMISSION_DENIED");
        }
        assert_eq!(bench.client(Kind::Dialogs).dialogs(), 0, "nothing is left to answer");
        bench.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_16_a_reload_counts_when_a_client_of_the_newer_era_comes_back() {
    for said in [ONCE, SESSION, ALWAYS] {
        let mut bench = bench(Policy::Careful);
        call(&mut bench, Kind::InResults, Tool::Wipe, X).await;
        bench.reload(Policy::NoWriting);
        bench.come_back(0, said, Return::Honestly);
        bench.pass(Duration::from_millis(500)).await;
        assert_eq!(code(&bench, 1), "PERMISSION_DENIED");
        bench.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_16_a_reload_counts_while_a_call_is_being_recorded() {
    let mut bench = bench(Policy::Open);
    bench.ledger.set(Mode::Slow);
    let recorded = call(&mut bench, Kind::Dialogs, Tool::Edit, X).await;
    bench.reload(Policy::NoWriting);
    bench.pass(Duration::from_millis(1_000)).await;
    assert_eq!(code(&bench, recorded), "PERMISSION_DENIED");
    bench.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_grant_that_was_revoked_is_asked_for_again() {
    for kind in ERAS {
        let mut bench = bench(Policy::Careful);
        let client = bench.client(kind);
        // Two calls wait for the answer. One of them is cancelled when it arrives.
        let first = bench.call(&client, Tool::Wipe, X);
        let second = bench.call(&client, Tool::Wipe, X);
        bench.settle().await;
        let told = say(&mut bench, kind, first, SESSION).await;
        assert!(is_done(&bench, told));
        bench.cancel(second);
        bench.pass(Duration::from_millis(500)).await;
        bench.revoke(0).await;
        bench.asked.clear();
        let again = call(&mut bench, kind, Tool::Wipe, X).await;
        bench.pass(Duration::from_millis(1_500)).await;
        assert!(!bench.calls[again].has_reached, "{kind:?}");
        assert_eq!(questions(&bench, kind), 1, "{kind:?}");
        bench.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_02_a_server_that_is_not_believed_any_more_is_not_called_although_the_call_was_decided() {
    for kind in ERAS {
        let mut bench = bench(Policy::Careful);
        let asked = call(&mut bench, kind, Tool::ClaimsRead, X).await;
        let told = say(&mut bench, kind, asked, ONCE).await;
        assert!(is_done(&bench, told), "what only reads is believed");
        bench.ledger.set(Mode::Slow);
        let recorded = call(&mut bench, kind, Tool::ClaimsRead, X).await;
        let key = TrustedServerKey {
            principal: Principal::local(),
            server: SERVER.to_owned(),
            project: Some(PROJECT.to_owned()),
        };
        let server = TrustedTool { server: key, tool: String::new(), digest: String::new() };
        bench.store.set_trust(trusting(&server, Trust::Everything)).await.unwrap();
        bench.pass(Duration::from_millis(1_000)).await;
        assert!(!bench.calls[recorded].has_reached, "{kind:?}");
        assert_eq!(questions(&bench, kind), 1, "{kind:?}");
        bench.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_15_an_answer_about_trust_does_not_count_for_a_tool_that_was_redefined_since() {
    let mut bench = bench(Policy::Careful);
    call(&mut bench, Kind::Sessionless, Tool::ClaimsRead, X).await;
    bench.answer_elsewhere(0, ONCE).await;
    bench.world.redefine(Tool::ClaimsRead);
    let again = call(&mut bench, Kind::Sessionless, Tool::ClaimsRead, X).await;
    assert!(!bench.calls[again].has_reached);
    bench.finish().await;
}
