//! `overt wrap`, `overt unwrap` and `overt doctor`, on clients' configuration files.
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use crate::environment::TestEnvironment;
use crate::http::{Example, canned};
use crate::output::CommandOutput;
use crate::support::{Running, Script, report, run_with_stdin, set_passphrase, wait_until};

const TOOLS: &str = r#"[{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
    {"name":"change","inputSchema":{"type":"object"}}]"#;

/// Makes a home folder with the project `site` in it. The state folder has its usual place.
pub(crate) fn with_site() -> TestEnvironment {
    let server = Script::with_tools(&TOOLS.replace('\n', ""))
        .on("tools/call", r#"answer "{\"content\":[{\"type\":\"text\",\"text\":\"done $GREETING\"}]}""#);
    server.command();
    let home = TestEnvironment::with_usual_state(server);
    fs::create_dir(home.path("site")).unwrap();
    home
}

impl TestEnvironment {
    /// Writes a client's file, with the path of the server in place of `SCRIPT`. Returns its text.
    pub(crate) fn write_entries(&self, name: &str, text: &str) -> String {
        let text = text.replace("SCRIPT", &self.server.path("server.sh").to_string_lossy());
        self.write(name, &text);
        text
    }

    /// Runs a command in the project as the person's script does.
    pub(crate) fn site(&self, words: &[&str]) -> CommandOutput {
        self.run_in("site", words)
    }

    /// Starts a configured server as a client would, and lists its tools.
    fn start_configured(&self, words: &[&str]) -> Value {
        self.site(&[&["list", "--"], words].concat()).json()["tools"].clone()
    }
}

fn words(command: &Value, arguments: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let rest = arguments.as_array().into_iter().flatten().map(text);
    std::iter::once(text(command)).chain(rest).collect()
}

/// Returns the word after `command`, and those on the lines that begin with `item`.
fn yaml_entry(text: &str, command: &str, item: &str) -> Vec<String> {
    let start = text.lines().find_map(|line| line.trim_start().strip_prefix(command));
    let rest = text.lines().filter_map(|line| line.strip_prefix(item));
    start.into_iter().chain(rest).map(|word| word.trim_matches('"').to_owned()).collect()
}

/// A client's configuration file, and how to find its server `a` in it.
pub(crate) struct Fixture {
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
    entry: fn(&str) -> Vec<String>,
}

pub(crate) fn json_entry(text: &str, way: &[&str]) -> Vec<String> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
    let entry = way.iter().fold(&value, |value, name| &value[*name]);
    words(&entry["command"], &entry["args"])
}

