//! A call waits behind `overt run`, and a person decides about it with `overt grants` in another
//! process.
use std::process::Command;
use std::sync::Arc;

use overt_layers::grants::GrantStore as _;
use overt_state::audit::{AuditLog, Options};
use overt_state::grants::SqliteStore;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Running, Script, by_person, overt, report, wait_until};
use crate::watch_screen::Pty;

/// A server with a tool that changes something, and a state folder.
struct Place {
    server: Script,
    state: Arc<TempDir>,
}

impl Place {
    fn new() -> Self {
        Self::with(Arc::new(TempDir::new().unwrap()))
    }

    /// Another server of the same name, with the same state folder.
    fn beside(&self) -> Self {
        Self::with(Arc::clone(&self.state))
    }

    fn with(state: Arc<TempDir>) -> Self {
        let tool =
            r#"[{"name":"touch","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}]"#;
        let server = Script::with_tools(tool)
            .result("tools/call", r#"{"content":[{"type":"text","text":"touched"}]}"#);
        Self { server, state }
    }

    /// `overt call` through `overt run`. Its client can't ask a person.
    fn call(&self, options: &[&str]) -> Command {
        self.call_with("{}", options)
    }

    fn call_with(&self, arguments: &str, options: &[&str]) -> Command {
        let mut command = overt();
        command.args(["call", "touch", "--json", arguments, "--format", "json", "--", "env"]);
        command.arg(format!("OVERT_STATE_DIR={}", self.state.path().display()));
        command
            .arg(env!("CARGO_BIN_EXE_overt"))
            .arg("run")
            .args(options)
            .arg("--")
            .args(self.server.command());
        command
    }

    /// Returns the outcome of a call about which a person decides this while it waits.
    fn decided(&self, decision: &[&str]) -> String {
        let before = self.calls();
        let call = Running::start(&mut self.call(&["--approval-wait", "60s"]));
        let question = self.question();
        assert_eq!(self.calls(), before, "nothing reaches the server before the answer");
        let said = self.grants(&[&[decision[0], question.as_str()], &decision[1..]].concat());
        assert!(said.starts_with("exit 0"), "{said}");
        call.report()
    }

    /// Returns the id of the question as soon as a call waits.
    fn question(&self) -> String {
        let mut open = Vec::new();
        wait_until("the call waits", || {
            let store = SqliteStore::open_if_there(self.state.path()).unwrap();
            open = store.map(|store| store.questions().unwrap()).unwrap_or_default();
            !open.is_empty()
        });
        open.remove(0).id.0
    }

    fn audit(&self, arguments: &[&str]) -> String {
        let mut command = overt();
        command.env("OVERT_STATE_DIR", self.state.path()).arg("audit").args(arguments);
        report(&command.output().unwrap())
    }

    fn grants(&self, arguments: &[&str]) -> String {
        let mut command = overt();
        command.env("OVERT_STATE_DIR", self.state.path()).arg("grants").args(arguments);
        report(&by_person(&mut command))
    }

    /// Returns how many calls the server has seen.
    fn calls(&self) -> usize {
        self.server.received().matches(r#""method":"tools/call""#).count()
    }

    /// Makes a call about which nobody decides.
    fn refused(&self) -> String {
        report(&self.call(&[]).output().unwrap())
    }
}

#[test]
fn a_yes_from_another_terminal_lets_one_call_through() {
    let place = Place::new();
    let called = place.decided(&["allow"]);
    assert!(called.starts_with("exit 0") && called.contains("touched"), "{called}");
    assert_eq!(place.calls(), 1);
    let again = place.refused();
    assert!(again.starts_with("exit 1") && again.contains("PERMISSION_NOT_GRANTED"), "{again}");
    assert_eq!(place.calls(), 1, "it was for one call");
    assert!(place.grants(&["list"]).contains(r#"{"grants":[]}"#));
}

#[test]
fn a_no_from_another_terminal_refuses_the_call() {
    for decision in [&["deny"][..], &["deny", "--session"]] {
        let place = Place::new();
        let called = place.decided(decision);
        assert!(called.starts_with("exit 1") && called.contains("PERMISSION_DENIED"), "{called}");
        assert_eq!(place.calls(), 0);
    }
}

#[test]
fn a_yes_that_lasts_is_there_for_the_next_process_until_it_is_revoked() {
    let place = Place::new();
    let called = place.decided(&["allow", "--always"]);
    assert!(called.starts_with("exit 0"), "{called}");
    let again = place.refused();
    assert!(again.starts_with("exit 0") && again.contains("touched"), "{again}");
    assert_eq!(place.calls(), 2);
    assert!(place.grants(&["revoke", "g-1"]).starts_with("exit 0"));
    assert!(place.refused().starts_with("exit 1"));
    assert_eq!(place.calls(), 2);
}

#[test]
fn the_question_of_a_process_that_is_gone_can_not_be_answered() {
    let place = Place::new();
    let refused = place.refused();
    assert!(refused.contains(r#""requested_scopes":["write:"#), "{refused}");
    assert!(refused.contains(r#""dev.overt/question":"q-1""#), "{refused}");
    let said = place.grants(&["allow", "q-1"]);
    assert!(said.starts_with("exit 2") && said.contains("must be made again"), "{said}");
}

/// A grant is bound to the server itself. Another server of the same name can't use it.
#[test]
fn what_one_server_was_granted_is_not_for_another_of_the_same_name() {
    let one = Place::new();
    let other = one.beside();
    assert!(one.decided(&["allow", "--always"]).starts_with("exit 0"));
    assert!(one.refused().starts_with("exit 0"), "it lasts");
    let refused = other.refused();
    assert!(refused.starts_with("exit 1") && refused.contains("PERMISSION_NOT_GRANTED"), "{refused}");
    assert!(
        refused.contains(r#""requested_scopes":["write:server-sh:touch""#),
        "scopes keep the short name: {refused}"
    );
    assert_eq!(other.calls(), 0);

    let advance = |server: &str| {
        let allow =
            ["allow", "--server", server, "--tool", "touch", "--scope", "write:server-sh:touch", "--always"];
        one.grants(&allow)
    };
    let several = advance("server-sh");
    assert!(
        several.starts_with("exit 2") && several.contains("there are several servers `server-sh`"),
        "{several}"
    );
    let granted = one.grants(&["list"]);
    let whole = |text: &str| -> Vec<String> {
        text.match_indices("server-sh#").map(|(at, name)| text[at..at + name.len() + 8].to_owned()).collect()
    };
    let others: Vec<String> =
        whole(&several).into_iter().filter(|server| !granted.contains(server.as_str())).collect();
    assert_eq!((whole(&granted).len(), others.len()), (1, 1), "{several} {granted}");
    assert!(advance(&others[0]).starts_with("exit 0"));
    assert!(other.refused().starts_with("exit 0"));
    assert_eq!(other.calls(), 1);
}

#[test]
fn a_short_name_is_enough_where_one_server_has_it() {
    let place = Place::new();
    place.refused();
    let allow =
        ["allow", "--server", "server-sh", "--tool", "touch", "--scope", "write:server-sh:touch", "--always"];
    let said = place.grants(&allow);
    assert!(said.starts_with("exit 0") && said.contains("server-sh#"), "{said}");
    assert!(place.refused().starts_with("exit 0"));
    let unknown =
        place.grants(&["allow", "--server", "nobody", "--tool", "t", "--scope", "write:x:y", "--always"]);
    assert!(unknown.starts_with("exit 2") && unknown.contains("no server `nobody` is known"), "{unknown}");
}

/// Returns the recorded decisions in order: kind, decision, grant, reason.
fn decided(log: &str) -> Vec<String> {
    let json = log.split_once("--- stdout\n").expect("data").1;
    let page: Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    let text = |record: &Value, name: &str| record[name].as_str().unwrap_or("-").to_owned();
    let of_people =
        |record: &&Value| ["approval", "grant", "revoke"].contains(&text(record, "kind").as_str());
    let line = |record: &Value| {
        assert!(text(record, "server") == "server-sh" && text(record, "target") == "touch", "{record}");
        assert_eq!(text(record, "server_id").len(), 8, "{record}");
        assert!(text(record, "project").starts_with('/'), "{record}");
        ["kind", "decision", "grant", "reason"].map(|name| text(record, name)).join(" ")
    };
    page["records"].as_array().unwrap().iter().filter(of_people).map(line).collect()
}

/// Every decision with `overt grants` is on disk before it takes effect.
#[test]
fn what_is_decided_is_in_the_audit_log() {
    let place = Place::new();
    assert!(place.decided(&["allow", "--always"]).starts_with("exit 0"));
    assert!(place.grants(&["revoke", "g-1"]).starts_with("exit 0"));
    assert!(place.decided(&["deny"]).starts_with("exit 1"));
    let allow =
        ["allow", "--server", "server-sh", "--tool", "touch", "--scope", "write:server-sh:touch", "--always"];
    assert!(place.grants(&allow).starts_with("exit 0"));
    let log = place.audit(&["query", "grants"]);
    assert_eq!(
        decided(&log),
        [
            "approval allow - q-1: yes, always",
            "grant allow g-1 q-1: yes, always",
            "revoke - g-1 -",
            "approval deny - q-2: no",
            "approval allow - in advance, until revoked",
            "grant allow g-2 in advance, until revoked",
        ]
    );
    // Without a name, all logs are queried.
    let all = place.audit(&["query", "--kind", "revoke"]);
    assert!(all.contains(r#"{"records":[{"log":"grants","#), "{all}");
    let verified = place.audit(&["verify"]);
    assert!(verified.starts_with("exit 0") && verified.matches(r#""ok":true"#).count() == 3, "{verified}");
    let both = place.audit(&["export"]);
    assert!(both.contains(r#""log":"grants""#) && both.contains(r#""log":"server-sh""#), "{both}");
    let segment = place.state.path().join("audit/grants/seg-00000000000000000001.jsonl");
    let text = std::fs::read_to_string(&segment).unwrap().replacen("yes, always", "no, sorry", 1);
    std::fs::write(&segment, text).unwrap();
    let verified = place.audit(&["verify"]);
    assert!(verified.starts_with("exit 1") && verified.contains(r#""ok":false"#), "{verified}");
}

#[test]
fn what_can_t_be_written_down_is_not_decided() {
    let place = Place::new();
    place.refused();
    let options = Options::new(place.state.path());
    let log = AuditLog::open(place.state.path().join("audit/grants"), options).unwrap();
    let allow =
        ["allow", "--server", "server-sh", "--tool", "touch", "--scope", "write:server-sh:touch", "--always"];
    let said = place.grants(&allow);
    assert!(said.starts_with("exit 3") && said.contains("another process writes the audit log"), "{said}");
    assert!(place.grants(&["list"]).contains(r#"{"grants":[]}"#));
    let mut without = overt();
    without.env("OVERT_STATE_DIR", place.state.path()).env("OVERT_AUDIT", "off").arg("grants").args(allow);
    assert!(report(&by_person(&mut without)).starts_with("exit 0"), "who does without the log may");
    log.close();
    assert!(place.grants(&["revoke", "--all"]).starts_with("exit 0"));
}

#[test]
fn no_secret_of_the_arguments_is_shown_or_kept_while_a_call_waits() {
    let secrets = ["hunter2-planted", "planted-key-0123456789", "AKIAIOSFODNN7PLANTED"];
    let arguments = format!(
        r#"{{"to":"me","password":"{}","api_key":"{}","note":"use {} for it"}}"#,
        secrets[0], secrets[1], secrets[2]
    );
    let place = Place::new();
    let call = Running::start(&mut place.call_with(&arguments, &["--approval-wait", "60s"]));
    let question = place.question();
    let mut kept = String::new();
    for file in std::fs::read_dir(place.state.path().join("grants")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            kept.push_str(&String::from_utf8_lossy(&std::fs::read(path).unwrap()));
        }
    }
    assert!(kept.contains("touch") && kept.contains("[redacted]"), "the question is there");
    for shown in [kept, place.grants(&["pending"]), place.grants(&["pending", "--format", "text"])] {
        for secret in secrets {
            assert!(!shown.contains(secret), "{secret}: {shown}");
        }
    }
    assert!(place.grants(&["deny", &question]).starts_with("exit 0"));
    assert!(call.report().starts_with("exit 1"));
}

/// The whole path: a call waits because the inbox is open, a key press permits it, and the next
/// call needs none.
#[test]
fn a_key_in_the_inbox_lets_a_waiting_call_through() {
    let place = Place::new();
    let mut watch = overt();
    watch
        .env("OVERT_STATE_DIR", place.state.path())
        .env_remove("OVERT_FORMAT")
        .args(["watch", "--no-notify"]);
    let mut inbox = Pty::inbox(&watch, place.state.path(), 80, 24);
    inbox.wait_for("No questions");
    let call = Running::start(&mut place.call(&[]));
    inbox.wait_for("1 question");
    // H-37: the server by its own name, and by the name that Overt gives it.
    inbox.wait_for("wants to run touch of \"scripted\" (server-sh)");
    assert_eq!(place.calls(), 0, "nothing reaches the server before the answer");
    inbox.press("p");
    let called = call.report();
    assert!(called.starts_with("exit 0") && called.contains("touched"), "{called}");
    let again = report(&place.call(&[]).output().unwrap());
    assert!(again.starts_with("exit 0") && again.contains("touched"), "{again}");
    inbox.press("u");
    inbox.wait_for("taken back, g-1 is revoked");
    let call = Running::start(&mut place.call(&[]));
    inbox.wait_for("1 question");
    inbox.press("x");
    let refused = call.report();
    assert!(refused.contains("does not want to be asked again"), "{refused}");
    inbox.wait_for("No questions");
    let refused = report(&place.call(&[]).output().unwrap());
    assert!(refused.contains("does not want to be asked again"), "{refused}");
    assert_eq!(place.calls(), 2);
    inbox.press("q");
    assert_eq!(inbox.finish().code(), Some(0));
    let verified = place.audit(&["verify"]);
    assert!(verified.starts_with("exit 0"), "{verified}");
}
