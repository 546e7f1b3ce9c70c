//! `overt forbid` and `overt permit`: they write the user's own file, and apply to running servers
//! too.
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use crate::client::Client;
use crate::support::{Script, by_person, overt, report, snapshot, wait_until};

pub(crate) struct Place {
    server: Script,
    pub(crate) home: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let tools = r#"[{"name":"touch","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}},{"name":"peek","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]"#;
        let server = Script::with_tools(tools)
            .result("tools/call", r#"{"content":[{"type":"text","text":"touched"}]}"#);
        Self { server, home: TempDir::new().unwrap() }
    }

    fn file(&self) -> PathBuf {
        self.home.path().join(".config/overt/overt.toml")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = overt();
        command.env("HOME", self.home.path()).env("OVERT_STATE_DIR", self.home.path().join("state"));
        command.current_dir(self.home.path()).args(arguments);
        command
    }

    fn overt(&self, arguments: &[&str]) -> String {
        report(&by_person(&mut self.command(arguments)))
    }

    /// Makes a call through `overt run`.
    pub(crate) fn call(&self, tool: &str, options: &[&str]) -> String {
        let mut command = overt();
        command.args(["call", tool, "--json", "{}", "--format", "json", "--", "env"]);
        command.arg(format!("HOME={}", self.home.path().display()));
        command.arg(format!("OVERT_STATE_DIR={}", self.home.path().join("state").display()));
        command
            .arg(env!("CARGO_BIN_EXE_overt"))
            .arg("run")
            .args(options)
            .arg("--")
            .args(self.server.command());
        report(&command.current_dir(self.home.path()).output().unwrap())
    }
}

