//! Answers that cover more than one call, and answers that no person gave.
use overt_layers::grants::GrantVerdict;
use overt_testkit::person::revoking;
use overt_wire::era::Version;
use serde_json::json;

use crate::kit::{CountedUpstream, EVERY, Over, Person, call, code, text};

/// A yes to the whole server: none of its tools asks again.
#[tokio::test(flavor = "multi_thread")]
async fn everything_of_a_server_is_allowed_until_the_session_ends() {
    for way in EVERY.into_iter().filter(|way| *way != (Over::Http, Version::V2026_07_28)) {
        let place = CountedUpstream::new().await;
        let person = Person::who_says(&json!({ "decision": "session-server" }));
        let client = place.client(way, &[], &person, true).await;
        for path in ["a", "b", "c"] {
            let done = call(&client, "touch", json!({ "path": path }), json!({})).await;
            assert_eq!(text(&done), "touched", "{way:?}: {done}");
        }
        let done = call(&client, "peek", json!({ "path": "a" }), json!({})).await;
        assert_eq!(text(&done), "touched", "{way:?}: {done}");
        assert_eq!((person.asked(), place.count()), (1, 4), "{way:?}");
        let grants = place.store().grants().unwrap();
        assert_eq!(grants.len(), 1, "{grants:?}");
        assert!(grants[0].terms.client.is_some() && grants[0].terms.tools.name().is_none(), "{grants:?}");
    }
}

/// A refusal for good applies to every client and after a restart, and ends when it is revoked.
#[tokio::test(flavor = "multi_thread")]
async fn never_in_this_project_holds_for_every_client() {
    let (stdio, newer) = ((Over::Stdio, Version::V2025_11_25), (Over::Stdio, Version::V2026_07_28));
    let place = CountedUpstream::new().await;
    let person = Person::who_says(&json!({ "decision": "never" }));
    let client = place.client(stdio, &[], &person, true).await;
    let refused = call(&client, "touch", json!({ "path": "a" }), json!({})).await;
    assert!(text(&refused).contains("does not want to be asked again"), "{refused}");
    for way in [stdio, newer] {
        let person = Person::who_says(&json!({ "decision": "once" }));
        let another = place.client(way, &[], &person, true).await;
        let refused = call(&another, "touch", json!({ "path": "b" }), json!({})).await;
        assert!(text(&refused).contains("does not want to be asked again"), "{refused}");
        assert_eq!(person.asked(), 0, "{way:?}");
    }
    let grants = place.store().grants().unwrap();
    assert_eq!((grants.len(), grants[0].terms.verdict), (1, GrantVerdict::Refuse), "{grants:?}");
    place.store().revoke(&revoking(&grants[0])).unwrap();
    person.says(&json!({ "decision": "once" }));
    let done = call(&client, "touch", json!({ "path": "b" }), json!({})).await;
    assert_eq!((text(&done), place.count()), ("touched", 1), "{done}");
}

/// With the default settings, an immediate answer counts as a program's: the question stays open
/// for a person.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_comes_at_once_does_not_count() {
    for way in EVERY {
        let place = CountedUpstream::new().await;
        let person = Person::who_says(&json!({ "decision": "once" }));
        let client = place.client(way, &["--trust-quick-answers=false"], &person, true).await;
        let refused = call(&client, "touch", json!({ "path": "a" }), json!({})).await;
        assert_eq!(code(&refused), "PERMISSION_NOT_GRANTED", "{way:?}: {refused}");
        assert_eq!((person.asked(), place.count()), (1, 0), "{way:?}");
        assert_eq!(place.questions(1).await.len(), 1, "{way:?}");
    }
}
