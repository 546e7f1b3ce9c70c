//! POL: a policy in a request only narrows, and only for that request. A policy that would widen is
//! refused and nothing runs.
use overt_layers::{Control, PolicySnapshot};
use overt_policy::{Authority, NoDomain, Policy, Rules};
use serde_json::{Value, json};

use super::kit::{Client, ERAS, code, is_done};

fn policy(value: &Value) -> Policy {
    Policy::parse(value, &NoDomain).unwrap()
}

/// Allows everything below this ceiling.
fn under(ceiling: &Value) -> Control {
    Control::new(PolicySnapshot::new(Authority { ceiling: policy(ceiling), ..Authority::open() }))
}

#[tokio::test]
async fn h_18_a_policy_holds_for_one_call_and_no_longer() {
    for era in ERAS {
        let client = Client::new(era, Control::open());
        for policy in [
            json!({ "tools": { "deny": ["wr*"] } }),
            json!({ "tools": { "allow": ["read"] } }),
            json!({ "tools": { "allow": [] } }),
            json!({ "scopes": { "deny": ["write"] } }),
            json!({ "scopes": { "allow": ["write:file:/a", "read"] } }),
            json!({ "effect": "read" }),
            json!({ "arguments": { "write": { "properties": { "path": { "pattern": "^/a/" } } } } }),
            json!({ "limits": { "argument_bytes": 5 } }),
            json!([{ "tools": { "allow": ["read", "write"] } }, { "tools": { "deny": ["write"] } }]),
        ] {
            let refused = client.call("write", "/b/x", json!({ "policy": policy })).await;
            assert_eq!(code(&refused), "PERMISSION_DENIED", "{policy}");
            assert!(client.ran().is_empty(), "{policy}");
            assert!(refused["result"]["_meta"]["requested_scopes"].is_null(), "X-34: nothing can be granted");
        }
        assert!(is_done(
            &client.call("write", "/b/x", json!({ "policy": { "tools": { "allow": ["write"] } } })).await
        ));
        assert!(is_done(&client.call("write", "/b/x", json!({ "policy": null })).await));
        assert!(is_done(&client.call("write", "/b/x", json!({})).await));
        assert_eq!(client.ran().len(), 3);
    }
}

#[tokio::test]
async fn pol_03_pol_07_pol_12_an_attempt_to_widen_is_an_error_with_its_place_and_nothing_runs() {
    let ceiling = json!({
        "tools": { "allow": ["read", "write"] },
        "scopes": { "allow": ["read:file:/t/base", "write:file:/t/base"] },
        "effect": "mutating",
        "limits": { "result_bytes": 1000, "argument_bytes": 1000, "seconds": 5, "rate": "10/minute" },
    });
    let wider = [
        ("/tools/allow/0", json!({ "tools": { "allow": ["wipe"] } })),
        ("/tools/allow/0", json!({ "tools": { "allow": ["**"] } })),
        ("/scopes/allow/0", json!({ "scopes": { "allow": ["write:file:/t"] } })),
        ("/scopes/allow/0", json!({ "scopes": { "allow": ["write:file:/t/base2"] } })),
        ("/scopes/allow/0", json!({ "scopes": { "allow": ["write"] } })),
        ("/effect", json!({ "effect": "destructive" })),
        ("/limits/result_bytes", json!({ "limits": { "result_bytes": 1_000_000_000_000_u64 } })),
        ("/limits/seconds", json!({ "limits": { "seconds": 1e9 } })),
        ("/limits/rate", json!({ "limits": { "rate": "1000/second" } })),
        // Wider than the policy before it in the chain.
        (
            "/1/limits/result_bytes",
            json!([{ "limits": { "result_bytes": 10 } }, { "limits": { "result_bytes": 20 } }]),
        ),
    ];
    for era in ERAS {
        let client = Client::new(era, under(&ceiling));
        for (place, policy) in &wider {
            let refused = client.call("read", "/t/base/x", json!({ "policy": policy })).await;
            assert_eq!(refused["error"]["code"], -32602, "{policy}: {refused}");
            assert_eq!(refused["error"]["data"]["kind"], "policy_expansion", "{policy}");
            assert_eq!(refused["error"]["data"]["path"], *place, "{policy}");
        }
        assert!(client.ran().is_empty());
        let narrower =
            json!({ "tools": { "allow": ["read"] }, "scopes": { "allow": ["read:file:/t/base/sub"] } });
        assert!(is_done(&client.call("read", "/t/base/sub/x", json!({ "policy": narrower })).await));
    }
}

#[tokio::test]
async fn pol_07_pol_08_pol_09_what_is_no_policy_is_refused_everywhere() {
    let wrong = [
        json!("read"),
        json!(true),
        json!(7),
        json!({ "Tools": {} }),
        json!({ "roots2": [] }),
        json!({ "tools": { "alow": [] } }),
        json!({ "tools": { "deny": ["[a-"] } }),
        json!({ "tools": { "deny": [7] } }),
        json!({ "scopes": { "deny": ["write:file:../x"] } }),
        json!({ "effect": "much" }),
        json!({ "limits": { "seconds": "many" } }),
        json!({ "approval": "never" }),
    ];
    for era in ERAS {
        let client = Client::new(era, Control::open());
        for policy in &wrong {
            for (method, mut params) in [
                ("tools/call", json!({ "name": "write", "arguments": { "path": "/a" } })),
                ("tools/list", json!({})),
                ("resources/read", json!({ "uri": "test://open" })),
            ] {
                params["_meta"] = json!({ "policy": policy });
                let refused = client.send(method, params).await;
                assert_eq!(refused["error"]["code"], -32602, "{method} {policy}: {refused}");
                assert_eq!(refused["error"]["data"]["kind"], "policy_invalid", "{method} {policy}");
            }
        }
        assert!(client.ran().is_empty());
    }
}

