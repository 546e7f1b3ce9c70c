//! `overt forbid` and `overt permit`: they write the user's own file, and apply to running servers
//! too.

use serde_json::json;

use crate::client::Client;
use crate::environment::TestEnvironment;
use crate::output::snapshot;
use crate::support::{Script, report, wait_until};

/// The user's own file.
const FILE: &str = ".config/overt/overt.toml";

/// A server with a tool that changes something and a tool that claims to only read.
pub(crate) fn touch_and_peek() -> TestEnvironment {
    let tools = r#"[{"name":"touch","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}},{"name":"peek","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]"#;
    let answer = r#"{"content":[{"type":"text","text":"touched"}]}"#;
    TestEnvironment::of(Script::with_tools(tools).result("tools/call", answer))
}

#[test]
fn what_is_forbidden_is_refused_until_it_is_taken_back() {
    let place = touch_and_peek();
    assert!(place.call("touch", &["--allow-all"]).contains("touched"));
    place
        .run(&["forbid", "touch", "--yes", "--format", "text"])
        .exits(0, &["+[[rules]]", "tool `touch` of every server is refused, whatever else allows it"]);
    assert!(place.read(FILE).contains("when = { tool = \"touch\" }"));
    let refused = place.call("touch", &["--allow-all"]);
    assert!(!refused.contains("touched"), "it is not even listed: {refused}");
    assert!(place.call("peek", &["--allow-all"]).contains("touched"), "the others go on");
    let again = place.run(&["forbid", "touch", "--yes"]);
    assert!(again.contains(r#""changed":false"#), "{again}");
    // To remove a rule that forbids allows more, so a person must do it.
    let mut agent = place.command(&["forbid", "touch", "--remove", "--yes"]);
    report(&agent.output().unwrap()).exits(3, &[]);
    assert!(!place.call("touch", &["--allow-all"]).contains("touched"));
    place.run(&["forbid", "touch", "--remove", "--yes"]).succeeds();
    assert!(!place.path(FILE).exists(), "nothing else was in it");
    assert!(place.call("touch", &["--allow-all"]).contains("touched"));
}

#[test]
fn a_file_keeps_what_a_person_wrote_in_it() {
    let place = touch_and_peek();
    let mine =
        "# mine\r\n[settings]\r\naudit = \"strict\" # of course\r\n\r\n[policy]\r\ntools.deny = [\"x\"]\r\n";
    std::fs::create_dir_all(place.path(FILE).parent().unwrap()).unwrap();
    std::fs::write(place.path(FILE), mine).unwrap();
    place.call("peek", &[]);
    for what in [&["peek"][..], &["server-sh"], &["./secrets"], &["peek", "--server", "server-sh"]] {
        let before = place.read(FILE);
        place.run(&[&["forbid"], what, &["--yes"]].concat()).succeeds();
        let text = place.read(FILE);
        assert!(text.len() > before.len() && !text.replace("\r\n", "").contains('\n'), "{text:?}");
        for line in mine.lines() {
            assert!(text.contains(line), "{line}");
        }
    }
    place.run(&["policy", "check", &place.path(FILE).display().to_string()]).succeeds();
}

#[test]
fn names_that_nothing_has_are_refused_with_what_there_is() {
    let place = touch_and_peek();
    place.call("peek", &[]);
    place.run(&["forbid", "tuoch", "--yes"]).exits(2, &["did you mean `touch`"]);
    assert!(!place.path(FILE).exists());
    place.run(&["forbid", "touch", "--server", "server-hs", "--yes"]).exits(2, &["did you mean `server-sh`"]);
    place.run(&["forbid", "touch"]).exits(2, &["--yes"]);
    assert!(!place.path(FILE).exists());
    assert!(place.run(&["forbid", "touch", "--remove", "--yes"]).contains("nothing to take back"));
    place.run(&["forbid", "never-seen", "--as", "tool", "--yes"]).succeeds();
}

/// Directly after `overt wrap`, no tool of the server is known.
#[test]
fn a_server_that_has_not_run_yet_is_named() {
    let place = touch_and_peek();
    let wrapped = json!({
        "command": env!("CARGO_BIN_EXE_overt"),
        "args": ["run", "--name", "github", "--", "node", "server.js"],
    });
    let file = json!({ "mcpServers": { "github": wrapped } });
    std::fs::write(place.path(".mcp.json"), file.to_string()).unwrap();
    let said = place.run(&["permit", "list_issues", "--yes"]);
    let hint = "the tools of `github` are known after the first use; if `list_issues` is one of them, add \
                `--server github`";
    assert!(said.starts_with("exit 2") && said.contains(hint), "{said}");
    place
        .run(&["forbid", "list_issues", "--server", "github", "--yes"])
        .exits(0, &["has not run behind Overt yet"]);
}

#[test]
fn what_is_permitted_asks_nobody_and_only_a_person_permits() {
    let place = touch_and_peek();
    assert!(place.call("touch", &[]).contains("PERMISSION_NOT_GRANTED"));
    let mut agent = place.command(&["permit", "touch", "--yes"]);
    report(&agent.output().unwrap()).exits(3, &["only a person"]);
    assert!(!place.path(FILE).exists());
    place.run(&["permit", "touch", "--yes"]).succeeds();
    assert!(place.call("touch", &[]).contains("touched"));
    // No decision about the server's claims exists.
    assert!(place.call("peek", &[]).contains("PERMISSION_NOT_GRANTED"));
    place.run(&["forbid", "touch", "--yes"]).succeeds();
    assert!(!place.call("touch", &[]).contains("touched"), "a deny wins");
    let mut narrower = place.command(&["permit", "touch", "--remove", "--yes"]);
    // To allow less needs nobody.
    report(&narrower.output().unwrap()).succeeds();
    place.run(&["forbid", "touch", "--remove", "--yes"]).succeeds();
    assert!(!place.path(FILE).exists(), "nothing else was in it");
}

/// What `overt fs` may do depends on paths, so permitting a tool by name would have no effect.
#[test]
fn a_tool_of_the_file_server_is_not_permitted_by_its_name() {
    let place = touch_and_peek();
    for words in
        [&["permit", "delete_file", "--yes"][..], &["permit", "delete_file", "--server", "overt-fs", "--yes"]]
    {
        place.run(words).exits(2, &["overt grants allow delete_file"]);
    }
    assert!(!place.path(FILE).exists());
}

#[test]
fn servers_that_run_follow() {
    let place = touch_and_peek();
    let mut command = place.command(&["run", "--allow-all", "--"]);
    command.args(place.server.command());
    let mut client = Client::start(command, &json!({}));
    client.call("touch", &json!({}));
    assert!(!client.was_refused(), "{}", client.last);
    place.run(&["forbid", "touch", "--as", "tool", "--yes"]).succeeds();
    wait_until("it is refused", || {
        client.call("touch", &json!({}));
        client.was_refused()
    });
}

#[test]
fn a_file_that_can_not_be_used_stops_the_server() {
    let place = touch_and_peek();
    std::fs::create_dir_all(place.path(FILE).parent().unwrap()).unwrap();
    for text in ["[policy]\nefect = \"read\"\n", "x = ", ""] {
        std::fs::write(place.path(FILE), text).unwrap();
        // {text:?}.
        place.run(&["run", "--allow-all", "--", "true"]).exits(2, &["overt.toml"]);
    }
}

#[test]
fn a_forbidden_path_is_refused_by_the_file_server() {
    let place = touch_and_peek();
    let root = place.path("root");
    std::fs::create_dir_all(root.join("secret")).unwrap();
    std::fs::write(root.join("a.txt"), "open").unwrap();
    std::fs::write(root.join("secret/b.txt"), "closed").unwrap();
    place.run(&["forbid", "root/secret", "--yes"]).succeeds();
    let mut client = Client::start(place.command(&["fs", "root"]), &json!({}));
    client.call("read_file", &json!({ "path": "a.txt" }));
    assert!(!client.was_refused(), "{}", client.last);
    client.call("read_file", &json!({ "path": "secret/b.txt" }));
    assert!(client.was_refused() && !client.last.to_string().contains("closed"), "{}", client.last);
    client.end();
}

/// Every tool of `overt fs` is known by name, even before its first use.
#[test]
fn a_forbidden_tool_is_refused_by_the_file_server() {
    let place = touch_and_peek();
    std::fs::write(place.path("a.txt"), "a\n").unwrap();
    let mut client = Client::start_as("forbidden", place.command(&["fs", "."]));
    let tools = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    client.end();
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"read_file"), "{names:?}");
    for name in names {
        // {name}.
        place.run(&["forbid", name, "--yes"]).succeeds();
    }
    let mut client = Client::start_as("forbidden", place.command(&["fs", "."]));
    client.call("read_file", &json!({ "path": "a.txt" }));
    assert!(client.was_refused(), "{}", client.last);
    client.end();
}

