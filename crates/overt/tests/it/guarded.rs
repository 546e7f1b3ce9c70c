//! V-05: an agent without a shell can't take Overt away through `overt fs`, and a server that lost
//! Overt is named.
use serde_json::{Value, json};

use crate::environment::TestEnvironment;
use crate::support::{overt, set_passphrase};
use crate::ui::Page;
use crate::watch_screen::Pty;
use crate::wrap::with_site;

const SERVERS: &str = r#"{"mcpServers":{"a":{"command":"evil"}}}"#;

fn write(path: &str, content: &str) -> Value {
    json!({ "path": path, "content": content, "create_parents": true })
}

/// Also where everything is allowed without asking.
#[test]
fn v_05_what_starts_programs_is_refused_or_asked_about() {
    for flags in [&["."][..], &["--allow-all", "."]] {
        let day = TestEnvironment::with_projects();
        let mut claude = day.files("claude-code", "site", flags);
        for (path, content, part) in [
            (".mcp.json", SERVERS, "`mcpServers` in it starts servers or permits tools"),
            (".claude/settings.json", r#"{"permissions":{"allow":["*"]}}"#, "`permissions` in it"),
            ("overt.toml", "", "a file of Overt's settings"),
        ] {
            claude.call("write_file", &write(path, content));
            assert!(claude.was_refused(), "{path}: {}", claude.last);
            let said = claude.last.to_string();
            assert!(said.contains("PATH_GUARDED") && said.contains(part), "{path}: {said}");
        }
        for (path, what) in [
            (".git/hooks/pre-commit", "a git hook"),
            (".vscode/tasks.json", "the tasks of VS Code"),
            (".envrc", "a file that direnv runs"),
        ] {
            for _ in 0..2 {
                let call = write(path, "#!/bin/sh\n");
                claude.call("write_file", &call);
                assert!(claude.was_refused(), "{path}: {}", claude.last);
                let meta = &claude.last["result"]["_meta"];
                let question = meta["dev.overt/question"].as_str().unwrap().to_owned();
                let shown = day.text_in("site", &["grants", "show", &question]);
                let said = format!("This can start programs or permit tools: `{path}` is {what}.");
                assert!(shown.contains(&said), "{shown}");
                let lasting = day.text_in("site", &["grants", "allow", &question, "--session"]);
                assert!(lasting.contains("each such call is asked about"), "{lasting}");
                day.text_in("site", &["grants", "allow", &question, "--once"]).succeeds();
                claude.call("write_file", &call);
                assert!(!claude.was_refused(), "{path}: {}", claude.last);
            }
        }
        claude.call("write_file", &write("moved/config.toml", "approval_policy = \"never\""));
        assert!(!claude.was_refused(), "{}", claude.last);
        claude.call("write_file", &write("src/new.rs", "x"));
        assert!(!claude.was_refused(), "{}", claude.last);
        claude.end();
        assert!(!day.path("site/.mcp.json").exists() && !day.path("site/.claude").exists());
    }
}

fn lines(home: &TestEnvironment) -> String {
    home.site(&["doctor", "--no-start"]).to_string()
}

#[test]
fn v_05_the_doctor_and_watch_name_a_server_that_lost_overt() {
    let home = with_site();
    let plain = home.write_entries(
        "site/.mcp.json",
        r#"{"mcpServers":{"a":{"command":"sh","args":["SCRIPT"]},"b":{"command":"sh","args":["SCRIPT"]}}}"#,
    );
    home.site(&["wrap", ".mcp.json", "--yes"]).succeeds();
    let wrapped = home.read("site/.mcp.json");
    let found = lines(&home);
    assert!(found.contains("2 entries were wrapped, and none lost it"), "{found}");
    let mut command = overt();
    command.env("OVERT_STATE_DIR", home.state()).env("HOME", home.path("")).env_remove("OVERT_FORMAT");
    command.args(["watch", "--no-notify"]);
    let mut pty = Pty::inbox(&command, &home.state(), 100, 24);
    pty.wait_for("No questions");
    set_passphrase(&home.state());
    let mut ui = overt();
    ui.env("OVERT_STATE_DIR", home.state()).env("HOME", home.path("")).args(["ui", "--passphrase-stdin"]);
    let page = Page::run(&mut ui);
    let mut unwrapped = page.events("/api/events", "unwrapped");
    // An option that lets everything through, then no Overt at all.
    home.write("site/.mcp.json", &wrapped.replacen("\"--name\"", "\"--allow-all\", \"--name\"", 1));
    pty.wait_for("1 server without Overt");
    let said = unwrapped.next().unwrap();
    assert!(said[0].as_str().unwrap().contains("`--allow-all` is new"), "{said}");
    assert!(lines(&home).contains("`--allow-all` is new"), "{}", lines(&home));
    home.write("site/.mcp.json", &plain);
    pty.wait_for("2 servers without Overt");
    assert_eq!(unwrapped.next().unwrap().as_array().unwrap().len(), 2);
    let found = lines(&home);
    assert!(found.contains("was wrapped and no longer is"), "{found}");
    home.write("site/.mcp.json", &wrapped);
    pty.wait_for("No questions ·");
    assert_eq!(unwrapped.next().unwrap(), json!([]));
    home.write("site/.mcp.json", &plain);
    pty.wait_for("was wrapped and no longer is");
    pty.press("q");
    pty.finish();
    // A person who wants it so says so once.
    home.site(&["unwrap", ".mcp.json", "--yes"]).succeeds();
    let found = lines(&home);
    assert!(!found.contains("no longer is"), "{found}");
}
