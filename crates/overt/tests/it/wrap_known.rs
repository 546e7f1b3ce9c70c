//! A server that was wrapped but has not run yet is known to the commands that decide about
//! servers.
use serde_json::Value;

use crate::support::report;
use crate::wrap::Home;

fn wrapped() -> Home {
    let home = Home::new();
    home.write("site/.mcp.json", r#"{"mcpServers":{"notes":{"command":"sh","args":["SCRIPT"]}}}"#);
    let said = report(&home.run(&["wrap", ".mcp.json", "--yes"]));
    assert!(said.starts_with("exit 0"), "{said}");
    home
}

/// Makes a call as the client does, with no person to ask.
fn call(home: &Home, tool: &str) -> String {
    let file: Value = serde_json::from_str(&home.read("site/.mcp.json")).unwrap();
    let entry = &file["mcpServers"]["notes"];
    let args = entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let command = ["call", tool, "--json", "{}", "--", entry["command"].as_str().unwrap()];
    let words: Vec<&str> = command.into_iter().chain(args).collect();
    report(&home.overt(&words).output().unwrap())
}

#[test]
fn a_tool_is_allowed_before_its_server_ran() {
    let home = wrapped();
    let said = report(&home.run(&["grants", "allow", "change", "--server", "notes", "--project", "."]));
    assert!(said.starts_with("exit 0") && said.contains("tools are not known"), "{said}");
    let said = call(&home, "change");
    assert!(said.starts_with("exit 0") && said.contains("done"), "the grant is for this server: {said}");
    // The server's tools are known now.
    let said = report(&home.run(&["grants", "allow", "chnge", "--server", "notes", "--project", "."]));
    assert!(said.starts_with("exit 2") && said.contains("did you mean `change`?"), "{said}");
}

#[test]
fn a_server_is_permitted_forbidden_and_trusted_before_it_ran() {
    assert!(call(&wrapped(), "change").starts_with("exit 1"));
    for words in [&["permit", "notes", "--yes"][..], &["trust", "notes"]] {
        let home = wrapped();
        let said = report(&home.run(words));
        assert!(said.starts_with("exit 0"), "{said}");
    }
    let home = wrapped();
    let said = report(&home.run(&["forbid", "look", "--server", "notes", "--yes"]));
    assert!(said.starts_with("exit 0") && said.contains("tools are not known"), "{said}");
    let said = report(&home.run(&["permit", "note", "--yes"]));
    assert!(said.starts_with("exit 2") && said.contains("did you mean `notes`?"), "{said}");
}