#[tokio::test]
async fn pol_05_pol_06_an_empty_allow_list_allows_nothing_and_an_empty_deny_list_takes_nothing_back() {
    let client = Client::new(ERAS[0], under(&json!({ "tools": { "deny": ["wipe"] } })));
    for policy in [
        json!({ "tools": { "deny": [] } }),
        json!({ "tools": { "deny": null } }),
        json!({ "tools": {} }),
        json!({}),
    ] {
        let refused = client.call("wipe", "/a", json!({ "policy": policy })).await;
        assert_eq!(code(&refused), "PERMISSION_DENIED", "{policy}");
    }
    let nothing = json!({ "tools": { "allow": [] } });
    assert_eq!(code(&client.call("read", "/a", json!({ "policy": nothing })).await), "PERMISSION_DENIED");
    assert!(client.ran().is_empty());
}

#[tokio::test]
async fn pol_21_lists_calls_and_resources_follow_one_policy() {
    for era in ERAS {
        let client = Client::new(era, Control::open());
        let policy = json!({
            "tools": { "deny": ["wipe"] }, "effect": "mutating", "resources": { "deny": ["test://closed"] },
        });
        let meta = json!({ "policy": policy });
        let names = |reply: &Value, member: &str, key: &str| -> Vec<String> {
            let entries = reply["result"][member].as_array().unwrap();
            entries.iter().map(|entry| entry[key].as_str().unwrap().to_owned()).collect()
        };
        let tools = client.send("tools/list", json!({ "_meta": meta })).await;
        assert_eq!(
            names(&tools, "tools", "name"),
            ["read", "write", "edit"],
            "an undeclared tool counts as destructive"
        );
        let resources = client.send("resources/list", json!({ "_meta": meta })).await;
        assert_eq!(names(&resources, "resources", "uri"), ["test://open"]);
        let read = |uri: &str| client.send("resources/read", json!({ "uri": uri, "_meta": meta }));
        assert!(read("test://open").await["result"].is_object());
        assert_eq!(read("test://closed").await["error"]["code"], -32602);
        for tool in ["wipe", "bare"] {
            assert_eq!(code(&client.call(tool, "/a", meta.clone()).await), "PERMISSION_DENIED");
        }
        assert!(client.ran().is_empty());
        // Without the policy, all tools are listed again.
        assert_eq!(names(&client.send("tools/list", json!({})).await, "tools", "name").len(), 5);
    }
}

#[tokio::test]
async fn pol_10_pol_11_a_grant_passes_neither_a_policy_nor_a_deny() {
    for era in ERAS {
        let mut authority = Authority::careful();
        authority.denied.insert("write:file:/secrets".parse_scope());
        let client = Client::new(era, Control::new(PolicySnapshot::new(authority)));
        client.will_say("always");
        assert!(is_done(&client.call("write", "/a", json!({})).await));
        // The policy caps what was granted.
        let policy = json!({ "scopes": { "allow": ["read"] } });
        assert_eq!(code(&client.call("write", "/a", json!({ "policy": policy })).await), "PERMISSION_DENIED");
        // No person is asked about a call that no grant can permit.
        assert_eq!(client.questions(), 1);
        assert_eq!(code(&client.call("write", "/secrets/x", json!({})).await), "PERMISSION_DENIED");
        assert_eq!(client.questions(), 0);
        assert_eq!(client.ran(), ["write /a"]);
    }
}

#[tokio::test]
async fn pol_16_pol_23_what_comes_into_force_holds_for_the_next_call() {
    let control = Control::open();
    let client = Client::new(ERAS[0], control.clone());
    assert!(is_done(&client.call("write", "/a", json!({})).await));
    let rules = Rules::parse(&json!([{ "id": "r", "action": "deny", "when": { "tool": "write" } }])).unwrap();
    control.replace(PolicySnapshot::new(Authority { rules, ..Authority::open() }));
    assert_eq!(code(&client.call("write", "/a", json!({})).await), "PERMISSION_DENIED");
    control.replace(PolicySnapshot::new(Authority::open()));
    assert!(is_done(&client.call("write", "/a", json!({})).await));
}

#[tokio::test]
async fn pol_17_without_rules_only_reading_needs_nobody() {
    for era in ERAS {
        let client = Client::named(era, Control::careful(), "alone", json!({}));
        assert!(is_done(&client.call("read", "/a", json!({})).await));
        for tool in ["write", "wipe", "bare"] {
            assert_eq!(code(&client.call(tool, "/a", json!({})).await), "PERMISSION_NOT_GRANTED");
        }
        assert_eq!(client.ran(), ["read /a"]);
        let unknown = client.send("files/format", json!({})).await;
        assert_eq!(unknown["error"]["code"], -32601, "a method that nobody knows is not passed on");
    }
}

trait ParseScope {
    fn parse_scope(&self) -> overt_policy::scope::Scope;
}

impl ParseScope for str {
    fn parse_scope(&self) -> overt_policy::scope::Scope {
        overt_policy::scope::Scope::parse(self).unwrap()
    }
}
