//! `overt policy suggest`, on logs that real calls have written.
use serde_json::json;

use crate::day::edit;
use crate::environment::TestEnvironment;
use crate::support::{report, wait_until};

#[test]
fn what_was_done_is_proposed_and_no_more() {
    let day = TestEnvironment::with_projects();
    let trusted = day.text_in("api", &["trust", "notes", "nothing"]);
    let mut cursor = day.notes("Cursor", "api", &[]);
    if trusted.starts_with("exit 2") {
        // The server is known after its first call.
        cursor.call("add", &json!({}));
        day.text_in("api", &["trust", "notes", "nothing"]).succeeds();
    }
    for _ in 0..3 {
        cursor.call("add", &json!({ "text": "x" }));
        assert!(!cursor.was_refused(), "{}", cursor.last);
    }
    cursor.call("look", &json!({}));
    cursor.end();
    let mut claude = day.files("claude-code", "site", &["."]);
    for name in ["a", "b", "c"] {
        edit(&mut claude, &format!("src/{name}.ts"), "one", "1");
    }
    claude.call("delete_file", &json!({ "path": "src/a.ts" }));
    assert!(claude.was_refused(), "{}", claude.last);
    claude.end();
    let file = day.path("overt.toml");
    let old = "# mine\n[settings]\naudit = \"strict\" # keep\n";
    std::fs::write(&file, old).unwrap();
    let suggest = |words: &[&str]| {
        let words = [&["policy", "suggest", "--config", file.to_str().unwrap()], words].concat();
        day.text_in("site", &words)
    };
    let said = suggest(&[]).exits(0, &["+  \"write:notes:add\", # 3 calls", "read:notes:look"]);
    assert!(!said.contains("execute:notes\"") && !said.contains("\"write:file:/\""), "{said}");
    // The folder is not proposed, because a call in it was refused. Its files are proposed.
    let site = day.path("site/src").to_str().unwrap().to_owned();
    assert!(said.contains(&format!("\"write:file:{site}/b.ts\"")), "{said}");
    assert!(!said.contains(&format!("\"write:file:{site}\"")), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), old);
    // V-15: without a person, nothing is written.
    let words = ["policy", "suggest", "--config", file.to_str().unwrap(), "--write", "--server", "notes"];
    let refused = day.command_in("site", &words).output().unwrap();
    assert!(!refused.status.success(), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), old);
    suggest(&["--write", "--server", "notes"]).succeeds();
    let new = std::fs::read_to_string(&file).unwrap();
    assert!(
        new.starts_with("# mine\n[settings]\nallow = [\n") && new.ends_with("audit = \"strict\" # keep\n"),
        "{new}"
    );
    // With the suggested policy, the same calls pass without trust, and other calls ask.
    day.text_in("api", &["trust", "notes", "--forget"]).succeeds();
    let mut cursor = day.notes("Cursor", "api", &["--config", file.to_str().unwrap()]);
    for tool in ["add", "look"] {
        cursor.call(tool, &json!({ "text": "x" }));
        assert!(!cursor.was_refused(), "{tool} {}", cursor.last);
    }
    cursor.end();
    let again = suggest(&["--server", "notes"]);
    assert!(again.contains("the settings already allow"), "{again}");
    let json =
        day.command_in("site", &["policy", "suggest", "--config", file.to_str().unwrap()]).output().unwrap();
    assert!(report(&json).contains("\"allow\":[{\"scope\":"), "{}", report(&json));
}

#[test]
fn what_a_person_agreed_to_is_proposed_as_grants() {
    let day = TestEnvironment::with_projects();
    let src = day.path("site/src").display().to_string();
    let site = day.path("site").display().to_string();
    let mut client = day.files("claude-code", "site", &["."]);
    let delete = |client: &mut crate::client::Client, name: &str| {
        client.call("delete_file", &json!({ "path": format!("src/{name}.ts") }));
        !client.was_refused()
    };
    assert!(!delete(&mut client, "a"));
    day.text_in("site", &["grants", "allow", "q-1"]).succeeds();
    assert!(delete(&mut client, "a"), "{}", client.last);
    assert!(!delete(&mut client, "b"), "the yes was for one call");
    let command = format!(
        "overt grants allow delete_file --server overt-fs --project {site} --scope write:file:{src}/a.ts # 1 call"
    );
    let said = day.text_in("site", &["policy", "suggest", "--tool", "delete_file"]).exits(0, &[&command]);
    assert!(!said.contains("b.ts"), "{said}");
    assert!(!said.contains("[settings]"), "the settings would not replace the agreement: {said}");
    // Only a person can have it written.
    let refused =
        day.command_in("site", &["policy", "suggest", "--tool", "delete_file", "--write"]).output().unwrap();
    assert!(!refused.status.success(), "{}", report(&refused));
    day.write("site/src/a.ts", "again\n");
    assert!(!delete(&mut client, "a"), "{}", client.last);
    // A refusal is recorded after its answer was sent.
    let refusals = || day.json_in("site", &["log", "--denied", "--client", "claude-code"]).len();
    wait_until("the third refusal is recorded", || refusals() == 3);
    let said = day.text_in("site", &["policy", "suggest", "--tool", "delete_file", "--write"]).succeeds();
    assert!(!said.contains("1 grant is given"), "what was refused the last time is not proposed: {said}");
    // The latest answer is a yes again.
    day.text_in("site", &["grants", "allow", "q-3"]).succeeds();
    assert!(delete(&mut client, "a"), "{}", client.last);
    let said = day.text_in("site", &["policy", "suggest", "--tool", "delete_file", "--write"]);
    assert!(said.contains("1 grant is given"), "{said}");
    client.end();
    // With the grant, the same calls pass in another session, and other calls ask.
    let mut client = day.files("claude-code", "site", &["."]);
    day.write("site/src/a.ts", "once more\n");
    assert!(delete(&mut client, "a"), "{}", client.last);
    assert!(!delete(&mut client, "b"));
    client.end();
    let again = day.text_in("site", &["policy", "suggest", "--tool", "delete_file"]);
    assert!(again.contains("already allow") && !again.contains("overt grants allow"), "{again}");
}