#[test]
fn what_is_forbidden_is_refused_until_it_is_taken_back() {
    let place = Place::new();
    assert!(place.call("touch", &["--allow-all"]).contains("touched"));
    let said = place.overt(&["forbid", "touch", "--yes", "--format", "text"]);
    assert!(said.starts_with("exit 0") && said.contains("+[[rules]]"), "{said}");
    assert!(said.contains("tool `touch` of every server is refused, whatever else allows it"), "{said}");
    assert!(place.text().contains("when = { tool = \"touch\" }"));
    let refused = place.call("touch", &["--allow-all"]);
    assert!(!refused.contains("touched"), "it is not even listed: {refused}");
    assert!(place.call("peek", &["--allow-all"]).contains("touched"), "the others go on");
    let again = place.overt(&["forbid", "touch", "--yes"]);
    assert!(again.contains(r#""changed":false"#), "{again}");
    // To remove a rule that forbids allows more, so a person must do it.
    let mut agent = place.command(&["forbid", "touch", "--remove", "--yes"]);
    assert!(report(&agent.output().unwrap()).starts_with("exit 3"));
    assert!(!place.call("touch", &["--allow-all"]).contains("touched"));
    let said = place.overt(&["forbid", "touch", "--remove", "--yes"]);
    assert!(said.starts_with("exit 0"), "{said}");
    assert!(!place.file().exists(), "nothing else was in it");
    assert!(place.call("touch", &["--allow-all"]).contains("touched"));
}

#[test]
fn a_file_keeps_what_a_person_wrote_in_it() {
    let place = Place::new();
    let mine =
        "# mine\r\n[settings]\r\naudit = \"strict\" # of course\r\n\r\n[policy]\r\ntools.deny = [\"x\"]\r\n";
    std::fs::create_dir_all(place.file().parent().unwrap()).unwrap();
    std::fs::write(place.file(), mine).unwrap();
    place.call("peek", &[]);
    for what in [&["peek"][..], &["server-sh"], &["./secrets"], &["peek", "--server", "server-sh"]] {
        let before = place.text();
        let said = place.overt(&[&["forbid"], what, &["--yes"]].concat());
        assert!(said.starts_with("exit 0"), "{said}");
        let text = place.text();
        assert!(text.len() > before.len() && !text.replace("\r\n", "").contains('\n'), "{text:?}");
        for line in mine.lines() {
            assert!(text.contains(line), "{line}");
        }
    }
    let checked = place.overt(&["policy", "check", &place.file().display().to_string()]);
    assert!(checked.starts_with("exit 0"), "{checked}");
}

#[test]
fn names_that_nothing_has_are_refused_with_what_there_is() {
    let place = Place::new();
    place.call("peek", &[]);
    let misspelt = place.overt(&["forbid", "tuoch", "--yes"]);
    assert!(misspelt.starts_with("exit 2") && misspelt.contains("did you mean `touch`"), "{misspelt}");
    assert!(!place.file().exists());
    let server = place.overt(&["forbid", "touch", "--server", "server-hs", "--yes"]);
    assert!(server.starts_with("exit 2") && server.contains("did you mean `server-sh`"), "{server}");
    let unasked = place.overt(&["forbid", "touch"]);
    assert!(unasked.starts_with("exit 2") && unasked.contains("--yes"), "{unasked}");
    assert!(!place.file().exists());
    assert!(place.overt(&["forbid", "touch", "--remove", "--yes"]).contains("nothing to take back"));
    assert!(place.overt(&["forbid", "never-seen", "--as", "tool", "--yes"]).starts_with("exit 0"));
}

/// Directly after `overt wrap`, no tool of the server is known.
#[test]
fn a_server_that_has_not_run_yet_is_named() {
    let place = Place::new();
    let wrapped = json!({
        "command": env!("CARGO_BIN_EXE_overt"),
        "args": ["run", "--name", "github", "--", "node", "server.js"],
    });
    let file = json!({ "mcpServers": { "github": wrapped } });
    std::fs::write(place.home.path().join(".mcp.json"), file.to_string()).unwrap();
    let said = place.overt(&["permit", "list_issues", "--yes"]);
    let hint = "the tools of `github` are known after the first use; if `list_issues` is one of them, add \
                `--server github`";
    assert!(said.starts_with("exit 2") && said.contains(hint), "{said}");
    let said = place.overt(&["forbid", "list_issues", "--server", "github", "--yes"]);
    assert!(said.starts_with("exit 0") && said.contains("has not run behind Overt yet"), "{said}");
}

#[test]
fn what_is_permitted_asks_nobody_and_only_a_person_permits() {
    let place = Place::new();
    assert!(place.call("touch", &[]).contains("PERMISSION_NOT_GRANTED"));
    let mut agent = place.command(&["permit", "touch", "--yes"]);
    let refused = report(&agent.output().unwrap());
    assert!(refused.starts_with("exit 3") && refused.contains("only a person"), "{refused}");
    assert!(!place.file().exists());
    let said = place.overt(&["permit", "touch", "--yes"]);
    assert!(said.starts_with("exit 0"), "{said}");
    assert!(place.call("touch", &[]).contains("touched"));
    // No decision about the server's claims exists.
    assert!(place.call("peek", &[]).contains("PERMISSION_NOT_GRANTED"));
    assert!(place.overt(&["forbid", "touch", "--yes"]).starts_with("exit 0"));
    assert!(!place.call("touch", &[]).contains("touched"), "a deny wins");
    let mut narrower = place.command(&["permit", "touch", "--remove", "--yes"]);
    assert!(report(&narrower.output().unwrap()).starts_with("exit 0"), "to allow less needs nobody");
    assert!(place.overt(&["forbid", "touch", "--remove", "--yes"]).starts_with("exit 0"));
    assert!(!place.file().exists(), "nothing else was in it");
}

/// What `overt fs` may do depends on paths, so permitting a tool by name would have no effect.
#[test]
fn a_tool_of_the_file_server_is_not_permitted_by_its_name() {
    let place = Place::new();
    for words in
        [&["permit", "delete_file", "--yes"][..], &["permit", "delete_file", "--server", "overt-fs", "--yes"]]
    {
        let said = place.overt(words);
        assert!(said.starts_with("exit 2") && said.contains("overt grants allow delete_file"), "{said}");
    }
    assert!(!place.file().exists());
}

#[test]
fn servers_that_run_follow() {
    let place = Place::new();
    let mut command = place.command(&["run", "--allow-all", "--"]);
    command.args(place.server.command());
    let mut client = Client::start(command, &json!({}));
    client.call("touch", &json!({}));
    assert!(!client.was_refused(), "{}", client.last);
    assert!(place.overt(&["forbid", "touch", "--as", "tool", "--yes"]).starts_with("exit 0"));
    wait_until("it is refused", || {
        client.call("touch", &json!({}));
        client.was_refused()
    });
}

#[test]
fn a_file_that_can_not_be_used_stops_the_server() {
    let place = Place::new();
    std::fs::create_dir_all(place.file().parent().unwrap()).unwrap();
    for text in ["[policy]\nefect = \"read\"\n", "x = ", ""] {
        std::fs::write(place.file(), text).unwrap();
        let said = place.overt(&["run", "--allow-all", "--", "true"]);
        assert!(said.starts_with("exit 2") && said.contains("overt.toml"), "{text:?}: {said}");
    }
}

#[test]
fn a_forbidden_path_is_refused_by_the_file_server() {
    let place = Place::new();
    let root = place.home.path().join("root");
    std::fs::create_dir_all(root.join("secret")).unwrap();
    std::fs::write(root.join("a.txt"), "open").unwrap();
    std::fs::write(root.join("secret/b.txt"), "closed").unwrap();
    let said = place.overt(&["forbid", "root/secret", "--yes"]);
    assert!(said.starts_with("exit 0"), "{said}");
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
    let place = Place::new();
    std::fs::write(place.home.path().join("a.txt"), "a\n").unwrap();
    let mut client = Client::start_as("forbidden", place.command(&["fs", "."]));
    let tools = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    client.end();
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"read_file"), "{names:?}");
    for name in names {
        let said = place.overt(&["forbid", name, "--yes"]);
        assert!(said.starts_with("exit 0"), "{name}: {said}");
    }
    let mut client = Client::start_as("forbidden", place.command(&["fs", "."]));
    client.call("read_file", &json!({ "path": "a.txt" }));
    assert!(client.was_refused(), "{}", client.last);
    client.end();
}

