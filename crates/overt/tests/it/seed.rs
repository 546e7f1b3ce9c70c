//! A server that speaks the proposal of seed 002 to the letter, as a person tries it.
use overt_testkit::seed::serve;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::inspect::request;
use crate::inspect_targets::inspect;
use crate::output::snapshot;
use crate::support::run;

fn seed() -> String {
    serve::http("127.0.0.1:0".parse().unwrap()).unwrap()
}

const EDIT: [&str; 3] = ["path=a.txt", "find=two", "replace=2"];

fn edit(url: &str, options: &[&str]) -> crate::output::CommandOutput {
    run(&[&["call", url, "edit_file"], &EDIT[..], options, &["--format", "text"]].concat())
}

/// The mark is beside `result`, and both views of the change are foreign content items.
#[test]
fn x_12_a_preview_is_known_by_the_mark_beside_the_result() {
    let url = seed();
    let shown = edit(&url, &["--preview"]);
    snapshot!(shown, @"
    exit 0
    --- stdout
    --- a/a.txt
    +++ b/a.txt
    @@ -1,3 +1,3 @@
     one
    -two
    +2
     three
    ");
    // The same with Overt's own decision between the two.
    let decided = edit(&url, &["--preview", "--grant", "write"]);
    assert_eq!(decided.to_string(), shown.to_string());
    let kept = run(&["call", &url, "read_file", "path=a.txt", "--format", "text"]);
    assert!(kept.contains("two"), "{kept}");
}

#[test]
fn x_12_the_scopes_that_a_server_asks_for_are_read_in_every_place() {
    let (url, state) = (seed(), TempDir::new().unwrap());
    let page = inspect(&state, &[&url]);
    let call = |id: &str, name: &str, arguments: Value, meta: Value| {
        request(&page, id, "tools/call", &json!({ "name": name, "arguments": arguments, "_meta": meta }))
    };
    let path = json!({ "path": "/outside/o.txt" });
    let refused = call("r1", "read_file", path.clone(), json!({}));
    assert_eq!(refused["result"]["structuredContent"]["code"], "PATH_OUTSIDE_ROOT", "{refused}");
    assert_eq!(refused["_meta"]["requested_scopes"], json!(["read:file:/outside"]), "{refused}");
    let granted = call("r2", "read_file", path, json!({ "granted_scopes": ["read:file:/outside"] }));
    assert_eq!(granted["result"]["content"][0]["text"], "outside\n", "{granted}");
    assert!(granted.get("_meta").is_none(), "{granted}");
    // Later servers have the mark inside the error.
    let refused = call("r3", "query", json!({}), json!({}));
    let data = &refused["failure"]["data"];
    assert_eq!(data["_meta"]["requested_scopes"], json!(["write:database"]), "{refused}");
}

#[test]
fn x_08_a_schema_beside_the_capabilities_is_read_and_what_fits_is_sent() {
    let (url, state) = (seed(), TempDir::new().unwrap());
    let page = inspect(&state, &[&url]);
    let (_, told) = page.get("/api/inspect");
    assert_eq!(told["state"], "connected", "{told}");
    assert!(told["configSchema"]["properties"]["read_only"].is_object(), "{told}");
    let configure = |configuration: Value| {
        page.post("/api/inspect/reconnect", &json!({ "configuration": configuration }))
    };
    let (status, told) = configure(json!({ "no_such": 1 }));
    assert_eq!(status, 422, "{told}");
    let (status, told) = configure(json!({ "read_only": true }));
    assert_eq!((status, &told["state"]), (200, &json!("connected")), "{told}");
    let arguments = json!({ "path": "a.txt", "find": "two", "replace": "2" });
    let refused = request(&page, "r1", "tools/call", &json!({ "name": "edit_file", "arguments": arguments }));
    assert_eq!(refused["result"]["structuredContent"]["code"], "PERMISSION_DENIED", "{refused}");
}

#[test]
fn x_44_a_template_on_the_tool_itself_gives_the_sentence() {
    let (url, state) = (seed(), TempDir::new().unwrap());
    let page = inspect(&state, &[&url]);
    let sentence = |tool: &str, arguments: Value| {
        page.post("/api/inspect/intent", &json!({ "tool": tool, "arguments": arguments })).1["sentence"]
            .clone()
    };
    let read = sentence("read_file", json!({ "path": "a.txt" }));
    assert!(read.as_str().is_some_and(|read| read.starts_with("Read ") && read.contains("a.txt")), "{read}");
    let edit = sentence("edit_file", json!({ "path": "a.txt", "find": "x", "replace": "y" }));
    assert!(edit.as_str().is_some_and(|edit| edit.starts_with("Replace ")), "{edit}");
    assert!(sentence("query", json!({})).is_null());
}

/// A call that was made says what it did; the views of it are for hosts that show them.
#[test]
fn h_12_foreign_items_are_no_noise_and_their_page_can_be_saved() {
    let (url, here) = (seed(), TempDir::new().unwrap());
    let file = here.path().join("review.html");
    let shown = edit(&url, &["--review", file.to_str().unwrap()]);
    assert!(!shown.contains("content of type"), "{shown}");
    assert!(shown.contains("Applied edit in a.txt."), "{shown}");
    let page = std::fs::read_to_string(file).unwrap();
    assert!(page.contains("Review of a.txt"), "{page}");
}
