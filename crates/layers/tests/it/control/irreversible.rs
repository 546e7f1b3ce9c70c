//! I-03: a call whose plan says that it can't be undone is asked about each time, whatever is
//! allowed or granted.
use std::sync::Arc;

use overt_layers::Control;
use overt_layers::grants::{Answer, Breadth, Extent, GrantLifetime, MemoryStore, StateStore as _};
use overt_testkit::person::answering;
use serde_json::{Value, json};

use super::kit::{Client, ERAS, HUGE, code};

fn huge() -> String {
    format!("{HUGE}/a")
}

fn ran(reply: &Value) -> bool {
    reply["result"]["isError"].is_null() && reply["result"]["structuredContent"]["path"].is_string()
}

/// This holds even where everything is allowed without asking, and each yes covers one call.
#[tokio::test]
async fn i_03_what_cannot_be_undone_is_asked_about_each_time() {
    for era in ERAS {
        for control in [Control::open(), Control::careful()] {
            let client = Client::new(era, control);
            for _ in 0..2 {
                client.will_say("once");
                let reply = client.call("edit", &huge(), json!({})).await;
                assert!(ran(&reply), "{era:?} {reply}");
                assert_eq!(client.questions(), 1, "{era:?}");
            }
            assert_eq!(client.ran().len(), 2);
            // No answer beyond this call is offered, so such an answer is not a yes.
            for word in ["session", "session-tool", "session-server", "8h", "always"] {
                client.will_say(word);
                let reply = client.call("edit", &huge(), json!({})).await;
                assert!(!ran(&reply) && client.ran().is_empty(), "{era:?} {word} {reply}");
            }
        }
    }
}

#[tokio::test]
async fn i_03_a_standing_grant_does_not_cover_what_cannot_be_undone() {
    for era in ERAS {
        for word in ["session-server", "session-tool"] {
            let client = Client::new(era, Control::careful());
            client.will_say(word);
            assert!(ran(&client.call("edit", "/a", json!({})).await));
            assert!(ran(&client.call("edit", "/b", json!({})).await));
            assert_eq!(client.questions(), 1, "{era:?} {word}");
            let reply = client.call("edit", &huge(), json!({})).await;
            assert!(!ran(&reply), "{era:?} {word} {reply}");
            assert_eq!(client.questions(), 1, "{era:?} {word}");
            assert_eq!(client.ran().len(), 2);
        }
    }
}

/// The question says that the call can't be undone. A preview asks no question.
#[tokio::test]
async fn i_03_the_question_says_that_it_cannot_be_undone() {
    for era in ERAS {
        let client = Client::new(era, Control::open());
        let preview = client.call("edit", &huge(), json!({ "preview": true })).await;
        assert!(ran(&preview), "{preview}");
        assert_eq!(client.questions(), 0);
        client.call("edit", &huge(), json!({})).await;
        let asked = std::mem::take(&mut *client.person.questions.lock().unwrap());
        let said = asked[0]["message"].as_str().unwrap();
        assert!(said.contains("This can't be undone: it is too large to be kept."), "{said}");
        assert!(said.contains("destroys something, can't be undone"), "{said}");
        let choices = &asked[0]["requestedSchema"]["properties"];
        assert_eq!(choices["decision"]["enum"], json!(["once", "no", "no-session", "never"]));
        assert!(choices["extent"].is_null(), "{choices}");
        assert!(client.ran().is_empty());
    }
}

/// A client that can't ask learns why the call was refused and what to do instead. A person can
/// still say yes to this plan.
#[tokio::test]
async fn i_03_a_client_that_cannot_be_asked_is_told_what_to_do() {
    for era in ERAS {
        let store = Arc::new(MemoryStore::default());
        let control = Control::open().store(Arc::<MemoryStore>::clone(&store));
        let client = Client::named(era, control, "alone", json!({}));
        let refused = client.call("edit", &huge(), json!({})).await;
        assert_eq!(code(&refused), "PERMISSION_NOT_GRANTED");
        let text = refused["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("it is too large to be kept, so `edit` could not be undone"), "{text}");
        assert!(text.contains("Edit less."), "{text}");
        let open = store.questions().await.unwrap();
        let yes = |lifetime| Answer::Yes {
            lifetime,
            extent: Extent::Project,
            breadth: Breadth::Call,
            expires: None,
        };
        store.answer(answering(&open[0].id, &open[0].question, yes(GrantLifetime::Once))).await.unwrap();
        assert!(ran(&client.call("edit", &huge(), json!({})).await));
        let again = client.call("edit", &huge(), json!({})).await;
        assert_eq!(code(&again), "PERMISSION_NOT_GRANTED", "one yes, one call");
        assert_eq!(client.ran().len(), 1);
    }
}
