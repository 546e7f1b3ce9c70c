//! What an answer gives and ends, in both stores.
use std::sync::Arc;

use overt_layers::grants::{
    Answer, AnswerOutcome, AskOutcome, Breadth, Clock, Extent, GrantLifetime, Holder, HolderClient,
    MemoryStore, Question, QuestionDetails, QuestionId, QuestionKind, QuestionState, Redefinition, SeenTool,
    StateStore,
};
use overt_layers::person::{SetTrust, TrustScope};
use overt_policy::Trust;
use overt_testkit::person::{answering, authorised};
use overt_wire::Principal;
use tempfile::TempDir;

use super::super::{SharedStore, SqliteStore};
use super::{NOW, holder, question};

const ONCE: Answer = Answer::Yes {
    lifetime: GrantLifetime::Once,
    extent: Extent::Project,
    breadth: Breadth::Call,
    expires: None,
};

fn clock() -> Clock {
    Clock::of(|| NOW)
}

fn stores(state: &TempDir) -> [Arc<dyn StateStore>; 2] {
    let sqlite = SqliteStore::open_with(state.path(), clock()).unwrap();
    [Arc::new(MemoryStore::new(clock())), Arc::new(SharedStore::new(sqlite))]
}

async fn asked(store: &dyn StateStore, question: &Question) -> QuestionId {
    match store.ask(question.clone(), None).await.unwrap() {
        AskOutcome::Open(id) => id,
        other => panic!("{other:?}"),
    }
}

async fn answer(
    store: &dyn StateStore,
    id: &QuestionId,
    question: &Question,
    answer: Answer,
) -> AnswerOutcome {
    store.answer(answering(id, question, answer)).await.unwrap()
}

#[tokio::test]
async fn scp_09_a_no_ends_each_yes_for_one_call_that_no_call_used() {
    let state = TempDir::new().unwrap();
    for no in [Answer::No, Answer::NoThisSession] {
        for store in stores(&state) {
            let question = Question { holder: holder(&format!("{no}")), ..question() };
            let id = asked(&*store, &question).await;
            // Two more calls wait for the same answer, so the question stays open after each yes.
            for _ in 0..2 {
                assert_eq!(asked(&*store, &question).await, id);
            }
            for _ in 0..2 {
                assert!(matches!(answer(&*store, &id, &question, ONCE).await, AnswerOutcome::Taken(Some(_))));
            }
            assert_eq!(store.grants().await.unwrap().len(), 2);
            assert_eq!(answer(&*store, &id, &question, no).await, AnswerOutcome::Taken(None));
            assert_eq!(store.grants().await.unwrap(), [], "{no}: {store:?}");
        }
    }
}

#[tokio::test]
async fn scp_09_whoever_refuses_a_session_refuses_what_it_was_given_for_one_call() {
    let state = TempDir::new().unwrap();
    for store in stores(&state) {
        let (first, second) = (question(), Question { tool: "remove".to_owned(), ..question() });
        let (one, other) = (asked(&*store, &first).await, asked(&*store, &second).await);
        answer(&*store, &one, &first, ONCE).await;
        answer(&*store, &other, &second, Answer::NoThisSession).await;
        assert_eq!(store.grants().await.unwrap(), [], "{store:?}");
        let taken = store.take_answer(one).await.unwrap();
        assert_eq!(taken, QuestionState::Answered(Answer::NoThisSession, None), "{store:?}");
    }
}

#[tokio::test]
async fn a_14_an_answer_that_cant_be_recorded_is_told_to_those_who_wait_and_to_nobody_else() {
    let state = TempDir::new().unwrap();
    for store in stores(&state) {
        let id = asked(&*store, &question()).await;
        store.withdraw(id.clone()).await.unwrap();
        // A later answer that can be recorded counts.
        assert!(matches!(answer(&*store, &id, &question(), ONCE).await, AnswerOutcome::Taken(Some(_))));
        let state = store.take_answer(id).await.unwrap();
        assert_eq!(state, QuestionState::Answered(ONCE, None), "{store:?}");

        let other = Question { tool: "remove".to_owned(), ..question() };
        let id = asked(&*store, &other).await;
        store.withdraw(id.clone()).await.unwrap();
        assert_eq!(store.take_answer(id.clone()).await.unwrap(), QuestionState::Unrecorded, "{store:?}");
        assert_ne!(asked(&*store, &other).await, id, "the next call is asked about anew: {store:?}");
    }
}

#[tokio::test]
async fn v_16_a_decision_about_a_server_covers_the_change_that_another_principal_was_asked_about() {
    let state = TempDir::new().unwrap();
    for store in stores(&state) {
        let details =
            QuestionDetails { redefined: Some(Redefinition::default()), ..QuestionDetails::default() };
        let theirs = Question { kind: QuestionKind::Trust, shown: details, ..question() };
        // They decided about the server before, and the tool was another one then.
        let definitions = vec![SeenTool { name: theirs.tool.clone(), digest: Some("before".to_owned()) }];
        let before = Question {
            shown: QuestionDetails { definitions, ..QuestionDetails::default() },
            tool_digest: "before".to_owned(),
            ..theirs.clone()
        };
        let id = asked(&*store, &before).await;
        answer(&*store, &id, &before, Answer::Trust(Trust::Changes)).await;
        store.take_answer(id).await.unwrap();
        let id = asked(&*store, &theirs).await;
        let seen = SeenTool { name: theirs.tool.clone(), digest: Some(theirs.tool_digest.clone()) };
        let local = Holder::any_client(Principal::local());
        let server = Question { holder: local, ..theirs.clone() }.trusted_tool().server;
        let decision =
            SetTrust { server, trust: Trust::Changes, seen: vec![seen], scope: TrustScope::Server };
        assert_eq!(store.set_trust(authorised(decision)).await.unwrap(), [id]);
        let covered = store.covered(theirs.trusted_tool().server, HolderClient::Any).await.unwrap().unwrap();
        assert_eq!(covered[&theirs.tool], theirs.tool_digest, "{store:?}");
    }
}

/// What a yes gives for a call or a session belongs to the process that asked.
#[tokio::test]
async fn scp_04_two_processes_share_no_question() {
    let state = TempDir::new().unwrap();
    let one = SqliteStore::open_with(state.path(), clock()).unwrap();
    let other = SqliteStore::open_with(state.path(), clock()).unwrap();
    let asked = |store: &SqliteStore| match store.ask(&question(), None).unwrap() {
        AskOutcome::Open(id) => id,
        other => panic!("{other:?}"),
    };
    assert_ne!(asked(&one), asked(&other));
}
