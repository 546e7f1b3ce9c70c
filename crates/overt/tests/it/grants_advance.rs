//! `overt grants allow TOOL` and `deny TOOL`; wider answers and refusals in the lists.
use overt_gateway::pins::{DecidePins, Decision, Identity, Listing, PinStore, Record};
use overt_layers::grants::{Answer, Broader, GrantVerdict, Question, QuestionState, every_scope};
use overt_layers::person::Authorised;
use overt_testkit::person::authorised;
use overt_wire::json::JsonBuf;

use crate::environment::TestEnvironment;
use crate::grants::write_a_file;
use crate::support::{overt, report};

/// A decision about tools of a server, with which a test writes its record.
pub(crate) fn deciding(identity: &Identity) -> Authorised<DecidePins> {
    let (identity, server) = (identity.clone(), identity.text());
    authorised(DecidePins { identity, server, decision: Decision::Accept, tools: Vec::new() })
}

/// Stores the tools of two servers.
pub(crate) fn remembered(state: &TestEnvironment) {
    for (url, tools) in [
        ("https://memory.example/mcp", [r#"{"name":"create_entities"}"#, r#"{"name":"search"}"#]),
        ("https://web.example/mcp", [r#"{"name":"fetch"}"#, r#"{"name":"search"}"#]),
    ] {
        let identity = Identity::url(url);
        let tools = tools.map(|tool| JsonBuf::parse(tool).unwrap());
        let listing = Listing::of(tools.iter().map(JsonBuf::as_json), false);
        let note = |_: Option<Record>| {
            let mut record = Record::new(identity.clone(), 1_785_229_500);
            record.note(&listing, 1_785_229_500);
            (Some(record), ())
        };
        PinStore::new(&state.state()).decide(&deciding(&identity), note).unwrap();
    }
}

#[test]
fn a_25_a_tool_is_allowed_by_its_name_alone() {
    let state = TestEnvironment::new();
    let project = state.state().to_string_lossy().into_owned();
    let said = state.grants(&[
        "allow",
        "write_file",
        "--server",
        "memory#0a1b2c3d",
        "--project",
        &project,
        "--format",
        "text",
    ]);
    let wanted = format!(
        "g-1 allows tool `write_file` of server `memory#0a1b2c3d`, whatever its arguments are, in {project}, until revoked"
    );
    assert!(said.contains(&wanted), "{said}");
    let grants = state.store.grants().unwrap();
    assert_eq!(
        (grants[0].terms.verdict, grants[0].terms.scopes.clone()),
        (GrantVerdict::Allow, every_scope())
    );
    assert_eq!(grants[0].terms.project.as_deref(), Some(project.as_str()));
    // A limited time, given with the option's current name and its old name.
    for (option, id) in [("--for", "g-2"), ("--expires", "g-3")] {
        let said = state.grants(&[
            "allow",
            "--tool",
            id,
            "--server",
            "memory#0a1b2c3d",
            "--everywhere",
            option,
            "8h",
            "--format",
            "text",
        ]);
        assert!(said.contains(id) && said.contains("everywhere, until revoked, at most until"), "{said}");
    }
    let said = state.grants(&[
        "deny",
        "delete",
        "--server",
        "memory#0a1b2c3d",
        "--project",
        &project,
        "--format",
        "text",
    ]);
    assert!(said.contains("g-4 refuses tool `delete`"), "{said}");
    let list = state.grants(&["list", "--format", "text"]);
    assert!(list.contains("refused until revoked") && list.contains("whatever it needs"), "{list}");
    let json = state.grants(&["list"]);
    assert!(json.contains("\"says\":\"refuse\"") && json.contains("\"tools\":\"one\""), "{json}");
    state.grants(&["revoke", "g-1", "g-4"]).succeeds();
    assert_eq!(state.store.grants().unwrap().len(), 2);
}

#[test]
fn a_25_a_misspelt_tool_is_not_accepted() {
    let state = TestEnvironment::new();
    state
        .grants(&["allow", "write_fiel", "--server", "overt-fs", "--everywhere"])
        .exits(2, &["did you mean `write_file`?"]);
    state.grants(&["allow", "no_such_tool_anywhere", "--everywhere"]).exits(2, &["no server with a tool"]);
    let said = state.grants(&["allow", "write_*", "--server", "overt-fs", "--everywhere"]);
    assert!(said.contains("is a pattern"), "{said}");
    assert_eq!(state.store.grants().unwrap(), []);
}

#[test]
fn a_tool_is_found_without_its_server() {
    let state = TestEnvironment::new();
    let said =
        state.grants(&["allow", "write_file", "--folder", "/notes/new", "--everywhere", "--format", "text"]);
    assert!(
        said.contains("server `overt-fs` `read:file:/notes/new`, `write:file:/notes/new` everywhere"),
        "{said}"
    );
    // The whole disk is too wide.
    state.grants(&["allow", "write_file", "--folder", "/", "--everywhere"]).exits(2, &["--dangerous"]);
}

#[test]
fn questions_and_tools_are_not_mixed() {
    let state = TestEnvironment::new();
    let id = state.waits(&write_a_file());
    let refused: [&[&str]; 5] = [
        &["allow", &id.0, "write_file"],
        &["allow", &id.0, "--server", "overt-fs"],
        &["allow", "write_file", "--session"],
        &["allow", "write_file", "--breadth", "server"],
        &["deny", &id.0, "--everywhere"],
    ];
    for arguments in refused {
        // {arguments:?} .
        state.grants(arguments).exits(2, &[]);
    }
    assert_eq!(state.store.question_state(&id).unwrap(), QuestionState::Open);
    assert_eq!(state.store.grants().unwrap(), []);
}

/// A lasting answer takes effect immediately, even if the call is never made again.
#[test]
fn several_questions_get_a_lasting_answer_at_once() {
    let state = TestEnvironment::new();
    let ids: Vec<String> = ["a", "b"]
        .iter()
        .map(|arguments| state.waits(&Question { arguments: (*arguments).to_owned(), ..write_a_file() }).0)
        .collect();
    state.grants(&["allow", &ids[0], &ids[1], "--for", "8h"]).succeeds();
    let grants = state.store.grants().unwrap();
    assert!(!grants.is_empty() && grants.iter().all(|grant| grant.terms.expires.is_some()), "{grants:?}");
    assert_eq!(grants[0].terms.client.as_deref(), Some("Claude Code 2.1"));
}

#[test]
fn wider_answers_and_refusals_need_to_be_offered() {
    let state = TestEnvironment::new();
    let plain = state.waits(&write_a_file());
    state
        .grants(&["allow", &plain.0, "--session", "--breadth", "server"])
        .exits(2, &["does not offer that much"]);
    let broader = Broader { tool: true, server: true, reading: false, server_digest: "all".to_owned() };
    let wide = state.waits(&Question { arguments: "wide".to_owned(), broader, ..write_a_file() });
    let shown = state.grants(&["show", &wide.0, "--format", "text"]);
    for command in
        ["--session --breadth tool", "--session --breadth server", "--for 8h --breadth folder", "--never"]
    {
        assert!(shown.contains(command), "{shown}");
    }
    let said = state.grants(&["allow", &wide.0, "--session", "--breadth", "server", "--format", "text"]);
    assert!(said.contains("allowed every tool, whatever the arguments are, for the session"), "{said}");
    // Until it is revoked is too wide for a whole server.
    let again = state.waits(&Question {
        arguments: "again".to_owned(),
        broader: Broader { tool: true, server: true, reading: true, server_digest: "all".to_owned() },
        ..write_a_file()
    });
    state.grants(&["allow", &again.0, "--always", "--breadth", "server"]).exits(2, &["--dangerous"]);
    let said = state.grants(&["allow", &again.0, "--always", "--breadth", "tool", "--format", "text"]);
    assert!(said.contains("allowed write_file, whatever the arguments are in /home/me/site"), "{said}");
    let said = state.grants(&["deny", &plain.0, "--never", "--format", "text"]);
    assert!(said.contains("never asked again about write_file in /home/me/site"), "{said}");
    assert_eq!(state.taken(&plain), Some(Answer::NeverInProject));
}

/// The known names are the server's.
#[test]
fn the_tools_of_the_file_server_are_known() {
    let state = TestEnvironment::new();
    let mut list = overt();
    list.env("OVERT_STATE_DIR", state.state()).current_dir(state.state());
    let said = report(&list.args(["list", "fs", "--format", "json"]).output().unwrap());
    let json = said.split_once("--- stdout\n").unwrap().1.lines().next().unwrap();
    let listed: serde_json::Value = serde_json::from_str(json).unwrap();
    let tools = listed["tools"].as_array().unwrap();
    assert!(!tools.is_empty());
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        state.grants(&["deny", name, "--server", "overt-fs", "--everywhere"]).succeeds();
    }
}

#[test]
fn a_25_the_tools_of_other_servers_are_remembered() {
    let state = TestEnvironment::new();
    remembered(&state);
    let allow = |arguments: &[&str]| {
        let arguments = [&["allow", "--everywhere", "--format", "text"], arguments].concat();
        state.grants(&arguments)
    };
    let said = allow(&["create_entities"]);
    assert!(said.contains("tool `create_entities` of server `memory-example#"), "{said}");
    allow(&["creat_entities", "--server", "memory-example"]).exits(2, &["did you mean `create_entities`?"]);
    allow(&["fetch", "--server", "memory-example"]).exits(2, &["no tool `fetch`"]);
    allow(&["search"]).exits(2, &["several servers have a tool `search`"]);
    allow(&["search", "--server", "web-example", "--folder", "/x"]).exits(0, &["covers no call"]);
}
