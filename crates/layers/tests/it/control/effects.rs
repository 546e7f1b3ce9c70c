//! V-04: a call is decided by what its plan does. A call that deletes is a deletion, whatever its
//! tool declares.
use std::sync::Arc;

use overt_layers::record::{Effect, ToolRecord};
use overt_layers::{Control, PolicySnapshot};
use overt_policy::{Authority, NoDomain, Policy, Rules};
use overt_toolbox::{Change, Plan, Server, Tool, Toolbox};
use serde_json::{Value, json};

use super::kit::{Client, ERAS, Era, Ran, code};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Path {
    path: String,
}

/// A client of a server with `undo`, which is declared as mutating. It deletes below `/made`, moves
/// below `/moved`, is asked about each time below `/hook`, and edits elsewhere.
fn client(era: Era, control: Control) -> Client {
    let ran = Ran::default();
    let applied = Arc::clone(&ran);
    let undo = Tool::mutating(
        "undo",
        "Undoes it.",
        |Path { path }: Path, _| {
            let plan = Plan::new(path.clone(), json!({ "path": path }));
            let plan = match &*path {
                path if path.starts_with("/made") => {
                    plan.change(Change::deleted(path, "text")).acts_as(Some("delete_file"))
                }
                path if path.starts_with("/moved") => {
                    plan.change(Change::moved("/from", path, "text")).acts_as(Some("move_file"))
                }
                path if path.starts_with("/hook") => plan
                    .change(Change::edited(path, "old", "new"))
                    .asked_each_time(Some("git runs it by itself".to_owned())),
                path => plan.change(Change::edited(path, "old", "new")),
            };
            std::future::ready(Ok(plan))
        },
        move |path: String, _| {
            applied.lock().unwrap().push(path);
            std::future::ready(Ok(()))
        },
    );
    let record =
        ToolRecord { scopes: vec!["write:file:{path}".to_owned()], ..ToolRecord::new(Effect::Mutating) };
    let toolbox = Toolbox::new(Server::new("files", "1.0.0", "Only for tests."))
        .project(Some("/home/ada/site".to_owned()))
        .tool(undo.declare(record))
        .build()
        .unwrap();
    let handler = overt_layers::build(toolbox, control);
    Client::on(handler, ran, era, "session", json!({ "elicitation": {} }))
}

/// Allows changes without asking, and asks about what deletes.
fn asking_about_deletions() -> Authority {
    Authority { honour_declared_approval: true, ..Authority::open() }
}

fn control(authority: Authority) -> Control {
    Control::new(PolicySnapshot::new(authority))
}

fn ran(reply: &Value) -> bool {
    reply["result"]["isError"].is_null() && reply["result"]["structuredContent"]["path"].is_string()
}

#[tokio::test]
async fn v_04_a_call_that_deletes_is_asked_about_as_a_deletion() {
    for era in ERAS {
        let client = client(era, control(asking_about_deletions()));
        for path in ["/edited", "/moved/a"] {
            assert!(ran(&client.call("undo", path, json!({})).await), "{era:?} {path}");
        }
        assert_eq!(client.questions(), 0, "{era:?}");
        let refused = client.call("undo", "/made/a", json!({})).await;
        assert!(!ran(&refused), "{era:?} {refused}");
        let asked = std::mem::take(&mut *client.person.questions.lock().unwrap());
        let said = asked[0]["message"].as_str().unwrap();
        assert!(said.contains("1 deleted") && said.contains("Effect: destroys something"), "{said}");
        client.will_say("once");
        assert!(ran(&client.call("undo", "/made/a", json!({})).await), "{era:?}");
        assert_eq!(client.ran(), ["/edited", "/moved/a", "/made/a"], "{era:?}");
        // A preview deletes nothing, so it needs no approval.
        let preview = client.call("undo", "/made/a", json!({ "preview": true })).await;
        assert!(ran(&preview) && client.ran().is_empty(), "{era:?} {preview}");
    }
}

