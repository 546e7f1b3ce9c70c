//! `overt inspect`: trying a server through the page's API.
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{overt, wait_until};
use crate::ui::Page;

/// Opens a page on the file server over a folder with one file.
pub(crate) fn page(here: &TempDir) -> Page {
    std::fs::write(here.path().join("notes.txt"), "one\n").unwrap();
    let state = here.path().join("state");
    let served = here.path().to_string_lossy().into_owned();
    let program = env!("CARGO_BIN_EXE_overt");
    // Overt's own settings are not passed on to the servers that it starts.
    let own_state = format!("OVERT_STATE_DIR={}", here.path().join("own").display());
    let page =
        Page::run(overt().env("OVERT_STATE_DIR", &state).env("CLAUDE_CODE_CHILD_SESSION", "1").args([
            "inspect",
            "--env",
            &own_state,
            "--",
            program,
            "fs",
            &served,
            "--allow-all",
        ]));
    wait_until("the server is connected", || page.get("/api/inspect").1["state"] == "connected");
    page
}

pub(crate) fn request(page: &Page, id: &str, method: &str, params: &Value) -> Value {
    let (status, answer) =
        page.post("/api/inspect/requests", &json!({ "id": id, "method": method, "params": params }));
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["id"], id);
    answer
}

#[test]
fn a_server_is_tried_and_what_was_asked_is_exported() {
    let here = TempDir::new().unwrap();
    let page = page(&here);
    assert_eq!(page.get("/api/hello").1["inspect"], true);
    let (_, state) = page.get("/api/inspect");
    assert_eq!(state["server"]["name"], "overt-fs", "{state}");
    assert!(state["milliseconds"].as_f64().unwrap() > 0.0);

    let tools = request(&page, "r1", "tools/list", &json!({}));
    assert!(tools["result"]["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "edit_file"));
    let arguments = json!({ "path": "notes.txt", "edits": [{ "old_text": "one", "new_text": "two" }] });
    let call = json!({ "name": "edit_file", "arguments": arguments, "_meta": { "preview": true } });
    let preview = request(&page, "r2", "tools/call", &call);
    let plan = &preview["result"]["_meta"]["dev.overt/plan"];
    assert!(plan.is_string(), "{preview}");
    assert_eq!(std::fs::read_to_string(here.path().join("notes.txt")).unwrap(), "one\n");
    let apply = json!({ "name": "edit_file", "arguments": arguments, "_meta": { "dev.overt/plan": plan } });
    let applied = request(&page, "r3", "tools/call", &apply);
    assert_ne!(applied["result"]["isError"], true, "{applied}");
    assert_eq!(std::fs::read_to_string(here.path().join("notes.txt")).unwrap(), "two\n");

    // An error from the server is an answer too, such as for an unknown method.
    let refused = request(&page, "r4", "no/such", &json!({}));
    assert_eq!(refused["failure"]["code"], -32601, "{refused}");

    let (_, exported) = page.post("/api/inspect/export", &json!({ "requests": ["r4", "r1"] }));
    let lines: Vec<Value> = exported["transcript"]
        .as_str()
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["method"], "no/such");
    assert_eq!(lines[1]["result"], tools["result"]);
    assert_eq!(page.post("/api/inspect/export", &json!({ "requests": ["r9"] })).0, 409);
}

#[test]
fn sentences_schemas_and_mistakes() {
    let here = TempDir::new().unwrap();
    let page = page(&here);
    let asked = json!({ "tool": "delete_file", "arguments": { "path": "notes.txt" } });
    let (_, intent) = page.post("/api/inspect/intent", &asked);
    assert!(intent["sentence"].as_str().unwrap().contains("notes.txt"), "{intent}");
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let (_, found) = page.post("/api/inspect/validate", &json!({ "schema": schema, "value": { "n": "x" } }));
    assert_eq!(found["problems"][0]["path"], "/n", "{found}");
    let (_, fine) = page.post("/api/inspect/validate", &json!({ "schema": schema, "value": { "n": 1 } }));
    assert_eq!(fine["problems"], json!([]));
    let bad = json!({ "schema": { "type": 7 }, "value": 1 });
    assert_eq!(page.post("/api/inspect/validate", &bad).0, 422);
    assert_eq!(page.post("/api/inspect/requests", &json!({ "id": "r1" })).0, 400);
    assert_eq!(page.post("/api/inspect/answers", &json!({ "id": "e1", "result": {} })).0, 409);
    assert_eq!(page.post("/api/inspect/cancel", &json!({ "id": "r1" })).1["cancelled"], false);
    assert_eq!(page.get("/api/inspect/none").0, 404);
    // Connecting again starts a new conversation.
    let (_, again) = page.post("/api/inspect/reconnect", &json!({}));
    assert_eq!(again["state"], "connected", "{again}");
    assert!(request(&page, "r2", "tools/list", &json!({}))["result"].is_object());
}

#[test]
fn a_server_that_does_not_start_is_told() {
    let here = TempDir::new().unwrap();
    let page =
        Page::run(overt().env("OVERT_STATE_DIR", here.path()).env("CLAUDE_CODE_CHILD_SESSION", "1").args([
            "inspect",
            "--",
            "/no/such/program",
        ]));
    wait_until("the failure is told", || page.get("/api/inspect").1["state"] == "failed");
    let (_, state) = page.get("/api/inspect");
    assert!(state["problem"].as_str().unwrap().contains("/no/such/program"), "{state}");
    let (status, answer) =
        page.post("/api/inspect/requests", &json!({ "id": "r1", "method": "ping", "params": {} }));
    assert_eq!(status, 502, "{answer}");
}

#[test]
fn exported_requests_are_made_again() {
    let here = TempDir::new().unwrap();
    let page = page(&here);
    let read = json!({ "name": "read_file", "arguments": { "path": "notes.txt" } });
    request(&page, "r1", "tools/call", &read);
    request(&page, "r2", "no/such", &json!({}));
    let (_, exported) = page.post("/api/inspect/export", &json!({ "requests": ["r1", "r2"] }));
    let file = here.path().join("requests.jsonl");
    std::fs::write(&file, exported["transcript"].as_str().unwrap()).unwrap();
    let again = || {
        let served = here.path().to_string_lossy().into_owned();
        let state = format!("OVERT_STATE_DIR={}", here.path().join("again").display());
        let program = env!("CARGO_BIN_EXE_overt");
        let mut command = overt();
        command.args(["call", "--replay", &file.to_string_lossy(), "--format", "json", "--env", &state]);
        let output = command.args(["--", program, "fs", &served, "--allow-all"]).output().unwrap();
        let answer: Value = serde_json::from_str(&String::from_utf8_lossy(&output.stdout))
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        (output.status.code(), answer)
    };
    let (code, answer) = again();
    assert_eq!((code, &answer["different"]), (Some(0), &json!(0)), "{answer}");
    std::fs::write(here.path().join("notes.txt"), "other\n").unwrap();
    let (code, answer) = again();
    assert_eq!((code, &answer["different"]), (Some(1), &json!(1)), "{answer}");
    assert_eq!(answer["requests"][0]["same"], false);
    assert_eq!(answer["requests"][1]["same"], true);
}
