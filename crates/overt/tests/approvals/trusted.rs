//! A server's claims about itself. They may cause more questions, but never fewer until a
//! person agrees.
use overt_wire::era::Version;
use serde_json::json;

use crate::kit::{CountedUpstream, EVERY, Over, Person, call, code, text};

#[tokio::test(flavor = "multi_thread")]
async fn a_02_a_claim_to_only_read_is_asked_about_once() {
    for way in EVERY {
        let place = CountedUpstream::new().await;
        // V-02: without a session, an answer is for one call.
        let has_session = way != (Over::Http, Version::V2026_07_28);
        let (said, asked) = if has_session { ("changes", 1) } else { ("once", 3) };
        let person = Person::who_says(&json!({ "trust": said }));
        let client = place.client(way, &[], &person, true).await;
        for number in 0..3 {
            let answer = call(&client, "peek", json!({ "path": "a" }), json!({})).await;
            assert_eq!(text(&answer), "touched", "{way:?} {number}: {answer}");
        }
        assert_eq!(person.asked(), asked, "{way:?}");
        let shown = person.last_shown();
        assert!(shown.contains("for the first time"), "{shown}");
        assert!(shown.contains("1 of its tools says it only reads: peek"), "{shown}");
        assert!(shown.contains("1 can change something: touch"), "{shown}");
        // The others still ask.
        person.says(&json!({ "decision": "no" }));
        let answer = call(&client, "touch", json!({ "path": "a" }), json!({})).await;
        assert_eq!(code(&answer), "PERMISSION_DENIED", "{way:?}: {answer}");
        assert_eq!((person.asked(), place.count()), (asked + 1, 3));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_02_every_level_of_trust_does_what_it_says() {
    for (level, asks) in [("changes", [1, 1]), ("everything", [2, 1]), ("nothing", [1, 0])] {
        let place = CountedUpstream::new().await;
        let way = EVERY[0];
        let person = Person::who_says(&json!({ "trust": level, "decision": "once" }));
        let client = place.client(way, &[], &person, true).await;
        let answer = call(&client, "peek", json!({ "path": "a" }), json!({})).await;
        assert_eq!(text(&answer), "touched", "{level}: {answer}");
        assert_eq!(person.asked(), asks[0], "{level}: {}", person.last_shown());
        let answer = call(&client, "touch", json!({ "path": "a" }), json!({})).await;
        assert_eq!(text(&answer), "touched", "{level}: {answer}");
        assert_eq!(person.asked(), asks[0] + asks[1], "{level}: {}", person.last_shown());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_02_nobody_to_ask_means_no_and_an_explicit_allow_means_yes() {
    for way in EVERY {
        let place = CountedUpstream::new().await;
        let person = Person::new();
        let client = place.client(way, &[], &person, false).await;
        let refused = call(&client, "peek", json!({ "path": "a" }), json!({})).await;
        assert_eq!(code(&refused), "PERMISSION_NOT_GRANTED", "{way:?}: {refused}");
        assert_eq!(place.count(), 0);
        let place = CountedUpstream::new().await;
        let client = place.client(way, &["--allow", "read"], &person, false).await;
        let answer = call(&client, "peek", json!({ "path": "a" }), json!({})).await;
        assert_eq!(text(&answer), "touched", "{way:?}: {answer}");
    }
}
