//! V-05: a call whose plan says that it changes what can start programs is asked about each time,
//! whatever is allowed or granted, and never in the client's dialog.
use std::sync::Arc;

use overt_layers::Control;
use overt_layers::grants::{
    Answer, AnswerKind, Breadth, Extent, GrantLifetime, MemoryStore, StateStore as _,
};
use overt_layers::person::{Channel, GiveAnswer, PersonAction as _, Reach};
use overt_testkit::person::answering;
use serde_json::{Value, json};

use super::kit::{Client, ERAS, STARTS, code};

fn starts() -> String {
    format!("{STARTS}/a")
}

fn ran(reply: &Value) -> bool {
    reply["result"]["isError"].is_null() && reply["result"]["structuredContent"]["path"].is_string()
}

fn yes(lifetime: GrantLifetime) -> Answer {
    Answer::Yes { lifetime, extent: Extent::Project, breadth: Breadth::Call, expires: None }
}

/// A client that has dialogs is not asked; a person outside of it answers for this call alone.
#[tokio::test]
async fn v_05_no_dialog_is_shown_and_one_yes_from_outside_is_for_one_call() {
    for era in ERAS {
        for control in [Control::open(), Control::careful()] {
            let store = Arc::new(MemoryStore::default());
            let client = Client::new(era, control.store(Arc::<MemoryStore>::clone(&store)));
            for _ in 0..2 {
                client.will_say("once");
                let refused = client.call("edit", &starts(), json!({})).await;
                assert_eq!(code(&refused), "PERMISSION_NOT_GRANTED", "{era:?} {refused}");
                assert_eq!((client.questions(), client.ran().len()), (0, 0), "{era:?}");
                let text = refused["result"]["content"][0]["text"].as_str().unwrap();
                assert!(text.contains("Not done: `a` is a git hook, which can start programs"), "{text}");
                assert!(
                    text.contains("not in a dialog of this client") && text.contains("overt watch"),
                    "{text}"
                );
                let open = store.questions().await.unwrap();
                let question = &open[0].question;
                assert_eq!(question.guarded(), Some("`a` is a git hook"));
                let said = question.to_text(&open[0].id);
                assert!(
                    said.contains("This can start programs or permit tools: `a` is a git hook."),
                    "{said}"
                );
                let offered: Vec<AnswerKind> =
                    question.choices(0).into_iter().map(|choice| choice.kind).collect();
                assert!(offered.iter().all(|kind| {
                    use AnswerKind::{NeverProject, No, NoSession, Once};
                    matches!(kind, Once | No | NoSession | NeverProject)
                }));
                store.answer(answering(&open[0].id, question, yes(GrantLifetime::Once))).await.unwrap();
                let reply = client.call("edit", &starts(), json!({})).await;
                assert!(ran(&reply), "{era:?} {reply}");
                assert_eq!(client.ran().drain(..).count(), 1, "one yes, one call");
            }
        }
    }
}

/// A yes in a dialog does not reach so far, however it comes about. A no does.
#[tokio::test]
async fn v_05_a_yes_through_a_dialog_does_not_reach_so_far() {
    let store = Arc::new(MemoryStore::default());
    let client = Client::new(ERAS[0], Control::open().store(Arc::<MemoryStore>::clone(&store)));
    client.call("edit", &starts(), json!({})).await;
    let open = store.questions().await.unwrap();
    let (id, question) = (&open[0].id, &open[0].question);
    for (answer, reach) in [(yes(GrantLifetime::Once), Reach::Everywhere), (Answer::No, Reach::Call)] {
        let dialog = GiveAnswer::in_dialog(id.clone(), question.clone(), answer, None);
        assert_eq!(dialog.reach(), reach);
    }
    assert!(Reach::Everywhere > Channel::Dialog.reach());
    assert!(Reach::Everywhere <= Channel::Terminal.reach() && Reach::Everywhere <= Channel::Page.reach());
}

#[tokio::test]
async fn v_05_a_standing_grant_does_not_cover_what_starts_programs() {
    for era in ERAS {
        for word in ["session-server", "session-tool"] {
            let client = Client::new(era, Control::careful());
            client.will_say(word);
            assert!(ran(&client.call("edit", "/a", json!({})).await));
            let refused = client.call("edit", &starts(), json!({})).await;
            assert_eq!(code(&refused), "PERMISSION_NOT_GRANTED", "{era:?} {word}");
            assert_eq!(client.ran().len(), 1, "{era:?} {word}");
            let preview = client.call("edit", &starts(), json!({ "preview": true })).await;
            assert!(ran(&preview), "a preview is not asked about: {preview}");
        }
    }
}
