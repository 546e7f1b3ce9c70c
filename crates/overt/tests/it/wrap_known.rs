//! A server that was wrapped but has not run yet is known to the commands that decide about
//! servers.
use serde_json::Value;

use crate::environment::TestEnvironment;
use crate::output::CommandOutput;
use crate::support::report;
use crate::wrap::with_site;

fn wrapped() -> TestEnvironment {
    let home = with_site();
    home.write_entries("site/.mcp.json", r#"{"mcpServers":{"notes":{"command":"sh","args":["SCRIPT"]}}}"#);
    home.site(&["wrap", ".mcp.json", "--yes"]).succeeds();
    home
}

/// Makes a call as the client does, with no person to ask.
fn call(home: &TestEnvironment, tool: &str) -> CommandOutput {
    let file: Value = serde_json::from_str(&home.read("site/.mcp.json")).unwrap();
    let entry = &file["mcpServers"]["notes"];
    let args = entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let command = ["call", tool, "--json", "{}", "--", entry["command"].as_str().unwrap()];
    let words: Vec<&str> = command.into_iter().chain(args).collect();
    report(&home.command_in("site", &words).output().unwrap())
}

#[test]
fn a_tool_is_allowed_before_its_server_ran() {
    let home = wrapped();
    home.site(&["grants", "allow", "change", "--server", "notes", "--project", "."])
        .exits(0, &["tools are not known"]);
    // The grant is for this server.
    call(&home, "change").exits(0, &["done"]);
    // The server's tools are known now.
    home.site(&["grants", "allow", "chnge", "--server", "notes", "--project", "."])
        .exits(2, &["did you mean `change`?"]);
}

#[test]
fn a_server_is_permitted_forbidden_and_trusted_before_it_ran() {
    call(&wrapped(), "change").exits(1, &[]);
    for words in [&["permit", "notes", "--yes"][..], &["trust", "notes"]] {
        let home = wrapped();
        home.site(words).succeeds();
    }
    let home = wrapped();
    home.site(&["forbid", "look", "--server", "notes", "--yes"]).exits(0, &["tools are not known"]);
    home.site(&["permit", "note", "--yes"]).exits(2, &["did you mean `notes`?"]);
}
