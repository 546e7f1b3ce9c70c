//! SCP-09, SCP-10, SCP-12: calls that wait, calls that stopped waiting, and which call an answer
//! belongs to.
use std::sync::Arc;
use std::time::Duration;

use overt_layers::audit::Kind;
use overt_layers::grants::{MemoryStore, StateStore as _};
use overt_layers::{Control, PolicySnapshot, Rates};
use overt_policy::Authority;
use overt_policy::rate::RateLimit;
use serde_json::{Value, json};

use super::kit::{Client, ERAS, Era, Manner, Notebook, code, is_done};

fn shared() -> (Arc<MemoryStore>, Control) {
    let store = Arc::new(MemoryStore::default());
    let control = Control::careful().store(Arc::<MemoryStore>::clone(&store));
    (store, control)
}

fn waits(client: &Client) {
    *client.person.manner.lock().unwrap() = Manner::Waits;
}

/// Makes a call and cancels it once the person has been asked.
async fn cancelled(client: &Client, path: &str) {
    tokio::select! {
        biased;
        reply = client.call("write", path, json!({})) => panic!("{reply}"),
        () = tokio::task::yield_now() => {}
    }
}

/// The rate was free when the person was asked, so the call keeps its question.
#[tokio::test]
async fn q_03_an_open_dialog_stays_while_another_call_takes_the_rate() {
    let rates = Rates { all: vec![RateLimit::parse("1/hour").unwrap()], ..Rates::default() };
    let snapshot = || PolicySnapshot { rates: rates.clone(), ..PolicySnapshot::new(Authority::careful()) };
    let control = Control::new(snapshot());
    let client = Client::new(Era::Legacy, control.clone());
    waits(&client);
    let meanwhile = async {
        while client.person.questions.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        assert!(is_done(&client.another("other").call("read", "/a", json!({})).await));
        // A reload attempts every waiting call again.
        control.replace(snapshot());
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    tokio::select! {
        biased;
        reply = client.call("write", "/a", json!({})) => panic!("{reply}"),
        () = meanwhile => {}
    }
    assert_eq!(client.questions(), 1);
}

#[tokio::test]
async fn scp_12_clients_without_a_session_share_no_answer() {
    let first = Client::new(Era::Modern, Control::careful()).without_session();
    // (answer, whether it lets the call run)
    for (answer, runs) in [("session", false), ("no-session", false), ("always", false), ("once", true)] {
        first.will_say(answer);
        let reply = first.call("write", "/a", json!({})).await;
        assert_eq!(is_done(&reply), runs, "{answer} {reply}");
        assert_eq!(first.questions(), 1);
        for client in [&first, &first.without_session()] {
            let reply = client.call("write", "/a", json!({})).await;
            assert_eq!((code(&reply), client.questions()), ("PERMISSION_DENIED", 1), "after {answer}");
        }
    }
}

#[tokio::test]
async fn scp_10_calls_that_are_the_same_are_shown_to_a_person_once() {
    let (store, control) = shared();
    let client = Client::new(Era::Legacy, control);
    waits(&client);
    let call = || client.call("write", "/a", json!({}));
    let all = async { tokio::join!(call(), call(), call()) };
    assert!(tokio::time::timeout(Duration::from_millis(300), all).await.is_err());
    assert_eq!(client.questions(), 1);
    assert_eq!(store.questions().await.unwrap().len(), 1);
    // A yes until the session ends covers all three calls; a yes for one call covers one.
    for (answers, asked) in [(vec!["once", "once", "no"], 3), (vec!["session"], 1)] {
        *client.person.manner.lock().unwrap() = Manner::Answers;
        answers.iter().for_each(|answer| client.will_say(answer));
        let replies = tokio::join!(call(), call(), call());
        let done = [&replies.0, &replies.1, &replies.2].into_iter().filter(|reply| is_done(reply)).count();
        assert_eq!((done, client.questions()), (if asked == 3 { 2 } else { 3 }, asked));
    }
}

#[tokio::test]
async fn scp_09_a_call_that_is_cancelled_leaves_nothing_behind() {
    let (store, control) = shared();
    let client = Client::new(Era::Legacy, control);
    waits(&client);
    cancelled(&client, "/a").await;
    assert_eq!(client.questions(), 1);
    assert_eq!(store.questions().await.unwrap()[0].waiting, 0);
    *client.person.manner.lock().unwrap() = Manner::Answers;
    for _ in 0..2 {
        assert_eq!(code(&client.call("write", "/a", json!({})).await), "PERMISSION_DENIED");
        assert_eq!(client.questions(), 1, "a no is for one call");
    }
    waits(&client);
    for number in 0..80 {
        cancelled(&client, &format!("/a/{number}")).await;
    }
    assert_eq!(client.questions(), 80, "what nobody waits for makes room");
    assert_eq!(store.questions().await.unwrap().len(), 64);
}

#[tokio::test]
async fn scp_10_a_newer_client_that_does_not_come_back_blocks_nobody() {
    let (store, control) = shared();
    let client = Client::new(Era::Modern, control);
    let asked = |path: String| {
        let params = json!({ "name": "write", "arguments": { "path": path } });
        async { client.send("tools/call", params).await["result"]["resultType"].clone() }
    };
    for number in 0..20 {
        assert_eq!(asked(format!("/a/{number}")).await, "input_required");
    }
    assert!(store.questions().await.unwrap().iter().all(|open| open.waiting == 0));
}

#[tokio::test]
async fn scp_09_a_client_that_can_t_ask_has_not_said_no() {
    for manner in [Manner::Fails, Manner::HangsUp] {
        let ledger = Arc::new(Notebook::default());
        let control = Control::careful().ledger(Arc::<Notebook>::clone(&ledger));
        let client = Client::new(Era::Legacy, control);
        *client.person.manner.lock().unwrap() = manner;
        let reply = client.call("write", "/a", json!({})).await;
        assert_eq!(code(&reply), "PERMISSION_NOT_GRANTED", "{manner:?}");
        assert!(!ledger.kinds().contains(&Kind::Approval), "{:?}", ledger.kinds());
    }
}

#[tokio::test]
async fn scp_07_the_question_shows_effect_and_arguments() {
    for era in ERAS {
        let client = Client::new(era, Control::careful());
        for (tool, effect) in
            [("write", "changes something."), ("bare", "the server says: nothing about what it does.")]
        {
            client.call(tool, "/a/\u{1b}[2Jb", json!({})).await;
            let questions: Vec<Value> = client.person.questions.lock().unwrap().drain(..).collect();
            let message = questions[0]["message"].as_str().unwrap();
            assert!(message.contains(&format!("\nEffect: {effect}")), "{message}");
            assert!(message.contains("\n  path: \"/a/\\u{1b}[2Jb\"\n"), "{message}");
        }
    }
}
