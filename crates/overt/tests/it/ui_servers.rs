//! Servers on the page of `overt ui`: what is known of each without starting it, accepting
//! definitions as they were shown, and how far a server is trusted.
use crate::grants_advance::deciding;
use overt_gateway::pins::{Identity, Listing, PinStore, Record};
use overt_wire::json::JsonBuf;
use serde_json::{Value, json};

use crate::day::everything_verifies;
use crate::environment::TestEnvironment;
use crate::support::Script;
use crate::ui::Page;

const READ: &str = r#"{"name":"read","title":"Read","description":"Reads a file.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#;
const READ_AND_SEND: &str = r#"{"name":"read","title":"Read","description":"Reads a file and sends it.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#;
const AND_MORE: &str = r#"{"name":"read","title":"Read","description":"Reads a file, sends it, and more.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}"#;
const WRITE: &str = r#"{"name":"write","inputSchema":{"type":"object"}}"#;

fn identity(day: &TestEnvironment) -> Identity {
    let project = day.path("site");
    Identity::command(&["npx".to_owned(), "files".to_owned()], project.to_str())
}

/// Records that the server has shown this list.
fn seen(day: &TestEnvironment, tools: &[&str]) {
    let tools: Vec<JsonBuf> = tools.iter().map(|tool| JsonBuf::parse(tool).unwrap()).collect();
    let listing = Listing::of(tools.iter().map(JsonBuf::as_json), false);
    let server = identity(day);
    let note = |record: Option<Record>| {
        let mut record = record.unwrap_or_else(|| Record::new(server.clone(), 1_785_229_500));
        record.note(&listing, 1_785_315_900);
        (Some(record), ())
    };
    PinStore::new(&day.state()).decide(&deciding(&server), note).unwrap();
}

fn server_of(page: &Page, name: &str) -> Value {
    let (status, said) = page.get("/api/servers");
    assert_eq!(status, 200, "{said}");
    let servers = said["servers"].as_array().unwrap();
    servers.iter().find(|server| server["name"] == name).unwrap_or_else(|| panic!("{said}")).clone()
}

fn tool(page: &Page, id: &Value, name: &str) -> Value {
    let (status, said) = page.get(&format!("/api/pins/{}", id.as_str().unwrap()));
    assert_eq!(status, 200, "{said}");
    let tools = said["tools"].as_array().unwrap();
    tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("{said}")).clone()
}

#[test]
fn a_server_that_was_never_called_is_known_by_its_tools() {
    let day = TestEnvironment::with_projects();
    seen(&day, &[READ]);
    let page = Page::of_day(&day);
    let known = server_of(&page, "files");
    assert_eq!((&known["calls"], &known["last"], &known["starts"]), (&json!(0), &Value::Null, &Value::Null));
    assert_eq!((&known["pins"]["state"], &known["trust"]), (&json!("accepted"), &Value::Null), "{known}");
    let read = tool(&page, &known["pins"]["id"], "read");
    assert_eq!(read["says"], json!(["only reads"]));
    assert_eq!((&read["basis"], &read["state"]), (&json!("claimed"), &json!("accepted")));
    assert_eq!((&read["title"], &read["description"]), (&json!("Read"), &json!("Reads a file.")));
    assert!(read["tokens"].as_u64().unwrap() > 10, "{read}");
    assert!(read["definition"].as_str().unwrap().contains("\"inputSchema\": {"), "{read}");
    assert_eq!(page.get("/api/pins/00000000").0, 404);
}

#[test]
fn a_server_that_was_used_says_how_that_went() {
    let day = TestEnvironment::with_projects();
    let mut notes = day.notes("claude-code", "site", &["--allow", "execute", "--allow", "write"]);
    notes.call("add", &json!({}));
    notes.call("look", &json!({}));
    notes.end();
    let page = Page::of_day(&day);
    let known = server_of(&page, "notes");
    assert_eq!((&known["calls"], &known["failed"], &known["lost"]), (&json!(2), &json!(0), &json!(0)));
    assert_eq!(known["starts"]["count"], 1, "{known}");
    assert_eq!(known["starts"]["crashes"], 0, "{known}");
    assert!(known["identity"].as_str().unwrap().starts_with("notes#"), "{known}");
    let [add, look] = [0, 1].map(|at| &known["tools"][at]);
    assert_eq!(
        (&add["name"], &add["basis"]),
        (&json!("add"), &Value::Null),
        "nothing is known of it: {known}"
    );
    assert_eq!((&look["effect"], &look["basis"]), (&json!("read"), &json!("claimed")), "{known}");
    assert_eq!(known["pins"]["state"], "accepted", "{known}");
}

