//! `overt log`, on logs that real calls of `overt fs` and `overt run` have written.
use std::io::Write as _;

use serde_json::json;

use crate::day::{edit, everything_verifies, short};
use crate::environment::TestEnvironment;
use crate::support::{Running, wait_until};

/// A day of two clients: reads, two changes, a refusal, and a call to another server.
pub(crate) fn a_day() -> (TestEnvironment, [String; 2]) {
    let day = TestEnvironment::with_projects();
    let mut claude = day.files("claude-code", "site", &["."]);
    for name in ["a", "b", "c"] {
        claude.call("read_file", &json!({ "path": format!("src/{name}.ts") }));
    }
    let first = edit(&mut claude, "src/a.ts", "one", "1");
    let second = edit(&mut claude, "src/a.ts", "two", "2");
    claude.call("read_file", &json!({ "path": "/etc/passwd" }));
    assert!(claude.was_refused());
    claude.end();
    let mut cursor = day.notes("Cursor", "api", &["--allow", "execute,read,write"]);
    cursor.call("add", &json!({ "text": "hello", "api_key": "sk-hidden-hidden-hidden" }));
    assert!(!cursor.was_refused(), "{}", cursor.last);
    cursor.end();
    (day, [first, second])
}

#[test]
fn what_agents_did_is_shown_newest_first() {
    let (day, [first, second]) = a_day();
    let said = day.text_in("site", &["log"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(&lines[..3], ["exit 0", "--- stdout", "TODAY"], "{said}");
    let has = |line: usize, parts: &[&str]| {
        assert!(
            parts.iter().all(|part| lines[line].contains(part)),
            "line {line} of {said}\nlacks one of {parts:?}"
        );
    };
    has(3, &["Cursor", "api", "notes: ", "add", "  a-"]);
    has(4, &["claude-code", "site", "tried: ", "/etc/passwd", "refused", "  a-"]);
    has(5, &["claude-code", "site", "edited src/a.ts +1 -1", &short(&second)]);
    has(6, &["claude-code", "site", "edited src/a.ts +1 -1", &short(&first)]);
    has(7, &["claude-code", "site", "read 3 files"]);
    assert_eq!(lines.len(), 8, "{said}");
    assert!(!said.contains("sk-hidden"), "{said}");
    // The heading of a day is not an entry.
    for count in ["2", "4"] {
        let said = day.text_in("site", &["log", "-n", count]);
        let entries = said.lines().filter(|line| line.contains("claude-code") || line.contains("Cursor"));
        assert_eq!(entries.count().to_string(), count, "{said}");
    }
    everything_verifies(&day);
}

/// `refused`: Overt or its settings did not permit the call. `failed`: the tool answered with an
/// error, possibly before anything ran.
#[test]
fn refused_and_failed_are_told_apart() {
    let day = TestEnvironment::with_projects();
    day.write("site/.env", "KEY=1\n");
    let mut claude = day.files("claude-code", "site", &["--hidden", "**/.env", "."]);
    let edits = json!([{ "find": "one", "replace": "1" }]);
    let calls = [
        ("read_file", json!({ "path": ".env" }), "refused"),
        ("edit_file", json!({ "path": ".env", "edits": edits }), "refused"),
        ("delete_file", json!({ "path": "src/a.ts" }), "refused"),
        ("read_file", json!({ "path": "src/none.ts" }), "tool_error"),
        ("edit_file", json!({ "path": "src/none.ts", "edits": edits }), "failed_before"),
        ("read_file", json!({ "path": 7 }), "failed_before"),
    ];
    for (tool, arguments, _) in &calls {
        claude.call(tool, arguments);
        assert!(claude.was_refused(), "{}", claude.last);
    }
    claude.end();
    let log = day.json_in("site", &["log"]);
    let outcomes: Vec<&str> = log.iter().rev().map(|action| action["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, calls.each_ref().map(|(_, _, outcome)| *outcome));
    assert_eq!(
        log[5]["reason"],
        "`.env` is hidden by policy. Work without it, or ask the user to allow it and call again."
    );
    let said = day.text_in("site", &["log"]);
    let ends: Vec<&str> =
        said.lines().skip(3).filter_map(|line| line.split_whitespace().nth_back(1)).collect();
    assert_eq!(ends, ["failed", "failed", "failed", "refused", "refused", "refused"], "{said}");
    assert!(said.contains("tried: Read \".env\": `.env` is hidden by policy"), "{said}");
    assert!(said.contains("`src/none.ts` does not exist"), "{said}");
    assert_eq!(day.json_in("site", &["log", "--denied"]).len(), 3);
    for (outcome, count) in [("refused", 3), ("failed", 3), ("ok", 0), ("cancelled", 0), ("open", 0)] {
        assert_eq!(day.json_in("site", &["log", "--outcome", outcome]).len(), count, "{outcome}");
    }
    everything_verifies(&day);
}

#[test]
fn filters_take_what_they_say() {
    let (day, [first, _]) = a_day();
    let targets = |words: &[&str]| -> Vec<String> {
        let all = day.json_in("site", &[&["log"], words].concat());
        all.iter().map(|action| action["target"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(targets(&["--client", "CURSOR"]), ["add"]);
    assert_eq!(targets(&["--server", "notes"]), ["add"]);
    assert_eq!(targets(&["--project", "api"]), ["add"]);
    assert_eq!(targets(&["--project", "."]).len(), 6);
    assert_eq!(targets(&["--tool", "edit_file"]), ["edit_file", "edit_file"]);
    assert_eq!(targets(&["--denied"]), ["read_file"]);
    assert_eq!(targets(&["--changed", "src"]), ["edit_file", "edit_file"]);
    assert_eq!(targets(&["--changed", "src/a.ts", "-n", "1"]), ["edit_file"]);
    assert!(targets(&["--changed", "src/b.ts"]).is_empty());
    assert_eq!(targets(&["--since", "1h"]).len(), 7);
    assert!(targets(&["--until", "yesterday"]).is_empty());
    let of_change = day.json_in("site", &["log", "--tool", "edit_file"]);
    assert_eq!(of_change[1]["change"], first.as_str());
    let session = of_change[0]["session"].as_str().unwrap();
    assert_eq!(targets(&["--session", &session[..12]]).len(), 6);
    day.text_in("site", &["log", "--since", "soon"]).exits(2, &["`soon` is not a time"]);
}

#[test]
fn one_action_is_shown_whole() {
    let (day, [first, second]) = a_day();
    for id in [short(&second), second.clone()] {
        let said = day.text_in("site", &["log", &id]);
        for part in [
            "edited src/a.ts +1 -1",
            "claude-code 1",
            "tools/call edit_file",
            "the policy, without asking",
            &format!("`overt undo {}` takes it back", short(&second)),
            "-two",
            "+2",
        ] {
            assert!(said.contains(part), "{part} is not in {said}");
        }
    }
    // The diff of the first change is available although the file changed again.
    let said = day.text_in("site", &["log", &short(&first)]);
    assert!(
        said.contains("-one a") && said.contains("+1 a") && said.contains("can't be taken back"),
        "{said}"
    );
    let call = day.json_in("site", &["log", "--server", "notes"])[0]["call"].as_str().unwrap().to_owned();
    let detail = &day.json_in("site", &["log", &call])[0];
    assert_eq!((&detail["target"], &detail["canUndo"]), (&json!("add"), &json!(false)), "{detail}");
    assert_eq!(detail["records"].as_array().unwrap().len(), 2, "{detail}");
    assert!(!detail.to_string().contains("sk-hidden"), "{detail}");
    let lines = day.text_in("site", &["log", "--server", "notes"]);
    let id = lines.split_whitespace().find(|word| word.starts_with("a-")).unwrap();
    assert!(call.ends_with(&id[2..]), "{lines}");
    let by_line = &day.json_in("site", &["log", id])[0];
    assert_eq!(by_line["call"], call, "{by_line}");
    day.text_in("site", &["undo", id]).exits(2, &["changed no file"]);
    let number = id.rsplit_once('.').unwrap().1;
    for wrong in ["a-000000.1", &format!("a-.{number}"), &format!("a-{number}")] {
        // {wrong}.
        day.text_in("site", &["log", wrong]).exits(2, &["no recorded action"]);
    }
    day.text_in("site", &["log", "c-000000"]).exits(2, &["no recorded action"]);
}

/// Lines that are not records, logs of other programs and truncated lines do not stop the command.
#[test]
fn what_is_no_record_is_counted_and_named() {
    let (day, _) = a_day();
    let log = day.state().join("audit/overt-fs");
    let segment = std::fs::read_dir(&log).unwrap().map(|entry| entry.unwrap().path());
    let segment = segment.filter(|path| path.to_string_lossy().contains("seg-")).max().unwrap();
    let mut file = std::fs::OpenOptions::new().append(true).open(&segment).unwrap_or_else(|_| {
        let mut mode = std::fs::metadata(&segment).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o600);
        std::fs::set_permissions(&segment, mode).unwrap();
        std::fs::OpenOptions::new().append(true).open(&segment).unwrap()
    });
    file.write_all(b"{\"ts\":\"2026\"}\n\xff\xfe\nnot JSON at all \x1b[2J\n{\"half\":").unwrap();
    std::fs::create_dir(day.state().join("audit/foreign")).unwrap();
    let said = day
        .text_in("site", &["log"])
        .exits(0, &["edited src/a.ts", "log `overt-fs`: skipped 3 lines that can't be read as records"]);
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn nothing_recorded_is_no_error() {
    let day = TestEnvironment::with_projects();
    day.text_in("site", &["log"]).exits(0, &["nothing is recorded yet"]);
}

#[test]
fn new_actions_are_shown_as_they_come() {
    let (day, _) = a_day();
    let mut command = day.command_in("site", &["log", "--follow", "--tool", "edit_file"]);
    let output = day.path("followed");
    let printed = || std::fs::read_to_string(&output).unwrap_or_default();
    command.env("OVERT_FORMAT", "text");
    let child = command.stdout(std::fs::File::create(&output).unwrap()).spawn().unwrap();
    let following = Running(child);
    wait_until("the last ones are shown", || printed().matches("edited").count() == 2);
    let mut claude = day.files("claude-code", "site", &["."]);
    edit(&mut claude, "src/b.ts", "one", "1");
    wait_until("the new one is shown", || printed().contains("edited src/b.ts"));
    claude.end();
    drop(following);
}