#[test]
fn everything_in_force_is_shown_together() {
    let place = touch_and_peek();
    place.run(&["policy", "show", "--format", "text"]).exits(0, &["you have no rules"]);
    place.run(&["forbid", "delete_*", "--as", "tool", "--yes"]).succeeds();
    place.run(&["forbid", "/srv/keys", "--yes"]).succeeds();
    place.run(&["trust", "notes#0a1b2c3d", "everything"]).succeeds();
    place.run(&["grants", "deny", "send", "--server", "notes#0a1b2c3d", "--everywhere"]).succeeds();
    let given = place.path("team.toml");
    std::fs::write(&given, "[policy]\ntools.deny = [\"drop\"]\nlimits.rate = \"9/minute\"\n").unwrap();
    let given = given.to_str().unwrap();
    let shown = place.run(&["policy", "show", "--config", given, "--format", "text"]);
    let (before, grants) = shown.split_once("Grants\n").unwrap();
    assert!(grants.contains("g-1  notes#0a1b2c3d  send  refused until revoked  everywhere"), "{shown}");
    snapshot!(before, @"
    exit 0
    --- stdout
    File [TMP]/.config/overt/overt.toml
      rule forbid tool delete_*: deny calls where tool is delete_* (the user forbids it)
      policy: scopes.deny = read:file:/srv/keys, write:file:/srv/keys, execute:file:/srv/keys
    File [TMP]/team.toml
      policy: tools.deny = drop
      policy: limits.rate = 9/minute
    Trust
      SERVER          TRUST       MEANS                       PROJECT
      notes#0a1b2c3d  everything  asks you before every call  [TMP]
    ");
    let shown = place.run(&["policy", "show", "--config", given]);
    let json: serde_json::Value = serde_json::from_str(shown.lines().nth(2).unwrap()).unwrap();
    assert_eq!(json["files"][0]["path"], place.path(FILE).to_str().unwrap());
    assert_eq!(json["files"][0]["rules"][0]["action"], "deny");
    assert_eq!(json["files"][1]["policy"]["limits"]["rate"], "9/minute");
    assert_eq!(json["trusted"][0]["trust"], "everything");
    assert_eq!(json["grants"][0]["tool"], "send");
    // Settings that can't be used are not shown as if they were in force.
    std::fs::write(given, "[policy]\ntools.dney = []\n").unwrap();
    place.run(&["policy", "show", "--config", given]).exits(2, &["did you mean `deny`?"]);
}
