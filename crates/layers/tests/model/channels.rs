//! Findings of November 2026 about how far an answer reaches: through which channel it came, and
//! what was shown for it.
use std::time::Duration;

use overt_layers::grants::GrantLifetime;
use overt_policy::Trust;

use super::client::Kind;
use super::findings::{ALWAYS, ERAS, SESSION, X, bench, call, code, is_done, questions, say};
use super::form::Said;
use super::rules::{Policy, Tool};

const NOTHING: Said = Said::Trust(Trust::Nothing);

#[tokio::test(start_paused = true)]
async fn v_01_a_dialog_gives_nothing_that_outlasts_its_session() {
    for kind in ERAS {
        for said in [ALWAYS, Said::Yes { lifetime: GrantLifetime::Always, is_wide: true }] {
            let mut bench = bench(Policy::Careful);
            let asked = call(&mut bench, kind, Tool::Wipe, X).await;
            let told = say(&mut bench, kind, asked, said).await;
            assert!(is_done(&bench, told), "{kind:?}");
            let again = call(&mut bench, kind, Tool::Wipe, X).await;
            assert!(is_done(&bench, again), "{kind:?}: it holds for the session");
            let place = bench.clients.iter().position(|client| client.kind == kind).unwrap();
            bench.end_session(place);
            bench.settle().await;
            let after = call(&mut bench, kind, Tool::Wipe, X).await;
            assert!(!bench.calls[after].has_reached, "{kind:?} {said:?}");
            bench.finish().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_wider_choice_in_a_dialog_waits_as_a_proposal() {
    for kind in ERAS {
        for (tool, said) in [(Tool::Wipe, ALWAYS), (Tool::ClaimsRead, NOTHING)] {
            let mut bench = bench(Policy::Careful);
            let asked = call(&mut bench, kind, tool, X).await;
            let told = say(&mut bench, kind, asked, said).await;
            assert!(is_done(&bench, told), "{kind:?} {tool:?}");
            let place = bench.clients.iter().position(|client| client.kind == kind).unwrap();
            bench.end_session(place);
            bench.settle().await;
            let proposals = bench.store.questions().await.unwrap();
            assert_eq!(proposals.len(), 1, "{kind:?} {tool:?}: one, and it outlives the session");
            assert!(proposals[0].question.is_proposal());
            let text = proposals[0].question.to_text(&proposals[0].id);
            assert!(text.contains("The client says that you chose"), "{text}");
            bench.answer_elsewhere(0, said).await;
            let after = call(&mut bench, kind, tool, X).await;
            assert!(is_done(&bench, after), "{kind:?} {tool:?}: the person confirmed it");
            bench.finish().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn v_01_a_client_without_a_session_gets_answers_for_one_call() {
    for said in [SESSION, ALWAYS] {
        let mut bench = bench(Policy::Careful);
        let asked = call(&mut bench, Kind::Sessionless, Tool::Wipe, X).await;
        let told = say(&mut bench, Kind::Sessionless, asked, said).await;
        assert_eq!(code(&bench, told), "PERMISSION_DENIED", "{said:?}");
        bench.finish().await;
    }
    let mut bench = bench(Policy::Careful);
    let asked = call(&mut bench, Kind::Sessionless, Tool::ClaimsRead, X).await;
    let told = say(&mut bench, Kind::Sessionless, asked, NOTHING).await;
    assert_eq!(code(&bench, told), "PERMISSION_DENIED", "no decision about a server is offered");
    bench.finish().await;
}

#[tokio::test(start_paused = true)]
async fn v_02_a_decision_in_a_dialog_is_for_its_session_alone() {
    for (kind, other) in [(Kind::Dialogs, Kind::InResults), (Kind::InResults, Kind::Dialogs)] {
        let mut bench = bench(Policy::Careful);
        let asked = call(&mut bench, kind, Tool::ClaimsRead, X).await;
        let told = say(&mut bench, kind, asked, NOTHING).await;
        assert!(is_done(&bench, told), "{kind:?}");
        let again = call(&mut bench, kind, Tool::ClaimsWrite, X).await;
        assert!(is_done(&bench, again), "{kind:?}: nothing is asked in this session");
        let others = call(&mut bench, other, Tool::ClaimsRead, X).await;
        assert!(!bench.calls[others].has_reached, "{kind:?}: another session is asked");
        assert_eq!(questions(&bench, other), 1);
        let place = bench.clients.iter().position(|client| client.kind == kind).unwrap();
        bench.end_session(place);
        bench.settle().await;
        let after = call(&mut bench, kind, Tool::ClaimsRead, X).await;
        assert!(!bench.calls[after].has_reached, "{kind:?}: the next session is asked");
        bench.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn v_03_a_decision_covers_the_definitions_that_were_shown() {
    for kind in ERAS {
        let mut bench = bench(Policy::Careful);
        call(&mut bench, Kind::Mute, Tool::ClaimsRead, X).await;
        bench.answer_elsewhere(0, NOTHING).await;
        bench.pass(Duration::from_millis(500)).await;
        // It was shown and never called, and then it changed.
        bench.world.redefine(Tool::ClaimsWrite);
        let changed = call(&mut bench, kind, Tool::ClaimsWrite, X).await;
        assert!(!bench.calls[changed].has_reached, "{kind:?}");
        let told = say(&mut bench, kind, changed, NOTHING).await;
        assert!(is_done(&bench, told), "{kind:?}: it was shown as it is now");
        let again = call(&mut bench, kind, Tool::ClaimsWrite, X).await;
        assert!(is_done(&bench, again), "{kind:?}");
        bench.finish().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_yes_to_one_call_decides_nothing_about_its_server() {
    for kind in [Kind::Dialogs, Kind::InResults, Kind::Sessionless] {
        let mut bench = bench(Policy::Careful);
        let asked = call(&mut bench, kind, Tool::ClaimsRead, X).await;
        let told = say(&mut bench, kind, asked, Said::ThisCall).await;
        assert!(is_done(&bench, told), "{kind:?}");
        let again = call(&mut bench, kind, Tool::ClaimsRead, X).await;
        assert!(!bench.calls[again].has_reached, "{kind:?}");
        bench.finish().await;
    }
}