#[test]
fn everything_in_force_is_shown_together() {
    let place = Place::new();
    let nothing = place.overt(&["policy", "show", "--format", "text"]);
    assert!(nothing.starts_with("exit 0") && nothing.contains("you have no rules"), "{nothing}");
    assert!(place.overt(&["forbid", "delete_*", "--as", "tool", "--yes"]).starts_with("exit 0"));
    assert!(place.overt(&["forbid", "/srv/keys", "--yes"]).starts_with("exit 0"));
    let trusted = place.overt(&["trust", "notes#0a1b2c3d", "everything"]);
    assert!(trusted.starts_with("exit 0"), "{trusted}");
    let refused = place.overt(&["grants", "deny", "send", "--server", "notes#0a1b2c3d", "--everywhere"]);
    assert!(refused.starts_with("exit 0"), "{refused}");
    let given = place.home.path().join("team.toml");
    std::fs::write(&given, "[policy]\ntools.deny = [\"drop\"]\nlimits.rate = \"9/minute\"\n").unwrap();
    let given = given.to_str().unwrap();
    let shown = place.overt(&["policy", "show", "--config", given, "--format", "text"]);
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
    let shown = place.overt(&["policy", "show", "--config", given]);
    let json: serde_json::Value = serde_json::from_str(shown.lines().nth(2).unwrap()).unwrap();
    assert_eq!(json["files"][0]["path"], place.file().to_str().unwrap());
    assert_eq!(json["files"][0]["rules"][0]["action"], "deny");
    assert_eq!(json["files"][1]["policy"]["limits"]["rate"], "9/minute");
    assert_eq!(json["trusted"][0]["trust"], "everything");
    assert_eq!(json["grants"][0]["tool"], "send");
    // Settings that can't be used are not shown as if they were in force.
    std::fs::write(given, "[policy]\ntools.dney = []\n").unwrap();
    let wrong = place.overt(&["policy", "show", "--config", given]);
    assert!(wrong.starts_with("exit 2") && wrong.contains("did you mean `deny`?"), "{wrong}");
}
