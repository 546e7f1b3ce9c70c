//! A call waits behind `overt run`, and a person decides about it with `overt grants` in another
//! process.
use overt_state::audit::{AuditLog, Options};
use serde_json::Value;

use crate::environment::TestEnvironment;
use crate::output::CommandOutput;
use crate::support::{Running, Script, by_person, overt, report};
use crate::watch_screen::Pty;

impl TestEnvironment {
    /// Returns the outcome of a call about which a person decides this while it waits.
    fn decided(&self, decision: &[&str]) -> CommandOutput {
        let before = self.calls();
        let call = Running::start(&mut self.call_through(&["touch"], &["--approval-wait", "60s"]));
        let question = self.question();
        assert_eq!(self.calls(), before, "nothing reaches the server before the answer");
        self.grants(&[&[decision[0], question.as_str()], &decision[1..]].concat()).succeeds();
        call.report()
    }

    pub(crate) fn grants(&self, words: &[&str]) -> CommandOutput {
        self.run(&[&["grants"], words].concat())
    }

    /// Makes a call about which nobody decides.
    fn undecided(&self) -> CommandOutput {
        self.call("touch", &[])
    }
}

#[test]
fn a_yes_from_another_terminal_lets_one_call_through() {
    let place = TestEnvironment::with_touch();
    place.decided(&["allow"]).exits(0, &["touched"]);
    assert_eq!(place.calls(), 1);
    place.undecided().exits(1, &["PERMISSION_NOT_GRANTED"]);
    assert_eq!(place.calls(), 1, "it was for one call");
    assert!(place.grants(&["list"]).contains(r#"{"grants":[]}"#));
}

#[test]
fn a_no_from_another_terminal_refuses_the_call() {
    for decision in [&["deny"][..], &["deny", "--session"]] {
        let place = TestEnvironment::with_touch();
        place.decided(decision).exits(1, &["PERMISSION_DENIED"]);
        assert_eq!(place.calls(), 0);
    }
}

#[test]
fn a_yes_that_lasts_is_there_for_the_next_process_until_it_is_revoked() {
    let place = TestEnvironment::with_touch();
    place.decided(&["allow", "--always"]).succeeds();
    place.undecided().exits(0, &["touched"]);
    assert_eq!(place.calls(), 2);
    place.grants(&["revoke", "g-1"]).succeeds();
    place.undecided().exits(1, &[]);
    assert_eq!(place.calls(), 2);
}

#[test]
fn the_question_of_a_process_that_is_gone_can_not_be_answered() {
    let place = TestEnvironment::with_touch();
    let refused = place.undecided();
    assert!(refused.contains(r#""requested_scopes":["write:"#), "{refused}");
    assert!(refused.contains(r#""dev.overt/question":"q-1""#), "{refused}");
    place.grants(&["allow", "q-1"]).exits(2, &["must be made again"]);
}

/// A grant is bound to the server itself. Another server of the same name can't use it.
#[test]
fn what_one_server_was_granted_is_not_for_another_of_the_same_name() {
    let one = TestEnvironment::with_touch();
    let other = one.beside(Script::touch());
    one.decided(&["allow", "--always"]).succeeds();
    // It lasts.
    one.undecided().succeeds();
    // Scopes keep the short name.
    other.undecided().exits(1, &["PERMISSION_NOT_GRANTED", r#""requested_scopes":["write:server-sh:touch""#]);
    assert_eq!(other.calls(), 0);

    let advance = |server: &str| {
        let allow =
            ["allow", "--server", server, "--tool", "touch", "--scope", "write:server-sh:touch", "--always"];
        one.grants(&allow)
    };
    let several = advance("server-sh").exits(2, &["there are several servers `server-sh`"]);
    let granted = one.grants(&["list"]);
    let whole = |text: &str| -> Vec<String> {
        text.match_indices("server-sh#").map(|(at, name)| text[at..at + name.len() + 8].to_owned()).collect()
    };
    let others: Vec<String> =
        whole(&several).into_iter().filter(|server| !granted.contains(server.as_str())).collect();
    assert_eq!((whole(&granted).len(), others.len()), (1, 1), "{several} {granted}");
    advance(&others[0]).succeeds();
    other.undecided().succeeds();
    assert_eq!(other.calls(), 1);
}

#[test]
fn a_short_name_is_enough_where_one_server_has_it() {
    let place = TestEnvironment::with_touch();
    place.undecided();
    let allow =
        ["allow", "--server", "server-sh", "--tool", "touch", "--scope", "write:server-sh:touch", "--always"];
    place.grants(&allow).exits(0, &["server-sh#"]);
    place.undecided().succeeds();
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
    let place = TestEnvironment::with_touch();
    place.decided(&["allow", "--always"]).succeeds();
    place.grants(&["revoke", "g-1"]).succeeds();
    place.decided(&["deny"]).exits(1, &[]);
    let allow =
        ["allow", "--server", "server-sh", "--tool", "touch", "--scope", "write:server-sh:touch", "--always"];
    place.grants(&allow).succeeds();
    let log = place.run(&["audit", "query", "grants"]);
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
    let all = place.run(&["audit", "query", "--kind", "revoke"]);
    assert!(all.contains(r#"{"records":[{"log":"grants","#), "{all}");
    let verified = place.run(&["audit", "verify"]);
    assert!(verified.starts_with("exit 0") && verified.matches(r#""ok":true"#).count() == 3, "{verified}");
    let both = place.run(&["audit", "export"]);
    assert!(both.contains(r#""log":"grants""#) && both.contains(r#""log":"server-sh""#), "{both}");
    let segment = place.state().join("audit/grants/seg-00000000000000000001.jsonl");
    let text = std::fs::read_to_string(&segment).unwrap().replacen("yes, always", "no, sorry", 1);
    std::fs::write(&segment, text).unwrap();
    place.run(&["audit", "verify"]).exits(1, &[r#""ok":false"#]);
}

#[test]
fn what_can_t_be_written_down_is_not_decided() {
    let place = TestEnvironment::with_touch();
    place.undecided();
    let options = Options::new(place.state());
    let log = AuditLog::open(place.state().join("audit/grants"), options).unwrap();
    let allow =
        ["allow", "--server", "server-sh", "--tool", "touch", "--scope", "write:server-sh:touch", "--always"];
    place.grants(&allow).exits(3, &["another process writes the audit log"]);
    assert!(place.grants(&["list"]).contains(r#"{"grants":[]}"#));
    let mut without = overt();
    without.env("OVERT_STATE_DIR", place.state()).env("OVERT_AUDIT", "off").arg("grants").args(allow);
    // Who does without the log may.
    report(&by_person(&mut without)).succeeds();
    log.close();
    place.grants(&["revoke", "--all"]).succeeds();
}

#[test]
fn no_secret_of_the_arguments_is_shown_or_kept_while_a_call_waits() {
    let secrets = ["hunter2-planted", "planted-key-0123456789", "AKIAIOSFODNN7PLANTED"];
    let arguments = format!(
        r#"{{"to":"me","password":"{}","api_key":"{}","note":"use {} for it"}}"#,
        secrets[0], secrets[1], secrets[2]
    );
    let place = TestEnvironment::with_touch();
    let call = Running::start(
        &mut place.call_through(&["touch", "--json", &arguments], &["--approval-wait", "60s"]),
    );
    let question = place.question();
    let mut kept = String::new();
    for file in std::fs::read_dir(place.state().join("grants")).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            kept.push_str(&String::from_utf8_lossy(&std::fs::read(path).unwrap()));
        }
    }
    assert!(kept.contains("touch") && kept.contains("[redacted]"), "the question is there");
    for shown in
        [kept, place.grants(&["pending"]).to_string(), place.text(&["grants", "pending"]).to_string()]
    {
        for secret in secrets {
            assert!(!shown.contains(secret), "{secret}: {shown}");
        }
    }
    place.grants(&["deny", &question]).succeeds();
    call.report().exits(1, &[]);
}

/// The whole path: a call waits because the inbox is open, a key press permits it, and the next
/// call needs none.
#[test]
fn a_key_in_the_inbox_lets_a_waiting_call_through() {
    let place = TestEnvironment::with_touch();
    let mut watch = place.command(&["watch", "--no-notify"]);
    let mut inbox = Pty::inbox(watch.env_remove("OVERT_FORMAT"), &place.state(), 80, 24);
    inbox.wait_for("No questions");
    let call = Running::start(&mut place.call_through(&["touch"], &[]));
    inbox.wait_for("1 question");
    // H-37: the server by its own name, and by the name that Overt gives it.
    inbox.wait_for("wants to run touch of \"scripted\" (server-sh)");
    assert_eq!(place.calls(), 0, "nothing reaches the server before the answer");
    inbox.press("p");
    call.report().exits(0, &["touched"]);
    let _again = place.undecided().exits(0, &["touched"]);
    inbox.press("u");
    inbox.wait_for("taken back, g-1 is revoked");
    let call = Running::start(&mut place.call_through(&["touch"], &[]));
    inbox.wait_for("1 question");
    inbox.press("x");
    let refused = call.report();
    assert!(refused.contains("does not want to be asked again"), "{refused}");
    inbox.wait_for("No questions");
    let refused = place.undecided();
    assert!(refused.contains("does not want to be asked again"), "{refused}");
    assert_eq!(place.calls(), 2);
    inbox.press("q");
    assert_eq!(inbox.finish().code(), Some(0));
    place.run(&["audit", "verify"]).succeeds();
}