pub(crate) const FIXTURES: [Fixture; 11] = [
    Fixture {
        path: "site/.mcp.json",
        text: "{\n  \"mcpServers\": {\n    \"a\": {\n      \"type\": \"stdio\",\n      \"command\": \"sh\",\n      \"args\": [\"SCRIPT\"],\n      \"env\": { \"GREETING\": \"${GREETING:-hi}\" },\n      \"timeout\": 60000,\n      \"alwaysLoad\": true\n    }\n  }\n}\n",
        entry: |text| json_entry(text, &["mcpServers", "a"]),
    },
    Fixture {
        path: ".claude.json",
        text: "{\"numStartups\":3,\"mcpServers\":{\"a\":{\"command\":\"sh\",\"args\":[\"SCRIPT\"]}},\"projects\":{\"/x y\":{\"mcpServers\":{\"b\":{\"command\":\"sh\",\"args\":[\"SCRIPT\"],\"env\":{}}},\"history\":[{\"display\":\"mcpServers\"}]}}}",
        entry: |text| json_entry(text, &["projects", "/x y", "mcpServers", "b"]),
    },
    Fixture {
        path: ".config/Claude/claude_desktop_config.json",
        text: "{\r\n  \"globalShortcut\": \"\",\r\n  \"mcpServers\": {\r\n    \"a\": {\r\n      \"command\": \"sh\",\r\n      \"args\": [\r\n        \"SCRIPT\"\r\n      ]\r\n    }\r\n  },\r\n  \"preferences\": {}\r\n}\r\n",
        entry: |text| json_entry(text, &["mcpServers", "a"]),
    },
    Fixture {
        path: ".cursor/mcp.json",
        text: "\u{feff}{\"mcpServers\": {\"a\": {\"command\": \"/bin/sh\", \"args\": [\"SCRIPT\", \"${workspaceFolder}\"], \"envFile\": \".env\"}}}",
        entry: |text| json_entry(text, &["mcpServers", "a"]),
    },
    Fixture {
        path: ".config/zed/settings.json",
        text: "{\n  \"theme\": \"One Dark\",\n  \"context_servers\": {\n    \"a\": { \"source\": \"custom\", \"command\": \"sh\", \"args\": [\"SCRIPT\"], \"enabled\": true },\n    \"ext\": { \"settings\": {} }\n  }\n}\n",
        entry: |text| json_entry(text, &["context_servers", "a"]),
    },
    Fixture {
        path: "site/.gemini/settings.json",
        text: "{\"mcpServers\":{\"a\":{\"command\":\"sh\",\"args\":[\"SCRIPT\"],\"trust\":false,\"includeTools\":[\"look\"]}}}",
        entry: |text| json_entry(text, &["mcpServers", "a"]),
    },
    Fixture {
        path: ".cline/data/settings/cline_mcp_settings.json",
        text: "{\n  \"mcpServers\": {\n    \"a\": {\n      \"transport\": {\n        \"type\": \"stdio\",\n        \"command\": \"sh\",\n        \"args\": [\"SCRIPT\"]\n      },\n      \"disabled\": false,\n      \"autoApprove\": []\n    }\n  }\n}",
        entry: |text| json_entry(text, &["mcpServers", "a", "transport"]),
    },
    Fixture {
        path: "site/opencode.json",
        text: "{\"$schema\":\"https://opencode.ai/config.json\",\"mcp\":{\"a\":{\"type\":\"local\",\"command\":[\"sh\",\"SCRIPT\"],\"environment\":{\"A\":\"{env:HOME}\"},\"enabled\":true}}}",
        entry: |text| {
            let value: Value = serde_json::from_str(text).unwrap();
            let list = value["mcp"]["a"]["command"].as_array().unwrap();
            list.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
        },
    },
    Fixture {
        path: ".config/goose/config.yaml",
        text: "GOOSE_MODE: smart # mine\nextensions:\n  developer:\n    type: builtin\n    enabled: true\n  a:\n    type: stdio\n    enabled: true\n    name: a\n    cmd: sh\n    args:\n    - SCRIPT\n    envs:\n      GREETING: hi\n    timeout: 300\n",
        entry: |text| yaml_entry(text, "cmd: ", "    - "),
    },
    Fixture {
        path: ".continue/config.yaml",
        text: "name: mine\nmcpServers:\n  - name: a\n    command: sh\n    args:\n      - SCRIPT\n    connectionTimeout: 20\n",
        entry: |text| yaml_entry(text, "command: ", "      - "),
    },
    Fixture {
        path: ".codex/config.toml",
        text: "# mine\r\nmodel = \"gpt\"\r\n\r\n[mcp_servers.a]\r\ncommand = \"sh\" # shell\r\nargs = [\"SCRIPT\"]\r\nenv_vars = [\"HOME\"]\r\ntool_timeout_sec = 60.0\r\n\r\n[mcp_servers.a.env]\r\nGREETING = \"hi\"\r\n",
        entry: |text| {
            let table: toml::Table = toml::from_str(text).unwrap();
            let entry = &table["mcp_servers"]["a"];
            let rest = entry["args"].as_array().unwrap().iter();
            let text = |value: &toml::Value| value.as_str().unwrap().to_owned();
            std::iter::once(text(&entry["command"])).chain(rest.map(text)).collect()
        },
    },
];

/// Locked by tests that wrap the file of Claude Desktop, because one of them starts a program of
/// that name.
static CLAUDE_DESKTOP: Mutex<()> = Mutex::new(());

