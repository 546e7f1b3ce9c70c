//! Many equal calls at once: one question for each session, and a result for every call.
use overt_testkit::person::answering;
use std::sync::Arc;
use std::time::Duration;

use futures_join::join_all;
use overt_layers::grants::GrantLifetime;
use overt_wire::era::Version;
use serde_json::json;

use crate::kit::{CountedUpstream, EVERY, Over, Person, call, everywhere, is_error, text, yes};

#[tokio::test(flavor = "multi_thread")]
async fn a_01_equal_calls_of_a_session_need_one_answer() {
    for (over, version) in EVERY {
        for many in [2, 50] {
            let place = CountedUpstream::new().await;
            let person = Person::new();
            // The client can't ask. A person answers in the store while all calls wait.
            let client =
                Arc::new(place.client((over, version), &["--approval-wait", "2m"], &person, false).await);
            let calls: Vec<_> = (0..many)
                .map(|_| {
                    let client = Arc::clone(&client);
                    tokio::spawn(
                        async move { call(&client, "touch", json!({ "path": "a" }), json!({})).await },
                    )
                })
                .collect();
            let open = place.questions(1).await;
            wait_for_all(&place, many).await;
            assert_eq!(place.questions(1).await.len(), 1, "{over:?} {version}: one question");
            // A client without a session can't get a session grant, and over HTTP there is no
            // project. So the lasting answer covers the tool in every project.
            let answer = match open[0].question.holder.has_session() {
                true => yes(GrantLifetime::Session),
                false => everywhere(),
            };
            place.store().answer(&answering(&open[0].id, &open[0].question, answer)).unwrap();
            let results = join_all(calls).await;
            let done = results.iter().filter(|result| text(result) == "touched").count();
            assert_eq!(
                done,
                many,
                "{over:?} {version}: {:?}",
                results.iter().find(|result| is_error(result))
            );
            assert_eq!(place.count(), many);
            assert!(place.store().questions().unwrap().is_empty(), "{over:?} {version}");
        }
    }
}

/// 1,000 equal calls over four sessions cause four questions and get 1,000 results.
#[tokio::test(flavor = "multi_thread")]
async fn a_01_a_thousand_calls_over_four_sessions_are_four_questions() {
    let place = CountedUpstream::new().await;
    let (each, sessions) = (250, 4);
    let mut calls = Vec::new();
    for _ in 0..sessions {
        let way = (Over::Http, Version::V2025_11_25);
        let client = Arc::new(place.client(way, &["--approval-wait", "5m"], &Person::new(), false).await);
        calls.extend((0..each).map(|_| {
            let client = Arc::clone(&client);
            tokio::spawn(async move { call(&client, "touch", json!({ "path": "a" }), json!({})).await })
        }));
    }
    let open = place.questions(sessions).await;
    wait_for_all(&place, sessions * each).await;
    assert_eq!(place.questions(sessions).await.len(), sessions);
    assert_eq!(place.count(), 0, "nothing runs before the answer");
    for question in open {
        place
            .store()
            .answer(&answering(&question.id, &question.question, yes(GrantLifetime::Session)))
            .unwrap();
    }
    let results = join_all(calls).await;
    let done = results.iter().filter(|result| text(result) == "touched").count();
    assert_eq!(done, sessions * each, "{:?}", results.iter().find(|result| is_error(result)));
    assert_eq!(place.count(), sessions * each);
}

/// A grant releases other waiting calls of the same tool that it covers, each with its own
/// arguments.
#[tokio::test(flavor = "multi_thread")]
async fn a_01_a_grant_releases_every_waiting_call_that_it_covers() {
    for (over, version) in [EVERY[0], EVERY[2]] {
        let place = CountedUpstream::new().await;
        let person = Person::new();
        let client =
            Arc::new(place.client((over, version), &["--approval-wait", "2m"], &person, false).await);
        let calls: Vec<_> = (0..5)
            .map(|number| {
                let client = Arc::clone(&client);
                let arguments = json!({ "path": format!("{number}") });
                tokio::spawn(async move { call(&client, "touch", arguments, json!({})).await })
            })
            .collect();
        let open = place.questions(5).await;
        place
            .store()
            .answer(&answering(&open[2].id, &open[2].question, yes(GrantLifetime::Session)))
            .unwrap();
        let results = join_all(calls).await;
        assert!(results.iter().all(|result| text(result) == "touched"), "{over:?} {results:?}");
        assert_eq!(place.store().grants().unwrap().len(), 1);
    }
}

/// Waits until this many calls wait for an answer.
async fn wait_for_all(place: &CountedUpstream, many: usize) {
    for _ in 0..1200 {
        let waiting: u32 = place.store().questions().unwrap().iter().map(|open| open.waiting).sum();
        if waiting as usize >= many {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!(
        "{many} calls should wait, not {:?}",
        place.store().questions().unwrap().iter().map(|o| o.waiting).sum::<u32>()
    );
}

/// `futures::future::join_all`, for tasks.
mod futures_join {
    use tokio::task::JoinHandle;

    pub(super) async fn join_all<T>(tasks: Vec<JoinHandle<T>>) -> Vec<T> {
        let mut results = Vec::with_capacity(tasks.len());
        for task in tasks {
            results.push(task.await.unwrap());
        }
        results
    }
}