#[test]
fn a_server_that_crashed_and_was_started_again_says_so() {
    let day = TestEnvironment::with_projects();
    let tools = r#"[{"name":"fall","inputSchema":{"type":"object"}},{"name":"stand","inputSchema":{"type":"object"}}]"#;
    let crashes = r#"case $line in *'"name":"fall"'*) exit 7 ;; esac
        answer '{"content":[{"type":"text","text":"done"}]}'"#;
    let server = Script::with_tools(tools).on("tools/call", crashes);
    let allowed = ["--allow", "execute", "--allow", "write"];
    let mut notes = day.notes_of(&server, "claude-code", "site", &allowed);
    notes.call("stand", &json!({}));
    assert!(!notes.was_refused(), "{}", notes.last);
    for _ in 0..2 {
        notes.call("fall", &json!({}));
        assert!(notes.was_refused(), "{}", notes.last);
        notes.call("stand", &json!({}));
        assert!(!notes.was_refused(), "{}", notes.last);
    }
    notes.end();
    let page = Page::of_day(&day);
    let known = server_of(&page, "notes");
    assert_eq!((&known["lost"], &known["restarts"]["lost"]), (&json!(2), &json!(2)), "{known}");
    assert_eq!(known["restarts"]["count"], 2, "{known}");
    assert!(known["restarts"]["last"].as_str().unwrap().starts_with("20"), "{known}");
    let losses = known["restarts"]["losses"].as_array().unwrap();
    assert_eq!(losses.len(), 2);
    assert!(losses[0]["reason"].as_str().unwrap().contains("(connected for "), "{known}");
    // The end of the client does not count as a loss, and losses and restarts do not count as
    // calls.
    let query = day.text_in("site", &["audit", "query", "--kind", "upstream_restart", "--format", "text"]);
    assert_eq!(query.matches("upstream_restart").count(), 2, "{query}");
    assert_eq!(known["calls"], 5, "{known}");
    everything_verifies(&day);
}

#[test]
fn a_definition_is_accepted_only_as_it_was_shown() {
    let day = TestEnvironment::with_projects();
    seen(&day, &[READ, WRITE]);
    seen(&day, &[READ_AND_SEND]);
    let page = Page::of_day(&day);
    let known = server_of(&page, "files");
    let id = known["pins"]["id"].clone();
    assert_eq!(known["pins"]["state"], "changed", "{known}");
    let (read, write) = (tool(&page, &id, "read"), tool(&page, &id, "write"));
    assert!(
        read["diff"].as_str().unwrap().contains("+  \"description\": \"Reads a file and sends it.\""),
        "{read}"
    );
    assert_eq!((&read["state"], &write["state"]), (&json!("changed"), &json!("removed")));
    let decide = |decision: &str, tools: &[&Value]| {
        let tools: Vec<Value> =
            tools.iter().map(|tool| json!({ "name": tool["name"], "digest": tool["digest"] })).collect();
        page.post("/api/pins", &json!({ "id": id, "decision": decision, "tools": tools }))
    };
    // The tool changes again before the person has decided.
    seen(&day, &[AND_MORE]);
    let (status, said) = decide("accept", &[&write, &read]);
    assert_eq!(status, 409, "{said}");
    assert_eq!(tool(&page, &id, "write")["state"], "removed", "all or none");
    let now = tool(&page, &id, "read");
    assert_ne!(now["digest"], read["digest"]);
    let (status, said) = decide("accept", &[&now, &write]);
    assert_eq!(status, 200, "{said}");
    assert_eq!(said["words"], "read is accepted; write is forgotten; the server does not list it");
    assert_eq!(server_of(&page, "files")["pins"]["state"], "accepted");
    assert_eq!(decide("accept", &[&now]).0, 409, "there is nothing left to accept");
    assert_eq!(decide("accept", &[]).0, 400);

    seen(&day, &[READ]);
    let other = tool(&page, &id, "read");
    assert_eq!(decide("keep", &[&other]).0, 200);
    let kept = tool(&page, &id, "read");
    assert_eq!(
        (&kept["state"], &kept["description"]),
        (&json!("accepted"), &json!("Reads a file, sends it, and more."))
    );
}

#[test]
fn how_far_a_server_is_believed_is_decided_here() {
    let day = TestEnvironment::with_projects();
    seen(&day, &[READ]);
    let page = Page::of_day(&day);
    let known = server_of(&page, "files");
    let set = |trust: &Value, was: &Value| {
        let body =
            json!({ "server": known["identity"], "project": known["project"], "trust": trust, "was": was });
        page.post("/api/trust", &body)
    };
    let (status, said) = set(&json!("changes"), &Value::Null);
    assert_eq!(status, 200, "{said}");
    assert!(said["words"].as_str().unwrap().ends_with("asks you before changes"), "{said}");
    assert_eq!(server_of(&page, "files")["trust"], "changes");
    assert_eq!(set(&json!("nothing"), &Value::Null).0, 409, "it was decided meanwhile");
    assert_eq!(set(&json!("blindly"), &json!("changes")).0, 400);
    assert_eq!(set(&json!("everything"), &json!("changes")).0, 200);
    assert_eq!(set(&Value::Null, &json!("everything")).0, 200);
    assert_eq!(server_of(&page, "files")["trust"], Value::Null);
    let unknown = json!({ "server": "files#00000000", "project": null, "trust": "nothing", "was": null });
    assert_eq!(page.post("/api/trust", &unknown).0, 404);
    everything_verifies(&day);
}

#[test]
fn a_page_that_an_agent_started_decides_nothing_about_servers() {
    let day = TestEnvironment::with_projects();
    seen(&day, &[READ]);
    seen(&day, &[READ_AND_SEND]);
    let page = Page::of_day_by_agent(&day);
    let known = server_of(&page, "files");
    let read = tool(&page, &known["pins"]["id"], "read");
    let tools = json!([{ "name": "read", "digest": read["digest"] }]);
    for decision in ["accept", "keep"] {
        let body = json!({ "id": known["pins"]["id"], "decision": decision, "tools": tools });
        assert_eq!(page.post("/api/pins", &body).0, 403, "{decision}");
    }
    for trust in [json!("nothing"), Value::Null] {
        let body =
            json!({ "server": known["identity"], "project": known["project"], "trust": trust, "was": null });
        assert_eq!(page.post("/api/trust", &body).0, 403, "{trust}");
    }
    assert_eq!(tool(&page, &known["pins"]["id"], "read"), read);
    assert_eq!(server_of(&page, "files"), known);
}