pub(crate) fn alone_with_claude_desktop() -> MutexGuard<'static, ()> {
    CLAUDE_DESKTOP.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn every_client_file_is_wrapped_works_and_is_put_back() {
    let _alone = alone_with_claude_desktop();
    for fixture in FIXTURES {
        let home = with_site();
        let before = home.write_entries(fixture.path, fixture.text);
        home.site(&["wrap", "--yes"]).succeeds();
        let wrapped = home.read(fixture.path);
        let words = (fixture.entry)(&wrapped);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(words[0], env!("CARGO_BIN_EXE_overt"), "{}", fixture.path);
        assert_eq!(&words[1..3], ["run", "--name"], "{}", fixture.path);
        assert_eq!(home.start_configured(&words)[0]["name"], "look", "{}", fixture.path);
        home.site(&["wrap", "--yes"]).succeeds();
        assert_eq!(home.read(fixture.path), wrapped, "{}: wrapping again changes nothing", fixture.path);
        home.site(&["unwrap", "--yes"]).succeeds();
        assert_eq!(home.read(fixture.path), before, "{}", fixture.path);
    }
}

/// A file that is named by its path is treated like the client's own file.
#[test]
fn u_06_a_copy_of_a_file_with_projects_is_wrapped_too() {
    let home = with_site();
    let text = r#"{"mcpServers":{"a":{"command":"sh","args":["SCRIPT"]}},
        "projects":{"/x":{"mcpServers":{"b":{"command":"sh","args":["SCRIPT"]}}},"/y":{"history":[]}}}"#;
    let before = home.write_entries("copy.json", text);
    let file = home.path("copy.json").display().to_string();
    home.site(&["wrap", "--yes", &file]).succeeds();
    let wrapped: Value = serde_json::from_str(&home.read("copy.json")).unwrap();
    for entry in [&wrapped["mcpServers"]["a"], &wrapped["projects"]["/x"]["mcpServers"]["b"]] {
        assert_eq!(entry["command"], env!("CARGO_BIN_EXE_overt"), "{wrapped}");
    }
    home.site(&["unwrap", "--yes", &file]).succeeds();
    assert_eq!(home.read("copy.json"), before);
}

pub(crate) const VSCODE: &str = r#"{
    // Servers of this project
    "inputs": [{ "type": "promptString", "id": "token", "password": true }],
    "servers": {
        "a": { "command": "sh", "args": ["SCRIPT"], "env": { "GREETING": "you" }, }, // the first
        "boxed": { "command": "sh", "sandboxEnabled": true },
        "old": { "type": "sse", "url": "https://example.com/sse" },
        "remote": { "type": "http", "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer ${input:token}" } },
        "theirs": { "type": "http", "url": "https://example.com/login" },
        "a": { "command": "sh", "args": ["SCRIPT"] },
    },
}
"#;

