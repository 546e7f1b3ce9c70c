//! Attempts to bypass the decision: odd shapes, other spellings, and calls that come too early.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use overt_layers::audit::{CallOutcome, Kind};
use overt_layers::{Admitted, Control, Endpoint, PolicySnapshot, Rates, ServerDescription};
use overt_policy::Authority;
use overt_policy::rate::RateLimit;
use overt_policy::scope::Scope;
use overt_wire::era::{Caller, Version};
use overt_wire::json::{JsonBuf, Limits};
use overt_wire::{BoxFuture, Exchange, Handler, Message, Method, NoClient, Phase, Principal, Session};
use serde_json::{Value, json};

use super::kit::{Client, ERAS, Era, Notebook, code, is_done};

#[tokio::test]
async fn pol_21_what_names_nothing_that_can_be_judged_is_refused() {
    for era in ERAS {
        let client = Client::new(era, Control::open());
        for (method, params) in [
            ("tools/call", json!({ "name": ["write"], "arguments": { "path": "/a" } })),
            ("tools/call", json!({ "name": 5 })),
            ("tools/call", json!({ "arguments": {} })),
            ("resources/read", json!({ "uri": ["test://closed"] })),
            ("resources/read", json!({})),
            ("prompts/get", json!({ "name": { "a": 1 } })),
            (
                "completion/complete",
                json!({ "ref": { "type": "ref/prompt", "name": ["p"] }, "argument": {} }),
            ),
            ("completion/complete", json!({ "ref": { "type": "ref/other" }, "argument": {} })),
        ] {
            assert_eq!(
                client.send(method, params.clone()).await["error"]["code"],
                -32602,
                "{method} {params}"
            );
        }
        assert!(client.ran().is_empty());
    }
    let client = Client::new(Era::Legacy, Control::open());
    let odd = client.send(
        "tools/call",
        json!({ "name": "write", "arguments": { "path": "/a" }, "_meta": [{ "policy": {} }] }),
    );
    assert_eq!(odd.await["error"]["code"], -32602);
    let bad = client.send("tasks/get", json!({ "taskId": "x", "_meta": { "policy": { "nonsense": 1 } } }));
    assert_eq!(bad.await["error"]["code"], -32602, "also where nothing is decided");
}

/// Lists a tool slowly, and records which calls reach it.
struct Slow {
    calls: Arc<Mutex<Vec<String>>>,
    lists: Arc<AtomicUsize>,
}

impl Endpoint for Slow {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        let exchange = admitted.into_exchange();
        Box::pin(async move {
            let message = &exchange.message;
            let result = match message.method() {
                Some(Method::ToolsList) => {
                    if message.meta().value().is_some() {
                        self.calls.lock().unwrap().push(message.text().to_owned());
                    }
                    self.lists.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    json!({ "tools": [{ "name": "put", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": false } }] })
                }
                _ => {
                    self.calls.lock().unwrap().push(message.text().to_owned());
                    json!({ "content": [] })
                }
            };
            Some(Message::result(message.id()?, JsonBuf::from(&result).as_json()))
        })
    }

    fn description(&self) -> &ServerDescription {
        static DESCRIPTION: LazyLock<ServerDescription> = LazyLock::new(|| ServerDescription::new("server"));
        &DESCRIPTION
    }
}

pub(super) fn legacy(text: &str) -> Exchange {
    let session = Session::new("s".into(), Principal::local(), Arc::new(NoClient));
    let caller = Caller { version: Version::V2025_11_25, capabilities: JsonBuf::empty_object(), info: None };
    session.set_phase(Phase::Ready(Arc::new(caller)));
    let message = Message::parse(text.as_bytes().to_vec(), &Limits::default()).unwrap();
    Exchange::new(message, session, Arc::new(NoClient)).unwrap()
}

#[tokio::test]
async fn calls_that_come_before_the_list_are_decided_by_the_list() {
    let (calls, lists) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
    let mut authority = Authority::open();
    authority.denied.insert(Scope::parse("write").unwrap());
    let endpoint = Slow { calls: Arc::clone(&calls), lists: Arc::clone(&lists) };
    let handler = overt_layers::build(endpoint, Control::new(PolicySnapshot::new(authority)));
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"put","arguments":{}}}"#;
    let all = (0..30).map(|_| {
        let handler = Arc::clone(&handler);
        tokio::spawn(async move { handler.call(legacy(call)).await })
    });
    for one in all.collect::<Vec<_>>() {
        assert!(one.await.unwrap().unwrap().text().contains("PERMISSION_DENIED"));
    }
    assert!(calls.lock().unwrap().is_empty());
    assert_eq!(lists.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn what_a_client_narrows_by_does_not_change_what_is_known_of_a_tool() {
    let (calls, lists) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
    let handler = overt_layers::build(Slow { calls: Arc::clone(&calls), lists }, Control::open());
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"put","arguments":{},"_meta":{"denied_scopes":"write","policy":{"tools":{"allow":["put"]}},"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    assert!(handler.call(legacy(call)).await.unwrap().text().contains("PERMISSION_DENIED"));
    let seen = calls.lock().unwrap();
    // The server is asked which settings it has, because the policy could be for it, and for its
    // list.
    assert!(seen.len() == 2 && seen[1].contains("tools/list"), "{seen:?}");
    assert!(
        !seen.iter().any(|seen| seen.contains("denied_scopes") || seen.contains("\"policy\"")),
        "{seen:?}"
    );
}

#[tokio::test]
async fn rpc_08_a_call_without_an_id_is_no_notification() {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let endpoint = Slow { calls: Arc::clone(&calls), lists: Arc::default() };
    let handler = overt_layers::build(endpoint, Control::open());
    for method in ["tools/call", "resources/read", "prompts/get", "tasks/cancel", "files/format"] {
        let note =
            format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"name":"put","uri":"x:y"}}}}"#);
        assert_eq!(handler.call(legacy(&note)).await, None);
    }
    assert!(calls.lock().unwrap().is_empty(), "{:?}", calls.lock().unwrap());
}

