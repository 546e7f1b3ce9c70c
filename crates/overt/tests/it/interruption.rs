//! Ctrl-C and SIGTERM at a terminal: every command ends with the same exit code and changes
//! nothing.
use std::path::Path;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};

use crate::day::edit;
use crate::environment::TestEnvironment;
use crate::support::{Script, overt};
use crate::watch_screen::Pty;
use crate::wrap::with_site;

/// How a person, or another program, ends a command.
#[derive(Debug, Clone, Copy)]
enum By {
    CtrlC,
    Terminate,
}

const INITIALIZE: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}\n";

const BOTH: [By; 2] = [By::CtrlC, By::Terminate];

/// Starts the command, waits until it shows `text`, and ends it. Returns everything that it wrote.
#[track_caller]
fn interrupted(command: Command, text: &str, by: By) -> String {
    interrupted_after("", command, text, by)
}

/// Types `typed`, waits until the command shows `text`, and ends it. Returns everything that it
/// wrote.
#[track_caller]
fn interrupted_after(typed: &str, mut command: Command, text: &str, by: By) -> String {
    let mut pty = Pty::by_agent(command.env_remove("OVERT_FORMAT"), 100, 40);
    pty.press(typed);
    pty.wait_for_output(text);
    match by {
        By::CtrlC => pty.press("\u{3}"),
        By::Terminate => kill_process(Pid::from_child(&pty.child), Signal::TERM).unwrap(),
    }
    let status = pty.finish();
    assert_eq!(status.code(), Some(130), "{by:?}: {status}\n{}", pty.text());
    assert!(pty.is_restored(), "{by:?}: {}", pty.text());
    pty.text()
}

fn at(place: &Path, arguments: &[&str]) -> Command {
    let mut command = overt();
    command.args(arguments).current_dir(place).env("OVERT_STATE_DIR", place.join("state"));
    command
}

/// The program ends without waiting for the line that it is reading.
#[test]
fn servers_at_a_terminal_end() {
    let place = tempfile::TempDir::new().unwrap();
    std::fs::create_dir(place.path().join("files")).unwrap();
    for by in BOTH {
        interrupted(at(place.path(), &["fs", "files"]), "Ctrl-C ends it", by);
        interrupted(at(place.path(), &["skills", "files"]), "Ctrl-C ends it", by);
    }
}

#[test]
fn a_server_behind_overt_run_ends() {
    let server = Script::with_tools(r#"[{"name":"t"}]"#);
    for by in BOTH {
        let mut command = server.overt(&["run"]);
        command.env("OVERT_STATE_DIR", server.path("state"));
        interrupted_after(INITIALIZE, command, "scripted", by);
    }
}

/// `overt wrap` talked to a server before the question, and handled signals meanwhile.
#[test]
fn wrap_ends_at_its_question() {
    let file =
        r#"{"mcpServers":{"a":{"command":"sh","args":["SCRIPT"]},"b":{"command":"sh","args":["SCRIPT"]}}}"#;
    for by in BOTH {
        let home = with_site();
        let before = home.write_entries("site/.mcp.json", file);
        let said = interrupted(home.command_in("site", &["wrap", ".mcp.json"]), "[?]", by);
        assert!(said.ends_with("\ninterrupted; nothing was changed\r\n"), "{said}");
        assert_eq!(said.matches("scripted 1.2.3").count(), 1, "the next server was started: {said}");
        assert_eq!(home.read("site/.mcp.json"), before);
        assert!(!home.path(".config/overt/overt.toml").exists());
    }
}

#[test]
fn a_question_of_yes_or_no_ends_the_command() {
    let day = TestEnvironment::with_projects();
    let mut claude = day.files("claude-code", "site", &["."]);
    edit(&mut claude, "src/a.ts", "one", "1");
    claude.end();
    for by in BOTH {
        let said = interrupted(day.command_in("site", &["undo"]), "Undo this change? [y/N]", by);
        assert!(said.ends_with("\ninterrupted; nothing was changed\r\n"), "{said}");
        assert_eq!(day.read("site/src/a.ts"), "1 a\ntwo\n");
    }
}

/// The terminal echoes input again.
#[test]
fn a_passphrase_that_is_not_typed_ends_the_command() {
    let place = tempfile::TempDir::new().unwrap();
    crate::support::set_passphrase(&place.path().join("state"));
    for by in BOTH {
        let said = interrupted(at(place.path(), &["passphrase", "set"]), "Passphrase: ", by);
        assert!(said.ends_with("\ninterrupted; nothing was changed\r\n"), "{said}");
    }
}

/// The server's question stays unanswered, and the server learns that the call is cancelled.
#[test]
fn a_question_during_a_call_ends_the_call() {
    let question = r#"send '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}'
hear; hear"#;
    for by in BOTH {
        let server = Script::with_tools(r#"[{"name":"t"}]"#).on("tools/call", question);
        let said = interrupted(server.overt(&["call", "t"]), "\n> ", by);
        assert!(said.contains("\ninterrupted\r\n"), "{said}");
        let received = server.received();
        assert!(received.contains("notifications/cancelled"), "{received}");
        assert!(!received.contains("\"action\""), "{received}");
    }
}
