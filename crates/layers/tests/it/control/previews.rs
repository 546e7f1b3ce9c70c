//! Previews under control: a preview needs no approval, but a denied call stays denied.
use overt_layers::Control;
use serde_json::{Value, json};

use super::kit::{Client, ERAS, code};

fn diff(reply: &Value) -> &str {
    reply["result"]["_meta"]["dev.overt/review"]["diff"].as_str().unwrap_or_else(|| panic!("{reply}"))
}

#[tokio::test]
async fn h_01_a_person_sees_the_changes_before_anybody_is_asked_for_them() {
    for era in ERAS {
        let client = Client::new(era, Control::careful());
        let shown = client.call("edit", "/a", json!({ "preview": true })).await;
        assert_eq!(shown["result"]["_meta"]["preview"], true, "{shown}");
        assert_eq!((client.questions(), client.ran().len()), (0, 0));
        let read = client.send("resources/read", json!({ "uri": diff(&shown) })).await;
        assert!(read["result"]["contents"][0]["text"].as_str().unwrap().contains("-old"), "{read}");
        // The real call asks, and must match the plan.
        client.will_say("once");
        let plan = shown["result"]["_meta"]["dev.overt/plan"].clone();
        let done = client.call("edit", "/a", json!({ "dev.overt/plan": plan })).await;
        assert!(done["result"]["isError"].is_null(), "{done}");
        assert_eq!((client.questions(), client.ran()), (1, vec!["edit /a".to_owned()]));
        client.will_say("once");
        let other = client.call("edit", "/b", json!({ "dev.overt/plan": plan })).await;
        assert_eq!(code(&other), "PLAN_CHANGED");
        assert!(client.ran().is_empty());
    }
}

#[tokio::test]
async fn what_is_denied_is_not_shown_either() {
    for era in ERAS {
        let client = Client::new(era, Control::careful());
        for policy in [
            json!({ "tools": { "deny": ["edit"] } }),
            json!({ "scopes": { "deny": ["write"] } }),
            json!({ "scopes": { "deny": ["read:file:/a"], "allow": ["read", "write:file:/a"] } }),
            json!({ "effect": "read" }),
        ] {
            let refused = client.call("edit", "/a", json!({ "preview": true, "policy": policy })).await;
            assert!(refused["result"]["isError"] == true, "{policy}: {refused}");
        }
        // A caller whose policy denies the call can't see what it would change either.
        let shown = client.call("edit", "/a", json!({ "preview": true })).await;
        let policy = json!({ "scopes": { "deny": ["write:file:/a"] } });
        let read = client
            .send("resources/read", json!({ "uri": diff(&shown), "_meta": { "policy": policy } }))
            .await;
        assert_eq!(read["error"]["code"], -32602, "{read}");
    }
}

#[tokio::test]
async fn h_02_a_declared_change_without_previews_does_not_run_as_one() {
    for era in ERAS {
        let client = Client::new(era, Control::open());
        for tool in ["write", "wipe", "bare"] {
            let refused = client.call(tool, "/a", json!({ "preview": true })).await;
            assert_eq!(code(&refused), "PREVIEW_UNSUPPORTED", "{era:?} {tool}");
        }
        assert!(client.ran().is_empty(), "{era:?}");
        client.call("read", "/a", json!({ "preview": true })).await;
        assert_eq!(client.ran(), ["read /a"], "{era:?}: reading is its own preview");
    }
}