#[test]
fn what_cannot_be_wrapped_is_named_and_the_others_are_wrapped() {
    let home = with_site();
    let before = home.write_entries("site/.vscode/mcp.json", VSCODE);
    let result = home.site(&["wrap", "--yes"]).json();
    let servers: Vec<String> = result["files"][0]["servers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|server| {
            let reason = server["reason"].as_str().map(|reason| format!(": {reason}")).unwrap_or_default();
            format!("{} {}{reason}", server["name"].as_str().unwrap(), server["outcome"].as_str().unwrap())
        })
        .collect();
    insta::assert_snapshot!(servers.join("\n"), @"
    a wrap
    boxed left alone: VS Code would put Overt into its sandbox (`sandboxEnabled`), without state and without questions
    old left alone: Overt does not speak its transport `sse`
    remote wrap
    theirs left alone: the client holds its login; log in with `overt login https://example.com/login`, then wrap again
    a wrap
    ");
    let wrapped = home.read("site/.vscode/mcp.json");
    assert!(
        wrapped.contains("// Servers of this project") && wrapped.contains("}, // the first"),
        "{wrapped}"
    );
    assert!(wrapped.contains(r#""OVERT_HEADER_AUTHORIZATION": "Bearer ${input:token}""#), "{wrapped}");
    home.site(&["unwrap", "--yes"]);
    assert_eq!(home.read("site/.vscode/mcp.json"), before);
}

#[test]
fn a_remote_server_gets_the_headers_that_its_entry_had() {
    let home = with_site();
    let example = Example::start();
    let entry = format!(r#"{{"mcpServers":{{"r":{{"type":"http","url":"{}"}}}}}}"#, example.url);
    let before = home.write_entries("site/.mcp.json", &entry);
    home.site(&["wrap", "--yes"]);
    let listed = home.site(&["list", "--mcp-json", ".mcp.json", "r", "--kind", "tools"]).json();
    assert!(listed["tools"].as_array().is_some_and(|tools| !tools.is_empty()), "{listed}");
    home.site(&["unwrap", "--yes"]);
    assert_eq!(home.read("site/.mcp.json"), before);
    let (url, requests) = canned("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
    home.write_entries(
        "site/.mcp.json",
        &format!(r#"{{"mcpServers":{{"r":{{"url":"{url}","headers":{{"X-Key":"s3cret"}}}}}}}}"#),
    );
    home.site(&["wrap", "--yes"]);
    let words = json_entry(&home.read("site/.mcp.json"), &["mcpServers", "r"]);
    assert!(!words.iter().any(|word| word.contains("s3cret")), "no secret is on the command line: {words:?}");
    home.site(&["list", "--mcp-json", ".mcp.json", "r"]);
    let requests = requests.lock().unwrap();
    assert!(requests.iter().any(|request| request.contains("x-key: s3cret")), "{requests:?}");
}

#[test]
fn without_a_yes_nothing_is_written() {
    let home = with_site();
    let before = home.write_entries("site/.mcp.json", FIXTURES[0].text);
    let mut command = home.command_in("site", &["wrap"]);
    let output = command.env_remove("OVERT_FORMAT").output().unwrap();
    let said = report(&output);
    assert!(said.starts_with("exit 2\n--- stdout\n--- "), "{said}");
    assert!(said.contains("+      \"args\": [\"run\", \"--name\", \"a\", \"--\", \"sh\", "), "{said}");
    assert!(said.contains("hint: `--yes` writes what is shown; `--dry-run` only shows it"), "{said}");
    home.site(&["wrap", "--dry-run"]).succeeds();
    assert_eq!(home.read("site/.mcp.json"), before);
    assert!(!home.path(".config/overt/overt.toml").exists());
    assert!(!home.path(".local/state/overt/wrap").exists(), "not even a backup");
    home.site(&["wrap", "nobody"]).exits(2, &[]);
}

#[test]
fn the_answer_is_in_the_users_file_and_counts() {
    let home = with_site();
    home.write_entries("site/.mcp.json", FIXTURES[0].text);
    home.site(&["wrap", "--yes"]);
    let file = home.read(".config/overt/overt.toml");
    assert!(file.contains("[[servers.a]]\ntrust = \"changes\"\ncommand = [\"sh\", "), "{file}");
    let call = |tool: &str| {
        let words = json_entry(&home.read("site/.mcp.json"), &["mcpServers", "a"]);
        let mut arguments = vec!["call", tool, "--"];
        arguments.extend(words.iter().map(String::as_str));
        home.site(&arguments)
    };
    // V-03: a script was shown nothing, so the first call asks.
    call("look").exits(1, &["have not decided yet how far to trust"]);
    home.site(&["trust", "a", "changes"]).succeeds();
    call("look").succeeds();
    call("change").exits(1, &[]);
    // A person's edit of the file takes effect at the next start.
    let path = home.path(".config/overt/overt.toml");
    fs::write(&path, file.replace("\"changes\"", "\"everything\"")).unwrap();
    call("look").exits(1, &[]);
    fs::write(&path, file.replace("\"changes\"", "\"nothing\"")).unwrap();
    call("change").succeeds();
    // A script does not revert the edit.
    home.site(&["unwrap", "--yes"]);
    fs::write(&path, file.replace("\"changes\"", "\"everything\"")).unwrap();
    home.site(&["wrap", "--yes"]);
    assert_eq!(home.read(".config/overt/overt.toml"), file.replace("\"changes\"", "\"everything\""));
    // Another command under the same name is another server.
    fs::write(&path, file.replace("\"sh\"", "\"bash\"").replace("\"changes\"", "\"nothing\"")).unwrap();
    fs::remove_dir_all(home.path(".local/state/overt")).unwrap();
    call("look").exits(1, &[]);
}

/// Overt hides forbidden tools, but `overt policy explain` must still explain them.
#[test]
fn a_wrapped_server_is_explained_as_the_server_that_it_is() {
    let home = with_site();
    home.write_entries("site/.mcp.json", FIXTURES[0].text);
    home.site(&["wrap", "--yes"]);
    let explain = || {
        let mut command =
            home.command_in("site", &["policy", "explain", "--mcp-json", ".mcp.json", "a", "change"]);
        report(&command.env("OVERT_FORMAT", "text").output().unwrap())
    };
    explain().exits(1, &["it needs `execute:a:change`"]);
    // The user's file counts before the server's first run, as it does in that run.
    let looks = || {
        let mut command =
            home.command_in("site", &["policy", "explain", "--mcp-json", ".mcp.json", "a", "look"]);
        report(&command.env("OVERT_FORMAT", "text").output().unwrap())
    };
    assert!(!home.path(".local/state/overt/grants.sqlite").exists(), "nothing was started yet");
    let said = looks().exits(1, &["the call would ask you how far you trust the server"]);
    let mut typed = home.command_in("site", &["policy", "explain", "--name", "a", "look", "--", "sh"]);
    let typed = typed.arg(home.server.path("server.sh")).env("OVERT_FORMAT", "text").output().unwrap();
    assert_eq!(report(&typed), said);
    let file = home.read(".config/overt/overt.toml");
    home.write_entries(".config/overt/overt.toml", &file.replace("\"changes\"", "\"everything\""));
    let said = looks().exits(1, &[]);
    assert!(!said.contains("how far you trust"), "{said}");
    home.write_entries(".config/overt/overt.toml", &file);
    home.site(&["grants", "allow", "change", "--server", "a", "--project", "."]).succeeds();
    // Grants are found.
    explain().exits(0, &["grant: g-1"]);
    home.site(&["forbid", "change", "--as", "tool", "--yes"]).succeeds();
    explain().exits(1, &["the user forbids it"]);
}

#[test]
fn an_entry_that_was_edited_stays_unless_forced() {
    let home = with_site();
    let before = home.write_entries("site/.mcp.json", FIXTURES[0].text);
    home.site(&["wrap", "--yes"]);
    let edited = home.read("site/.mcp.json").replace("\"sh\", ", "\"sh\", \"-e\", ");
    fs::write(home.path("site/.mcp.json"), &edited).unwrap();
    let output = home.command_in("site", &["unwrap", "--yes"]).env_remove("OVERT_FORMAT").output().unwrap();
    // Nothing would change, so no person has to allow it.
    report(&output).exits(1, &["was edited since it was wrapped"]);
    assert_eq!(home.read("site/.mcp.json"), edited);
    home.site(&["unwrap", "--yes", "--force"]);
    assert_eq!(home.read("site/.mcp.json"), before);
    // Edits elsewhere in the entry are kept.
    home.site(&["wrap", "--yes"]);
    let other = home.read("site/.mcp.json").replace("60000", "5");
    fs::write(home.path("site/.mcp.json"), other).unwrap();
    home.site(&["unwrap", "--yes"]);
    assert_eq!(home.read("site/.mcp.json"), before.replace("60000", "5"));
}

/// Unwrapping removes protection, so an agent can't do it (DESIGN 5.6), and its attempt is
/// recorded.
#[test]
fn a_09_unwrap_needs_a_person() {
    let home = with_site();
    let before = home.write_entries("site/.mcp.json", FIXTURES[0].text);
    home.site(&["wrap", "--yes"]);
    let wrapped = home.read("site/.mcp.json");
    // Without a passphrase, with a missing one, and with a wrong one.
    let refused = home.command_in("site", &["unwrap", "--yes"]).output().unwrap();
    assert!(report(&refused).contains("only a person can answer this"), "{}", report(&refused));
    set_passphrase(&home.path(".local/state/overt"));
    let refused = home.command_in("site", &["unwrap", "--yes"]).output().unwrap();
    assert!(report(&refused).contains("the passphrase was not given"), "{}", report(&refused));
    let refused = run_with_stdin(
        &mut home.command_in("site", &["unwrap", "--yes", "--passphrase-stdin"]),
        "not this one\n",
    );
    assert!(refused.contains("the passphrase is wrong"), "{refused}");
    assert_eq!(home.read("site/.mcp.json"), wrapped);
    // Anyone may look.
    let shown = home.command_in("site", &["unwrap", "--dry-run"]).output().unwrap();
    assert!(shown.status.success(), "{}", report(&shown));
    let log = |kind: &str| home.site(&["audit", "query", "grants", "--kind", kind]).json()["records"].clone();
    let denied = log("deny");
    assert_eq!(denied.as_array().map(Vec::len), Some(3), "{denied}");
    assert_eq!(denied[0]["layer"], "answerer");
    assert!(denied[0]["reason"].as_str().unwrap().starts_with("unwrap a: only a person"), "{denied}");
    assert!(denied[0]["target"].as_str().unwrap().ends_with(".mcp.json"), "{denied}");
    // A person can unwrap, and that is recorded too.
    home.site(&["unwrap", "--yes"]).succeeds();
    assert_eq!(home.read("site/.mcp.json"), before);
    let done = log("policy_load");
    assert_eq!(done[0]["reason"], "unwrap a", "{done}");
}

#[test]
fn links_modes_and_backups_are_kept() {
    let home = with_site();
    let before = home.write_entries("dotfiles/mcp.json", FIXTURES[3].text);
    fs::create_dir_all(home.path(".cursor")).unwrap();
    symlink(home.path("dotfiles/mcp.json"), home.path(".cursor/mcp.json")).unwrap();
    fs::set_permissions(home.path("dotfiles/mcp.json"), fs::Permissions::from_mode(0o600)).unwrap();
    let result = home.site(&["wrap", "cursor", "--yes"]).json();
    assert!(fs::symlink_metadata(home.path(".cursor/mcp.json")).unwrap().is_symlink());
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&home.path("dotfiles/mcp.json")), 0o600);
    let backup = PathBuf::from(result["files"][0]["backup"].as_str().unwrap());
    assert_eq!(fs::read_to_string(&backup).unwrap(), before);
    assert_eq!(mode(&backup), 0o600);
    assert_eq!(result["files"][0]["clients"], "Cursor");
}

/// Whenever the program is killed, the file is either old or new, and can be wrapped and unwrapped
/// afterwards.
#[test]
fn a_killed_wrap_leaves_the_old_file_or_the_new_one() {
    let home = with_site();
    let before = home.write_entries("site/.mcp.json", FIXTURES[0].text);
    home.site(&["wrap", "--yes"]);
    let after = home.read("site/.mcp.json");
    home.site(&["unwrap", "--yes"]);
    for step in 0..24 {
        let mut wrapping = Running::start(&mut home.command_in("site", &["wrap", "--yes"]));
        std::thread::sleep(Duration::from_millis(step * 2));
        let _ = wrapping.0.kill();
        wrapping.0.wait().unwrap();
        let found = home.read("site/.mcp.json");
        assert!(found == before || found == after, "{step}: {found}");
        let said = home.site(&["wrap", "--yes"]);
        assert_eq!(home.read("site/.mcp.json"), after, "{step}: {said}");
        home.site(&["unwrap", "--yes"]);
        assert_eq!(home.read("site/.mcp.json"), before, "{step}");
    }
}

#[test]
fn a_file_that_git_tracks_is_warned_about() {
    let home = with_site();
    home.write_entries("site/.mcp.json", FIXTURES[0].text);
    home.write_entries("site/.git/index", "DIRC\0\0\0\u{2}\0\0\0\u{1}\0\0.mcp.json\0");
    let said = home.site(&["wrap", "--dry-run"]);
    assert!(
        said.contains("warning: git tracks `") && said.contains("Claude Code, VS Code, JetBrains Air"),
        "{said}"
    );
}

#[test]
fn nothing_is_written_while_claude_desktop_runs() {
    let home = with_site();
    let before = home.write_entries(FIXTURES[2].path, FIXTURES[2].text);
    let _alone = alone_with_claude_desktop();
    let program = home.path("claude-desktop");
    fs::copy("/bin/sleep", &program).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the ban is for the product; this pretends to be a client")]
    let mut desktop = Running::start(Command::new(&program).arg("60").stdin(Stdio::null()));
    wait_until("it runs", || {
        fs::read_to_string(format!("/proc/{}/comm", desktop.0.id()))
            .is_ok_and(|name| name == "claude-desktop\n")
    });
    home.site(&["wrap", "claude-desktop", "--yes"]).exits(1, &["Claude Desktop is running"]);
    assert_eq!(home.read(FIXTURES[2].path), before);
    desktop.0.kill().unwrap();
    desktop.0.wait().unwrap();
    home.site(&["wrap", "claude-desktop", "--yes"]);
    assert_ne!(home.read(FIXTURES[2].path), before);
}

#[test]
fn a_file_that_is_not_understood_stops_no_other() {
    let home = with_site();
    home.write_entries("site/.mcp.json", FIXTURES[0].text);
    let broken = home.write_entries(".cursor/mcp.json", "{\"mcpServers\": ");
    let yaml = home.write_entries(".config/goose/config.yaml", "extensions: [\n");
    home.site(&["wrap", "--yes"]).exits(1, &["it is not JSON", "it is not YAML"]);
    assert!(home.read("site/.mcp.json").contains("\"run\""));
    assert_eq!(home.read(".cursor/mcp.json"), broken);
    assert_eq!(home.read(".config/goose/config.yaml"), yaml);
}

#[test]
fn the_state_folder_is_named_where_it_is_not_the_usual_one() {
    let home = with_site();
    home.write_entries("site/.mcp.json", FIXTURES[0].text);
    let state = home.path("elsewhere");
    let mut command = home.command_in("site", &["wrap", "--yes"]);
    assert!(command.env("OVERT_STATE_DIR", &state).output().unwrap().status.success());
    let words = json_entry(&home.read("site/.mcp.json"), &["mcpServers", "a"]);
    assert_eq!(words[2..4], ["--state-dir".to_owned(), state.to_string_lossy().into_owned()]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let call: Vec<&str> = ["call", "look", "--"].into_iter().chain(words).collect();
    home.site(&call).exits(1, &["have not decided yet"]);
    assert!(state.join("audit/a").is_dir(), "what it records is there");
    assert!(!home.path(".local/state/overt").exists());
}

#[test]
fn the_doctor_finds_what_is_wrong() {
    let home = with_site();
    home.write_entries("site/.mcp.json", FIXTURES[0].text);
    let lines = |arguments: &[&str]| -> Vec<String> {
        let result = home.site(arguments).json();
        let sections = result["sections"].as_array().unwrap().iter();
        let lines = sections.flat_map(|section| section["lines"].as_array().unwrap());
        let text = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
        lines.map(|line| ["name", "state", "text"].map(|name| text(line, name)).join(": ")).collect()
    };
    let has = |lines: &[String], part: &str| {
        assert!(lines.iter().any(|line| line.contains(part)), "{part}: {lines:#?}");
    };
    has(&lines(&["doctor"]), "a: note: not wrapped");
    home.site(&["wrap", "--yes"]);
    let found = lines(&["doctor"]);
    has(&found, "a: ok: wrapped, starts in ");
    has(&found, "speaks 2025-11-25");
    has(&found, "Claude Code: ok: can ask you itself");
    has(&found, "JetBrains Air: note: may not ask you itself, and nobody is watching");
    has(&found, "overt.toml: ok: has 1 decision about a server");
    has(&found, "backups: ok: 1 kept");
    has(&found, "audit log grants: ok: ");
    home.site(&["doctor"]).succeeds();
    home.write_entries(".claude/settings.json", r#"{"hooks":{"Elicitation":[]}}"#);
    home.write_entries(".codex/config.toml", "approval_policy = \"never\"\n");
    fs::remove_file(home.server.path("server.sh")).unwrap();
    let found = lines(&["doctor"]);
    has(&found, "a: wrong: wrapped, does not start: ");
    has(&found, "Claude Code: wrong: a hook `Elicitation`");
    has(&found, "Codex: wrong: `approval_policy = \"never\"`");
    home.site(&["doctor"]).exits(1, &[]);
}