#[tokio::test]
async fn a_policy_of_its_own_does_not_refill_what_everybody_is_counted_by() {
    let three = vec![RateLimit::parse("3/hour").unwrap()];
    for rates in
        [Rates { all: three.clone(), each: Vec::new() }, Rates { all: Vec::new(), each: three.clone() }]
    {
        let client = Client::new(
            Era::Legacy,
            Control::new(PolicySnapshot { rates, ..PolicySnapshot::new(Authority::open()) }),
        );
        let mut done = 0;
        for number in 1..30 {
            let policy = json!({ "limits": { "rate": format!("{number}/hour") } });
            done += usize::from(is_done(&client.call("read", "/a", json!({ "policy": policy })).await));
        }
        assert!(done <= 3, "{done}");
    }
}

#[tokio::test]
async fn pol_06_pol_21_scopes_rules_limits_and_spellings_hold_for_what_is_read() {
    for era in ERAS {
        let client = Client::new(era, Control::open());
        let read = |uri: &str, policy: Value| {
            client.send("resources/read", json!({ "uri": uri, "_meta": { "policy": policy } }))
        };
        for policy in [
            json!({ "scopes": { "allow": [] } }),
            json!({ "scopes": { "allow": ["write"] } }),
            json!({ "scopes": { "deny": ["read"] } }),
            json!({ "limits": { "result_bytes": 10 } }),
            json!({ "resources": { "deny": ["test://open"] } }),
        ] {
            assert_eq!(read("test://open", policy.clone()).await["error"]["code"], -32602, "{policy}");
        }
        let deny = json!({ "resources": { "deny": ["test://closed**"] } });
        for uri in ["test://closed", "TEST://closed", "test://%63losed", "test://closed/x/.."] {
            let refused = read(uri, deny.clone()).await;
            assert!(
                refused["error"]["message"].as_str().unwrap().starts_with("not allowed"),
                "{uri} {refused}"
            );
        }
        assert!(read("test://open", json!({ "scopes": { "allow": ["read"] } })).await["result"].is_object());
    }
}

#[tokio::test]
async fn aud_01_the_record_says_what_the_server_did_not_what_of_it_is_shown() {
    let notebook = Arc::new(Notebook::default());
    let client = Client::new(Era::Legacy, Control::open().ledger(Arc::<Notebook>::clone(&notebook)));
    let small = json!({ "policy": { "limits": { "result_bytes": 10 } } });
    assert_eq!(code(&client.call("read", "/a", small).await), "RESULT_TOO_LARGE");
    let entries = notebook.entries.lock().unwrap();
    let (outcome, _) = entries.iter().find(|(entry, _)| entry.kind == Kind::Outcome).unwrap();
    assert_eq!(outcome.outcome, Some(CallOutcome::Ok));
}

#[tokio::test]
async fn a_plan_for_a_tool_without_plans_runs_nothing() {
    let client = Client::new(Era::Legacy, Control::open());
    for plan in [json!("sha256-x"), json!(3), json!({})] {
        let refused = client.call("write", "/a", json!({ "dev.overt/plan": plan })).await;
        assert_eq!(code(&refused), "PREVIEW_UNSUPPORTED");
    }
    assert!(client.ran().is_empty());
}
