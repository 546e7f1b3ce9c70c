//! `overt inspect` on servers over HTTP, with OAuth, that ask the person, and that take a
//! configuration.
use overt_testkit::oauth::{Habits, World};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::auth::login;
use crate::http::Example;
use crate::inspect::{page, request};
use crate::support::{Script, overt, wait_until};
use crate::ui::Page;

/// Opens a page on a target, and waits until it is connected or has failed.
pub(crate) fn inspect(state: &TempDir, arguments: &[&str]) -> Page {
    let mut command = overt();
    command.env("OVERT_STATE_DIR", state.path()).env("CLAUDE_CODE_CHILD_SESSION", "1");
    let page = Page::run(command.arg("inspect").args(arguments));
    wait_until("the connection is made, or fails", || page.get("/api/inspect").1["state"] != "connecting");
    page
}

fn call(page: &Page, id: &str, tool: &str, arguments: &Value) -> Value {
    request(page, id, "tools/call", &json!({ "name": tool, "arguments": arguments }))
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_server_over_http_is_tried_in_both_eras() {
    let server = Example::start();
    for version in ["2026-07-28", "2025-11-25"] {
        let state = TempDir::new().unwrap();
        let page = inspect(&state, &[&server.url, "--protocol", version]);
        let (_, told) = page.get("/api/inspect");
        assert_eq!((&told["state"], &told["era"]), (&json!("connected"), &json!(version)), "{told}");
        let tools = request(&page, "r1", "tools/list", &json!({}));
        assert!(tools["result"]["tools"].as_array().unwrap().len() > 5, "{version}: {tools}");
        assert!(!text(&call(&page, "r2", "test_simple_text", &json!({}))).is_empty());
        let mut progress = page.events("/api/inspect/events", "progress");
        let with_token =
            json!({ "name": "test_tool_with_progress", "arguments": {}, "_meta": { "progressToken": "r3" } });
        request(&page, "r3", "tools/call", &with_token);
        assert_eq!(progress.next().unwrap()["id"], "r3", "{version}");
    }
}

/// The person answers on the page, also in place of the model if the server asks for one.
#[test]
fn what_a_server_asks_is_answered_on_the_page_in_both_eras() {
    let server = Example::start();
    for version in ["2026-07-28", "2025-11-25"] {
        let state = TempDir::new().unwrap();
        let page = inspect(&state, &[&server.url, "--protocol", version]);
        let mut asked = page.events("/api/inspect/events", "asks");
        let mut answered = |tool: &str, arguments: Value, method: &str, said: (&str, Value)| {
            let params = json!({ "name": tool, "arguments": arguments });
            let body = json!({ "id": tool, "method": "tools/call", "params": params });
            std::thread::scope(|scope| {
                let running = scope.spawn(|| page.post("/api/inspect/requests", &body));
                let question = asked.next().unwrap();
                assert_eq!(question["method"], method, "{version}: {question}");
                let answer = json!({ "id": question["id"], said.0: said.1 });
                assert_eq!(page.post("/api/inspect/answers", &answer).0, 200, "{version}");
                assert_eq!(
                    page.post("/api/inspect/answers", &answer).0,
                    409,
                    "{version}: it is answered once"
                );
                (question, running.join().unwrap().1)
            })
        };
        let content = json!({ "username": "ada", "email": "ada@example.com" });
        let accept = ("result", json!({ "action": "accept", "content": content }));
        let who = json!({ "message": "Who are you?" });
        let (question, answer) = answered("test_elicitation", who, "elicitation/create", accept);
        assert_eq!(question["params"]["message"], "Who are you?", "{version}");
        let schema = &question["params"]["requestedSchema"];
        assert_eq!(schema["required"], json!(["username", "email"]), "{version}");
        assert!(text(&answer).contains("ada@example.com"), "{version}: {answer}");

        let prompt = || json!({ "prompt": "The capital?" });
        let said =
            json!({ "role": "assistant", "model": "me", "content": { "type": "text", "text": "Paris" } });
        let (_, answer) = answered("test_sampling", prompt(), "sampling/createMessage", ("result", said));
        assert_eq!(text(&answer), "LLM response: Paris", "{version}");

        // A legacy server learns of the refusal. A modern server can't be told, so the call ends.
        let no = ("failure", json!({ "code": -1, "message": "I won't say" }));
        let (_, answer) = answered("test_sampling", prompt(), "sampling/createMessage", no);
        let told = if version == "2025-11-25" { &answer["result"] } else { &answer["error"] };
        assert!(told.to_string().contains("I won't say"), "{version}: {answer}");
    }
}

#[test]
fn a_server_that_wants_a_token_says_how_to_get_one() {
    let world = World::start(Habits::default());
    let state = TempDir::new().unwrap();
    let page = inspect(&state, &[&world.url]);
    let (_, told) = page.get("/api/inspect");
    assert_eq!(told["state"], "failed", "{told}");
    assert!(told["problem"].as_str().unwrap().contains("no authorization"), "{told}");
    assert!(told["hint"].as_str().unwrap().contains("`overt login http"), "{told}");
    let refused = page.post("/api/inspect/requests", &json!({ "id": "r1", "method": "ping", "params": {} }));
    assert_eq!(refused.0, 502, "{refused:?}");
    assert_eq!(refused.1["error"]["hint"], told["hint"], "{refused:?}");

    // A person logs in meanwhile, and the page connects again.
    login(&state, &[&world.url]);
    let (_, told) = page.post("/api/inspect/reconnect", &json!({}));
    assert_eq!(told["state"], "connected", "{told}");
    assert!(call(&page, "r2", "narrow", &json!({}))["result"].is_object());
    let (status, answer) = page.post(
        "/api/inspect/requests",
        &json!({ "id": "r3", "method": "tools/call", "params": { "name": "wide", "arguments": {} } }),
    );
    assert!(status == 502 && answer["error"]["message"].as_str().unwrap().contains("wide"), "{answer}");
    assert!(call(&page, "r4", "narrow", &json!({}))["result"].is_object(), "the conversation goes on");
}

#[test]
fn the_page_connects_with_a_configuration_that_fits() {
    let here = TempDir::new().unwrap();
    let page = page(&here);
    let write = |id: &str| {
        let arguments = json!({ "path": format!("{id}.txt"), "content": "x" });
        let answer = call(&page, id, "write_file", &arguments);
        answer["result"].is_object() && answer["result"]["isError"] != true
    };
    assert!(write("w1"));
    let configure = |configuration: Value| {
        page.post("/api/inspect/reconnect", &json!({ "configuration": configuration }))
    };
    let (status, told) = configure(json!({ "read_only": true }));
    assert_eq!((status, &told["state"]), (200, &json!("connected")), "{told}");
    assert!(!write("w2"), "nothing may be changed now");
    for wrong in [json!({ "read_only": "yes" }), json!({ "no_such": 1 }), json!(7)] {
        let (status, told) = configure(wrong.clone());
        assert_eq!(status, 422, "{wrong}: {told}");
        assert!(told["error"]["message"].as_str().unwrap().contains("nothing was changed"), "{told}");
        assert_eq!(page.get("/api/inspect").1["state"], "connected", "the conversation goes on");
    }
    assert!(!write("w3"), "what was sent before still holds");
    assert_eq!(page.post("/api/inspect/reconnect", &json!({})).0, 200);
    assert!(write("w4"), "without a configuration, there is none");
}

/// A server that has nothing but tools.
fn scripted() -> Script {
    Script::with_tools(
        r#"[{"name":"greet","inputSchema":{"type":"object"},"annotations":{"intentTemplate":"Greet {name}"}}]"#,
    )
}

fn inspect_script(script: &Script, state: &TempDir) -> Page {
    let [shell, file] = script.command();
    inspect(state, &["--", &shell, &file])
}

fn count(script: &Script, method: &str) -> usize {
    script.received().matches(&format!(r#""method":"{method}""#)).count()
}

#[test]
fn a_server_without_settings_is_left_alone() {
    let (script, state) = (scripted(), TempDir::new().unwrap());
    let page = inspect_script(&script, &state);
    let (status, told) = page.post("/api/inspect/reconnect", &json!({ "configuration": { "a": 1 } }));
    assert_eq!(status, 409, "{told}");
    assert!(told["error"]["hint"].as_str().unwrap().contains("arguments"), "{told}");
    assert_eq!(page.get("/api/inspect").1["state"], "connected");
    assert_eq!(count(&script, "initialize"), 1);
}

#[test]
fn reconnections_at_the_same_time_come_one_after_the_other() {
    let (script, state) = (scripted(), TempDir::new().unwrap());
    let page = inspect_script(&script, &state);
    std::thread::scope(|scope| {
        let again = || page.post("/api/inspect/reconnect", &json!({}));
        for one in [scope.spawn(again), scope.spawn(again)] {
            let (status, told) = one.join().unwrap();
            assert_eq!(status, 200, "{told}");
        }
    });
    let (_, told) = page.get("/api/inspect");
    assert_eq!(told["state"], "connected", "{told}");
    assert_eq!(count(&script, "initialize"), 3);
    assert!(request(&page, "r1", "tools/list", &json!({}))["result"].is_object());
}

#[test]
fn the_tools_are_listed_once_for_all_sentences() {
    let (script, state) = (scripted(), TempDir::new().unwrap());
    let page = inspect_script(&script, &state);
    let sentence = |name: &str| {
        let asked = json!({ "tool": "greet", "arguments": { "name": name } });
        page.post("/api/inspect/intent", &asked).1["sentence"].clone()
    };
    for name in ["a", "ad", "ada"] {
        assert_eq!(sentence(name), format!("Greet \"{name}\""));
    }
    assert_eq!(count(&script, "tools/list"), 1);
    // The page listed the tools again, because they may have changed.
    request(&page, "r1", "tools/list", &json!({}));
    sentence("ada");
    sentence("ada");
    assert_eq!(count(&script, "tools/list"), 3);
}
