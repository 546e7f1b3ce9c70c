//! A call waits only while a person can answer. Otherwise it is refused immediately, with advice on
//! what to do (A-22, U-05).
use overt_testkit::person::answering;
use std::sync::Arc;
use std::time::{Duration, Instant};

use overt_layers::grants::{ANSWERABLE, Clock, GrantLifetime};
use serde_json::json;

use crate::kit::{CountedUpstream, EVERY, Person, call, code, text, yes};

#[tokio::test(flavor = "multi_thread")]
async fn u_05_without_anybody_to_ask_a_call_is_refused_at_once() {
    for way in EVERY {
        let place = CountedUpstream::new().await;
        let client = place.client(way, &[], &Person::new(), false).await;
        // The start of the program and the connection are not part of the measurement.
        let _ = call(&client, "no_such_tool", json!({}), json!({})).await;
        let begun = Instant::now();
        let refused = call(&client, "touch", json!({ "path": "a" }), json!({})).await;
        assert!(begun.elapsed() < Duration::from_secs(10), "{way:?}: {:?}", begun.elapsed());
        assert_eq!(code(&refused), "PERMISSION_NOT_GRANTED", "{refused}");
        let said = text(&refused);
        assert!(said.starts_with("Not done: `touch` needs the user's approval"), "{said}");
        assert!(said.contains("open `overt watch` or `overt ui`, where question q-1 is waiting"), "{said}");
        assert_eq!(refused["_meta"]["dev.overt/question"], "q-1");
        // The question stays open, and a yes counts when the same call is made again.
        // The call leaves the question soon after its answer.
        let mut open = place.questions(1).await;
        while open[0].waiting > 0 && begun.elapsed() < Duration::from_secs(10) {
            tokio::time::sleep(Duration::from_millis(10)).await;
            open = place.questions(1).await;
        }
        assert_eq!(open[0].waiting, 0);
        place.store().answer(&answering(&open[0].id, &open[0].question, yes(GrantLifetime::Once))).unwrap();
        let other = call(&client, "touch", json!({ "path": "b" }), json!({})).await;
        assert_eq!(code(&other), "PERMISSION_NOT_GRANTED", "{way:?}: another call: {other}");
        let again = call(&client, "touch", json!({ "path": "a" }), json!({})).await;
        assert_eq!(text(&again), "touched", "{way:?}: {again}");
        let once_more = call(&client, "touch", json!({ "path": "a" }), json!({})).await;
        assert_eq!(code(&once_more), "PERMISSION_NOT_GRANTED", "{way:?}: it was for one call: {once_more}");
        assert_eq!(place.count(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_waits_while_somebody_watches() {
    for way in EVERY {
        let place = CountedUpstream::new().await;
        let watcher = place.store();
        watcher.listen().unwrap();
        let client = Arc::new(place.client(way, &[], &Person::new(), false).await);
        let caller = Arc::clone(&client);
        let running =
            tokio::spawn(async move { call(&caller, "touch", json!({ "path": "a" }), json!({})).await });
        let open = place.questions(1).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(!running.is_finished(), "{way:?}");
        watcher.answer(&answering(&open[0].id, &open[0].question, yes(GrantLifetime::Once))).unwrap();
        let answer = running.await.unwrap();
        assert_eq!(text(&answer), "touched", "{way:?}: {answer}");
    }
}

/// A client that Overt does not know gives up after a minute, so the call gives up before that.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_an_unknown_client_waits_for_fifty_seconds() {
    for way in EVERY {
        let place = CountedUpstream::new().await;
        let watcher = place.store();
        watcher.listen().unwrap();
        let client = Arc::new(place.client(way, &[], &Person::new(), false).await);
        let caller = Arc::clone(&client);
        let begun = Clock::default().now();
        let running =
            tokio::spawn(async move { call(&caller, "touch", json!({ "path": "a" }), json!({})).await });
        let open = place.questions(1).await;
        let asked = Clock::default().now();
        let waits = |since: u64| open[0].question.until - since - ANSWERABLE;
        assert!(waits(begun) >= 50 && waits(asked) <= 50, "{way:?}: {}", waits(asked));
        watcher.answer(&answering(&open[0].id, &open[0].question, yes(GrantLifetime::Once))).unwrap();
        assert_eq!(text(&running.await.unwrap()), "touched", "{way:?}");
    }
}

/// G-41: the time that a person takes does not count as the call's.
#[tokio::test(flavor = "multi_thread")]
async fn g_41_a_person_may_take_longer_than_the_deadline() {
    for way in EVERY {
        let place = CountedUpstream::new().await;
        let options = ["--timeout", "2s", "--approval-wait", "1m"];
        let client = Arc::new(place.client(way, &options, &Person::new(), false).await);
        let caller = Arc::clone(&client);
        let running =
            tokio::spawn(async move { call(&caller, "touch", json!({ "path": "a" }), json!({})).await });
        let open = place.questions(1).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
        place.store().answer(&answering(&open[0].id, &open[0].question, yes(GrantLifetime::Once))).unwrap();
        let answer = running.await.unwrap();
        assert_eq!(text(&answer), "touched", "{way:?}: {answer}");
        assert_eq!(place.count(), 1);
    }
}