/// A yes to calls that edit does not cover a call that deletes, however far it reaches.
#[tokio::test]
async fn v_04_a_yes_to_edits_does_not_reach_a_deletion() {
    for era in ERAS {
        for word in ["session-tool", "session-server"] {
            let client = client(era, control(Authority::careful()));
            client.will_say(word);
            assert!(ran(&client.call("undo", "/edited", json!({})).await), "{era:?} {word}");
            assert!(ran(&client.call("undo", "/moved/b", json!({})).await), "{era:?} {word}");
            assert_eq!(client.questions(), 1, "{era:?} {word}");
            assert!(!ran(&client.call("undo", "/made/a", json!({})).await), "{era:?} {word}");
            let asked = std::mem::take(&mut *client.person.questions.lock().unwrap());
            let choices = &asked[0]["requestedSchema"]["properties"]["decision"]["enum"];
            assert_eq!(*choices, json!(["once", "no", "no-session", "never"]), "{era:?} {word}");
        }
    }
}

/// Deny lists, rules and effects see what the call does. What is denied is not asked about.
#[tokio::test]
async fn v_04_deny_lists_and_rules_see_the_inner_effect() {
    let policy = |policy: Value| Policy::parse(&policy, &NoDomain).unwrap();
    let under = |ceiling| Authority { ceiling: policy(ceiling), ..asking_about_deletions() };
    let ruled = |rule| Authority { rules: Rules::parse(&json!([rule])).unwrap(), ..asking_about_deletions() };
    let denied = [
        (under(json!({ "tools": { "deny": ["delete_*"] } })), "/made/a"),
        (under(json!({ "tools": { "deny": ["move_*"] } })), "/moved/a"),
        (under(json!({ "effect": "mutating" })), "/made/a"),
        (ruled(json!({ "id": "r", "action": "deny", "when": { "tool": "delete_*" } })), "/made/a"),
        (
            ruled(json!({ "id": "r", "action": "deny", "when": { "effect_at_least": "destructive" } })),
            "/made/a",
        ),
    ];
    for era in ERAS {
        for (authority, path) in &denied {
            let client = client(era, control(authority.clone()));
            let refused = client.call("undo", path, json!({})).await;
            assert_eq!(code(&refused), "PERMISSION_DENIED", "{era:?} {path}");
            let preview = client.call("undo", path, json!({ "preview": true })).await;
            assert_eq!(code(&preview), "PERMISSION_DENIED", "{era:?} {path}");
            assert!(ran(&client.call("undo", "/edited", json!({})).await), "{era:?} {path}");
            assert_eq!((client.questions(), client.ran()), (0, vec!["/edited".to_owned()]), "{era:?}");
        }
        // The policy of one call can deny it too.
        let client = client(era, control(Authority::open()));
        let meta = json!({ "policy": { "tools": { "deny": ["delete_file"] } } });
        let refused = client.call("undo", "/made/a", meta).await;
        assert_eq!(code(&refused), "PERMISSION_DENIED", "{era:?}");
        let said = refused["result"]["content"][0]["text"].as_str().unwrap();
        assert!(said.contains("this call of `undo` does what `delete_file` does"), "{said}");
        assert!(client.ran().is_empty(), "{era:?}");
    }
}

/// A list of allowed tools is about what is called.
#[tokio::test]
async fn v_04_an_allow_list_names_what_is_called() {
    let policy = Policy::parse(&json!({ "tools": { "allow": ["undo"] } }), &NoDomain).unwrap();
    let client = client(ERAS[0], control(Authority { ceiling: policy, ..asking_about_deletions() }));
    client.will_say("once");
    assert!(ran(&client.call("undo", "/made/a", json!({})).await));
    assert_eq!(client.questions(), 1);
}

/// A plan can have another reason to ask each time. The question says it.
#[tokio::test]
async fn v_04_what_a_plan_wants_asked_each_time_is_asked_each_time() {
    for era in ERAS {
        let client = client(era, control(Authority::open()));
        for _ in 0..2 {
            client.will_say("once");
            assert!(ran(&client.call("undo", "/hook", json!({})).await), "{era:?}");
            let asked = std::mem::take(&mut *client.person.questions.lock().unwrap());
            let said = asked[0]["message"].as_str().unwrap();
            assert!(said.contains("You are asked about each such call: git runs it by itself."), "{said}");
        }
        client.will_say("session-server");
        assert!(!ran(&client.call("undo", "/hook", json!({})).await), "{era:?}");
    }
}
