//! `overt audit`, on logs that `overt run` or this test has written.
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::Command;

use overt_layers::audit::{CallOutcome, Durability, Entry, Kind, Latency, Ledger as _};
use overt_state::audit::{AuditLog, CheckpointFile, KnownLogs, Options};
use overt_wire::json::{Json, JsonBuf};
use tempfile::TempDir;

use crate::environment::TestEnvironment;
use crate::output::{CommandOutput, snapshot};
use crate::support::overt;

/// Makes a state folder with a log of the server `files`.
pub(crate) fn with_log() -> TestEnvironment {
    let state = TestEnvironment::new();
    let anchors = CheckpointFile::new(&state.path("state/anchors.jsonl"));
    let options = Options { sinks: vec![Box::new(anchors)], ..state.log_options() };
    let log = AuditLog::open(state.path("state/audit/files"), options).unwrap();
    let common = Entry {
        principal: Some("ada".to_owned()),
        method: Some("tools/call".to_owned()),
        server: Some("files".to_owned()),
        ..Entry::new(Kind::Intent)
    };
    let intent = Entry {
        call: Some("c1".to_owned()),
        target: Some("edit_file".to_owned()),
        intent: Some("Edit /t/a.rs\u{202e}".to_owned()),
        arguments: Some(JsonBuf::parse(r#"{"path":"/t/a.rs"}"#).unwrap().into()),
        needed: vec!["write:file:/t/a.rs".to_owned()],
        decision: Some("allow"),
        grant: Some("g-1".to_owned()),
        ..common.clone()
    };
    let outcome = Entry {
        kind: Kind::Outcome,
        outcome: Some(CallOutcome::Ok),
        latency: Some(Latency { upstream: 1500, total: 2000, ..Latency::default() }),
        arguments: None,
        ..intent.clone()
    };
    let deny = Entry {
        kind: Kind::Deny,
        call: Some("c2".to_owned()),
        target: Some("delete_file".to_owned()),
        needed: vec!["write:file:/t/b".to_owned()],
        decision: Some("deny"),
        rules: vec!["no-deletes".to_owned()],
        reason: Some("=deleting is not allowed".to_owned()),
        ..common
    };
    for entry in [intent, outcome, deny] {
        let written = log.write(entry, Durability::Durable);
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(written).unwrap();
    }
    log.close();
    state
}

impl TestEnvironment {
    fn log_options(&self) -> Options {
        let known_logs = Some(KnownLogs::of(&self.state()));
        Options { known_logs, ..Options::new(self.state()) }
    }

    pub(crate) fn audit(&self, words: &[&str]) -> CommandOutput {
        self.run(&[&["audit"], words].concat())
    }

    pub(crate) fn segment(&self) -> PathBuf {
        self.path("state/audit/files/seg-00000000000000000001.jsonl")
    }

    /// Adds a second log, whose records are between those of the first or after them.
    pub(crate) fn and_another(self) -> Self {
        let log = AuditLog::open(self.path("state/audit/mail"), self.log_options()).unwrap();
        log.note(Entry {
            call: Some("m1".to_owned()),
            target: Some("send".to_owned()),
            decision: Some("deny"),
            ..Entry::new(Kind::Deny)
        });
        log.close();
        self
    }
}

#[test]
fn a_log_that_holds() {
    let state = with_log();
    snapshot!(state.audit(&["verify", "--format", "text"]), @"
    exit 0
    --- stdout
    anchored   nothing
    verified   records 1 to 7
    broken     nothing
    signed     up to record 6, by checkpoints in the log
    note: without an anchor, a log that was written anew with the key, or put back to an earlier state, can't be seen
    note: whether the process that wrote the log told the truth can't be seen
    ");
    let anchors = state.path("state/anchors.jsonl");
    snapshot!(state.audit(&["verify", "files", "--anchor", anchors.to_str().unwrap()]), @r#"
    exit 0
    --- stdout
    {"ok":true,"anchored":{"from":1,"to":6},"verified":{"from":7,"to":7},"broken":null,"records":7,"segments":1,"head":"sha256:[HASH]","signedTo":6,"missing":0,"recoveries":0,"closed":true,"unfinished":false,"beingWritten":false,"cannotDetect":["whether records were cut off or changed after 6, the last anchor, can't be seen","whether the process that wrote the log told the truth can't be seen"]}
    "#);
}

#[test]
fn aud_03_a_log_that_does_not_hold_is_a_finding() {
    let state = with_log();
    let text = std::fs::read_to_string(state.segment()).unwrap();
    std::fs::write(state.segment(), text.replace("no-deletes", "yes-delete")).unwrap();
    snapshot!(state.audit(&["verify", "--format", "text"]), @"
    exit 1
    --- stdout
    anchored   nothing
    verified   records 1 to 4
    broken     from record 5 on: its hash does not fit what it says
    signed     up to record 1, by checkpoints in the log
    note: without an anchor, records that were cut off at the end, or a log that was written anew, can't be seen
    note: whether the process that wrote the log told the truth can't be seen
    ");
    snapshot!(state.audit(&["verify"]), @r#"
    exit 1
    --- stdout
    {"ok":false,"anchored":null,"verified":{"from":1,"to":4},"broken":{"seq":5,"why":"its hash does not fit what it says"},"records":4,"segments":0,"head":"sha256:[HASH]","signedTo":1,"missing":0,"recoveries":0,"closed":false,"unfinished":false,"beingWritten":false,"cannotDetect":["without an anchor, records that were cut off at the end, or a log that was written anew, can't be seen","whether the process that wrote the log told the truth can't be seen"]}
    "#);
}

#[test]
fn aud_04_a_cut_tail_is_a_finding_with_an_anchor() {
    let state = with_log();
    let text = std::fs::read_to_string(state.segment()).unwrap();
    let kept: String = text.lines().take(4).map(|line| format!("{line}\n")).collect();
    std::fs::write(state.segment(), kept).unwrap();
    // The log was closed, and the mark of the closing names its last record.
    snapshot!(state.audit(&["verify", "--format", "text"]), @"
    exit 1
    --- stdout
    anchored   nothing
    verified   records 1 to 4
    broken     from record 5 on: the log ends before it, but `closed.json` says that it was closed with record 7
    signed     up to record 1, by checkpoints in the log
    note: without an anchor, records that were cut off at the end, or a log that was written anew, can't be seen
    note: whether the process that wrote the log told the truth can't be seen
    ");
    // Without the mark, the log looks as after a crash.
    std::fs::remove_file(state.path("state/audit/files/closed.json")).unwrap();
    snapshot!(state.audit(&["verify", "--format", "text"]), @"
    exit 4
    --- stdout
    anchored   nothing
    verified   records 1 to 4
    broken     nothing
    signed     up to record 1, by checkpoints in the log
    unfinished the log: nothing says that it was closed; no process is writing it, so it crashed or was cut; an anchor would tell
               the next `overt run` continues it and records a recovery
    note: without an anchor, records that were cut off at the end, or a log that was written anew, can't be seen
    note: whether the process that wrote the log told the truth can't be seen
    ");
    let anchors = state.path("state/anchors.jsonl");
    snapshot!(state.audit(&["verify", "--format", "text", "--anchor", anchors.to_str().unwrap()]), @"
    exit 1
    --- stdout
    anchored   nothing
    verified   records 1 to 4
    broken     from record 5 on: the log ends before it, but an anchor of [TIME] covers records up to 6
    signed     up to record 1, by checkpoints in the log
    note: no anchor is about a record that is here
    note: whether the process that wrote the log told the truth can't be seen
    ");
}

#[test]
fn records_are_found_and_shown_safely() {
    let state = with_log();
    snapshot!(state.audit(&["query", "--format", "text"]), @r#"
    exit 0
    --- stdout
      SEQ  TIME                 KIND     TARGET       DECISION  OUTCOME  WHO  WHAT
      3    [TIME]  intent   edit_file    allow              ada  Edit /t/a.rs\u{202e}
      4    [TIME]  outcome  edit_file    allow     ok       ada  Edit /t/a.rs\u{202e}
      5    [TIME]  deny     delete_file  deny               ada  =deleting is not allowed
    "#);
    snapshot!(state.audit(&["query", "--all", "--format", "text"]), @r#"
    exit 0
    --- stdout
      SEQ  TIME                 KIND        TARGET       DECISION  OUTCOME  WHO  WHAT
      1    [TIME]  segment
      2    [TIME]  start
      3    [TIME]  intent      edit_file    allow              ada  Edit /t/a.rs\u{202e}
      4    [TIME]  outcome     edit_file    allow     ok       ada  Edit /t/a.rs\u{202e}
      5    [TIME]  deny        delete_file  deny               ada  =deleting is not allowed
      6    [TIME]  stop
      7    [TIME]  checkpoint
    "#);
    snapshot!(state.audit(&["query", "--decision", "deny", "--format", "text"]), @"
    exit 0
    --- stdout
      SEQ  TIME                 KIND  TARGET       DECISION  WHO  WHAT
      5    [TIME]  deny  delete_file  deny      ada  =deleting is not allowed
    ");
    snapshot!(state.audit(&["query", "--path", "/t", "--limit", "1", "--oldest", "--format", "text"]), @r#"
    exit 0
    --- stdout
      SEQ  TIME                 KIND    TARGET     DECISION  WHO  WHAT
      3    [TIME]  intent  edit_file  allow     ada  Edit /t/a.rs\u{202e}
    --- stderr
    there are more: `--after 3` shows them
    "#);
    snapshot!(state.audit(&["query", "--path", "/t", "--limit", "2", "--format", "text"]), @r#"
    exit 0
    --- stdout
      SEQ  TIME                 KIND     TARGET       DECISION  OUTCOME  WHO  WHAT
      4    [TIME]  outcome  edit_file    allow     ok       ada  Edit /t/a.rs\u{202e}
      5    [TIME]  deny     delete_file  deny               ada  =deleting is not allowed
    --- stderr
    there are earlier ones: `--before 4` shows them
    "#);
    state.audit(&["query", "--path", "/t/a", "--format", "text"]).succeeds();
    for filters in [
        ["--kind", "deny"],
        ["--tool", "delete_file"],
        ["--rule", "no-deletes"],
        ["--call", "c2"],
        ["--path", "/t/b"],
    ] {
        let output = state.command(&["audit", "query", "--format", "json"]).args(filters).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let json = Json::parse(text.trim()).unwrap();
        let records: Vec<_> = json.get("records").value().unwrap().elements().collect();
        assert_eq!(records.len(), 1, "{filters:?}: {text}");
        assert_eq!(records[0].get("kind").string().unwrap(), "deny");
    }
    assert!(state.audit(&["query", "--since", "1h", "--format", "json"]).contains("edit_file"));
    assert!(!state.audit(&["query", "--until", "1h", "--format", "json"]).contains("edit_file"));
}

#[test]
fn records_are_exported_as_they_are_or_as_rows() {
    let state = with_log();
    let output = state.command(&["audit", "export"]).output().unwrap();
    let segment = std::fs::read_to_string(state.segment()).unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), segment.replace('\u{202e}', "\\u202e"));
    let csv = state.command(&["audit", "export", "--as", "csv", "--kind", "deny"]).output().unwrap();
    let csv = String::from_utf8(csv.stdout).unwrap();
    assert_eq!(csv.lines().count(), 2);
    assert!(csv.contains(r#""'=deleting is not allowed""#), "{csv}");
}

/// V-13: no text of a client can act on the program that shows an export, or hide in it.
#[test]
fn v_13_an_export_has_no_deceptive_character() {
    let state = with_log();
    assert!(std::fs::read_to_string(state.segment()).unwrap().contains('\u{202e}'));
    for logs in 1..=2 {
        let state = if logs == 1 { with_log() } else { with_log().and_another() };
        for form in ["csv", "jsonl"] {
            let output = state.command(&["audit", "export", "--as", form]).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let found = text.chars().find(|c| overt_wire::text::is_deceptive(*c) && !"\r\n".contains(*c));
            assert_eq!(found, None, "{form}: {text}");
            assert!(text.contains("Edit /t/a.rs\\u"), "{form}: {text}");
        }
    }
}

#[test]
fn mistakes_are_explained() {
    let state = with_log();
    for arguments in [
        &["query", "--since", "tomorrow"][..],
        &["query", "--kind", "intend"],
        &["verify", "others"],
        &["verify", "--key", "abc"],
        &["verify", "--dir", "/nonexistent"],
        &["verify", "--anchor", "/nonexistent"],
    ] {
        state.audit(arguments).exits(2, &[]);
    }
    std::fs::create_dir(state.path("state/audit/others")).unwrap();
    snapshot!(state.audit(&["query", "--after", "3"]), @"
    exit 2
    --- stderr
    error: `--after 3` does not say in which log of files, others

    hint: name the server, or write `--after NAME=3`
    ");
    snapshot!(state.audit(&["query", "--decision", "maybe"]), @"
    exit 2
    --- stderr
    error: `maybe` is not a decision

    hint: write `allow`, `deny` or `needs_approval`
    ");
    snapshot!(state.audit(&["query", "other"]), @"
    exit 2
    --- stderr
    error: there is no audit log of `other`

    hint: there are logs of files, others
    ");
    snapshot!(state.audit(&["query", "files", "--kind", "intend"]), @"
    exit 2
    --- stderr
    error: `intend` is not a kind of record

    hint: write `intent`, `outcome`, `deny`, `approval_request`, `approval`, `grant`, `revoke`, `policy_load`, `upstream_lost`, `upstream_restart`, `segment`, `checkpoint`, `gap`, `recovery`, `start` or `stop`
    ");
}

/// A card has latencies if there are records, and says since when and how many.
#[test]
fn cards_have_what_was_measured() {
    let state = with_log();
    let manifest = "[server]\nname = \"files\"\ndescription = \"Edits files. Use when the user wants a file edited.\"\n\n[tools.edit_file]\n\
        effect = \"mutating\"\nreversible = false\npii_exposure = \"low\"\nsecrets_exposure = \"none\"\nrefusal_modes = []\n";
    let path = crate::support::file(&state.state(), "overt.toml", manifest);
    let tool = r#"[{"name":"edit_file","description":"Edits.","inputSchema":{"type":"object"}}]"#;
    let server = crate::support::Script::with_tools(tool);
    let log = state.path("state/audit/files");
    let card = server.run(&[
        "card",
        "build",
        "--manifest",
        &path,
        "--tool",
        "edit_file",
        "--audit",
        log.to_str().unwrap(),
    ]);
    let performance = card.split_once("\"performance\": ").map(|(_, rest)| rest.split('}').next().unwrap());
    snapshot!(performance.unwrap_or(&card), @r#"
    {
        "p50_latency_ms": 2,
        "p99_latency_ms": 2,
        "measurement_window": "[TIME] to [TIME], calls: 1"
    "#);
    let card = server.run(&["card", "build", "--manifest", &path, "--tool", "edit_file"]).succeeds();
    assert!(!card.contains("performance"), "{card}");
}

#[test]
fn several_logs_are_read_as_one() {
    let state = with_log().and_another();
    snapshot!(state.audit(&["query", "--decision", "deny", "--format", "text"]), @"
    exit 0
    --- stdout
      LOG    SEQ  TIME                 KIND  TARGET       DECISION  WHO  WHAT
      files  5    [TIME]  deny  delete_file  deny      ada  =deleting is not allowed
      mail   3    [TIME]  deny  send         deny
    ");
    snapshot!(state.audit(&["verify", "--format", "text"]), @"
    exit 0
    --- stdout
    files  intact: records 1 to 7, signed up to 6
    mail   intact: records 1 to 5, signed up to 4
    note: without an anchor, a log that was written anew with the key, or put back to an earlier state, can't be seen
    note: whether the process that wrote the log told the truth can't be seen
    2 logs, 12 records: all are intact
    ");
    let verified = state.audit(&["verify", "--format", "text", "--verbose"]);
    for said in
        ["log        files\n", "verified   records 1 to 7\n", "\nlog        mail\n", "records 1 to 5\n"]
    {
        assert!(verified.starts_with("exit 0") && verified.contains(said), "{verified}");
    }
    let csv = state.audit(&["export", "--as", "csv", "--kind", "deny"]);
    assert!(csv.contains("log,seq,ts") && csv.contains("\nfiles,5,") && csv.contains("\nmail,3,"), "{csv}");
    let lines = state.audit(&["export", "--kind", "deny"]);
    assert!(lines.contains(r#"{"log":"mail","boot""#), "{lines}");
    let verified = state.audit(&["verify"]);
    assert!(verified.contains(r#"{"ok":true,"logs":[{"ok":true"#), "{verified}");
}

#[test]
fn a_log_that_was_removed_as_a_whole_is_a_finding() {
    let state = with_log().and_another();
    std::fs::remove_dir_all(state.path("state/audit/mail")).unwrap();
    state
        .audit(&["verify", "--format", "text"])
        .exits(1, &["/audit/mail` was removed as a whole", "1 is intact, 1 is broken"]);
    state.audit(&["verify", "mail", "--format", "text"]).exits(1, &["was removed as a whole"]);
    // The whole audit folder is deleted.
    std::fs::remove_dir_all(state.path("state/audit")).unwrap();
    let both = state.audit(&["verify"]).exits(1, &[r#""log":"files""#]);
    // A person who deleted it can confirm that.
    let note = both.split("remove `").nth(1).unwrap().split('`').next().unwrap();
    std::fs::remove_file(note).unwrap();
    let rest = state.audit(&["verify"]).exits(1, &[]);
    assert!(!rest.contains(r#""log":"files""#), "{rest}");
}

#[test]
fn pages_of_several_logs_follow_each_other() {
    let state = with_log().and_another();
    let page = |place: Option<&str>, [from, order, member]: [&str; 3]| {
        let mut command = state.command(&["audit", "query", "--format", "json", "--all", "--limit", "2"]);
        let place = place.map_or_else(|| order.to_owned(), |place| format!("--{from}={place}"));
        let output = command.args(Some(place).filter(|word| !word.is_empty())).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let json = Json::parse(text.trim()).unwrap();
        let place = |record: Json<'_>| {
            (
                record.get("log").string().unwrap().into_owned(),
                record.get("seq").value().unwrap().integer().unwrap(),
            )
        };
        let records: Vec<_> = json.get("records").value().unwrap().elements().map(place).collect();
        (records, json.get(member).string().map(std::borrow::Cow::into_owned))
    };
    for direction in [["after", "--oldest", "next"], ["before", "", "previous"]] {
        let mut all = Vec::new();
        let mut place = None;
        loop {
            let (records, more) = page(place.as_deref(), direction);
            assert!(records.len() == 2 || more.is_none());
            match direction[0] {
                "after" => all.extend(records),
                _ => all = [records, all].concat(),
            }
            place = more;
            if place.is_none() {
                break;
            }
        }
        for (log, last) in [("files", 7), ("mail", 5)] {
            let numbers: Vec<_> = all.iter().filter(|(name, _)| name == log).map(|(_, seq)| *seq).collect();
            assert_eq!(numbers, (1..=last).collect::<Vec<_>>(), "{direction:?}: {all:?}");
        }
    }
}

#[test]
fn the_folder_of_the_logs_may_be_set() {
    let state = with_log();
    let elsewhere = TempDir::new().unwrap();
    std::fs::rename(state.path("state/audit"), elsewhere.path().join("logs")).unwrap();
    let mut command = state.command(&["audit", "query", "--call", "c1", "--format", "json"]);
    let output = command.env("OVERT_AUDIT_DIR", elsewhere.path().join("logs")).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("edit_file"));
}

#[test]
fn no_records_are_not_a_log_that_holds() {
    let state = with_log();
    std::fs::remove_file(state.segment()).unwrap();
    for arguments in [&["verify"][..], &["query"], &["export"], &["verify", "--dir", "/"]] {
        state.audit(arguments).exits(2, &["there are no records in"]);
    }
    let state = state.and_another();
    state.audit(&["verify"]).exits(1, &["there are no records in"]);
    let both = state.audit(&["verify", "--format", "text"]);
    assert!(both.contains("log        files\n") && both.contains("\nmail   intact: "), "{both}");
    assert!(both.contains("\n2 logs, 5 records: 1 is intact, 1 is broken"), "{both}");
}

#[test]
fn aud_02_an_unfinished_line_is_no_break_and_no_success() {
    let state = with_log();
    let text = std::fs::read_to_string(state.segment()).unwrap();
    std::fs::write(state.segment(), format!("{text}{{\"half")).unwrap();
    snapshot!(state.audit(&["verify", "--format", "text"]), @"
    exit 4
    --- stdout
    anchored   nothing
    verified   records 1 to 7
    broken     nothing
    signed     up to record 6, by checkpoints in the log
    unfinished the last line; no process is writing it, so it crashed or was cut; an anchor would tell
               the next `overt run` continues it and records a recovery
    note: without an anchor, records that were cut off at the end, or a log that was written anew, can't be seen
    note: whether the process that wrote the log told the truth can't be seen
    ");
    assert!(state.audit(&["verify"]).contains(r#""unfinished":true"#));
}

/// AUD-05: if a file may not grow, the write fails but the program does not end.
#[test]
#[expect(clippy::disallowed_methods, reason = "a shell sets the limit that the product starts under")]
fn aud_05_a_limit_on_files_stops_writes_and_not_the_program() {
    let tools = r#"[{"name":"act","inputSchema":{"type":"object"}}]"#;
    let server = crate::support::Script::with_tools(tools).result("tools/call", r#"{"content":[]}"#);
    let state = TempDir::new().unwrap();
    let mut shell = Command::new("bash");
    shell.args(["-c", r#"ulimit -f 100; exec "$@""#, "bash"]).arg(overt().get_program());
    shell.args(["run", "--allow-all", "--pin", "off", "--"]).args(server.command());
    shell.env("OVERT_STATE_DIR", state.path());
    let mut running = crate::support::Running::start(shell.stdin(std::process::Stdio::piped()));
    let mut stdin = running.0.stdin.take().unwrap();
    let mut answers = BufReader::new(running.0.stdout.take().unwrap()).lines();
    writeln!(stdin, "{HELLO}").unwrap();
    answers.next().unwrap().unwrap();
    let call =
        |id: u32| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"act"}}}}"#);
    writeln!(stdin, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).unwrap();
    // A few records are written before the file is full, even if many come at once later.
    (1..=10).for_each(|id| writeln!(stdin, "{}", call(id)).unwrap());
    for answer in answers.by_ref().take(10) {
        assert!(answer.unwrap().contains(r#""content":[]"#));
    }
    let sending = std::thread::spawn(move || {
        (11..=210).for_each(|id| writeln!(stdin, "{}", call(id)).unwrap());
        writeln!(stdin, r#"{{"jsonrpc":"2.0","id":211,"method":"tools/list"}}"#).unwrap();
        stdin
    });
    let answers: Vec<String> = answers.map_while(Result::ok).take(201).collect();
    drop(sending.join().unwrap());
    assert_eq!(answers.len(), 201, "it ended early");
    let refused = answers.iter().filter(|answer| answer.contains("AUDIT_UNAVAILABLE")).count();
    assert!(refused >= 1, "the file has room for all of them");
    let list = answers.iter().find(|answer| answer.contains(r#""id":211"#)).unwrap();
    assert!(list.contains(r#""name":"act""#), "{list}");
}

const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
