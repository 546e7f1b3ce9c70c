//! `overt undo`, after real calls of `overt fs`.
use serde_json::json;

use crate::day::{edit, everything_verifies, short};
use crate::environment::TestEnvironment;

#[test]
fn the_last_change_is_undone_and_brought_back() {
    let day = TestEnvironment::with_projects();
    let mut claude = day.files("claude-code", "site", &["."]);
    let change = edit(&mut claude, "src/a.ts", "one", "1");
    claude.end();
    // No person can be asked here, so nothing happens.
    day.text_in("site", &["undo"]).exits(2, &["-1 a", "+one a", "`--yes` undoes without asking"]);
    day.text_in("site", &["undo", "--dry-run"]).exits(0, &["+one a"]);
    assert_eq!(day.read("site/src/a.ts"), "1 a\ntwo\n");
    let undone = &day.json_in("api", &["undo", "--yes"])[0]["undone"][0];
    assert_eq!((&undone["change"], day.read("site/src/a.ts")), (&json!(change), "one a\ntwo\n".to_owned()));
    let by = undone["undoneBy"].as_str().unwrap();
    // The change is already undone, so a second undo has nothing to do.
    day.text_in("site", &["undo", "--yes"]).exits(1, &["there is nothing to undo"]);
    day.text_in("site", &["undo", &short(by), "--yes"]).exits(0, &["is undone as"]);
    assert_eq!(day.read("site/src/a.ts"), "1 a\ntwo\n");
    // The log shows it as the user's own action.
    let log = day.text_in("site", &["log"]);
    assert_eq!(log.matches(" you ").count(), 2, "{log}");
    let said = day.text_in("site", &["log", by]);
    assert!(said.contains("called      overt undo\n"), "{said}");
    assert!(said.contains("allowed by  you, with `overt undo`\n"), "{said}");
    let last = &day.json_in("site", &["log"])[0]["change"];
    let said = day.text_in("site", &["log", last.as_str().unwrap()]);
    let command = format!("`overt undo {}` brings back what it undid", short(last.as_str().unwrap()));
    assert!(said.contains(&command), "{said}");
    everything_verifies(&day);
}

/// I-03: a change that does not fit the journal is asked about each time. A person who wants to
/// undo it is told why that is impossible.
#[test]
fn i_03_what_cannot_be_undone_is_asked_about_and_known_as_such() {
    let day = TestEnvironment::with_projects();
    day.write("site/big", &"x".repeat(200_000));
    let mut claude = day.files("claude-code", "site", &["--journal-max-bytes", "100KiB", "."]);
    let earlier = edit(&mut claude, "src/a.ts", "one", "1");
    let delete = json!({ "path": "big", "content": "" });
    claude.call("write_file", &delete);
    assert!(claude.was_refused(), "{}", claude.last);
    let question = claude.last["result"]["_meta"]["dev.overt/question"].as_str().unwrap().to_owned();
    let shown = day.text_in("site", &["grants", "show", &question]);
    assert!(shown.contains("This can't be undone: `big` takes 200000 bytes in the journal"), "{shown}");
    let json = day.json_in("site", &["grants", "show", &question]);
    assert!(json[0]["shown"]["changes"]["irreversible"]["why"].is_string(), "{}", json[0]);
    // Only this call can be allowed.
    for lasting in ["--session", "--always"] {
        let said = day.text_in("site", &["grants", "allow", &question, lasting]);
        assert!(!said.starts_with("exit 0") && said.contains("each such call is asked about"), "{said}");
    }
    day.text_in("site", &["grants", "allow", &question, "--once"]).succeeds();
    claude.call("write_file", &delete);
    assert!(!claude.was_refused(), "{}", claude.last);
    assert_eq!(claude.last["result"]["structuredContent"]["irreversible"], true);
    claude.end();
    assert_eq!(day.read("site/big"), "");
    // It is the latest change, and does not block the undoing of others.
    day.text_in("site", &["undo", "--yes"]).exits(1, &["can't be undone: `big` takes 200000 bytes"]);
    let list = &day.json_in("site", &["undo", "--list"])[0]["changes"];
    assert_eq!((&list[0]["canUndo"], &list[1]["canUndo"]), (&json!(false), &json!(true)), "{list}");
    let log = day.json_in("site", &["log", "--tool", "write_file"]);
    let call = log.iter().find_map(|action| action["change"].as_str().and(action["call"].as_str())).unwrap();
    let said = day.text_in("site", &["log", call]);
    assert!(said.contains("can't be taken back: ") && said.contains("keeps at most 102400"), "{said}");
    day.text_in("site", &["undo", &short(&earlier), "--yes"]).succeeds();
    everything_verifies(&day);
}

/// V-04: an agent's undo that deletes is a deletion: it is denied by its name, and asks where a
/// deletion asks.
#[test]
fn v_04_an_undo_that_deletes_is_a_deletion() {
    let day = TestEnvironment::with_projects();
    day.write("deny.toml", "[policy]\ntools.deny = [\"delete_*\"]\n");
    let create = json!({ "path": "new.txt", "content": "new\n" });
    let revert = json!({ "path": "new.txt" });
    let mut denied = day.files("claude-code", "site", &["--config", "../deny.toml", "."]);
    denied.call("write_file", &create);
    denied.call("revert_change", &revert);
    let said = denied.last["result"]["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("does what `delete_file` does, and `delete_file` is denied"), "{said}");
    denied.end();
    let mut claude = day.files("claude-code", "site", &["."]);
    claude.call("revert_change", &revert);
    assert!(claude.was_refused() && day.path("site/new.txt").exists(), "{}", claude.last);
    let question = claude.last["result"]["_meta"]["dev.overt/question"].as_str().unwrap().to_owned();
    let shown = day.text_in("site", &["grants", "show", &question]);
    assert!(shown.contains("1 deleted") && shown.contains("Effect: destroys something"), "{shown}");
    day.text_in("site", &["grants", "allow", &question, "--once"]).succeeds();
    claude.call("revert_change", &revert);
    assert!(!claude.was_refused() && !day.path("site/new.txt").exists(), "{}", claude.last);
    claude.end();
    let records = day.text_in("site", &["audit", "query", "--tool", "revert_change", "--format", "json"]);
    assert!(records.contains(r#""effect":"destructive""#), "{records}");
    everything_verifies(&day);
}

/// V-04: an agent does not take back a person's undo, by id or by path.
#[test]
fn v_04_an_agent_does_not_take_back_a_persons_undo() {
    let day = TestEnvironment::with_projects();
    let mut claude = day.files("claude-code", "site", &["."]);
    let first = edit(&mut claude, "src/a.ts", "one", "1");
    let second = edit(&mut claude, "src/a.ts", "two", "2");
    let by = day.json_in("site", &["undo", "--yes"])[0]["undone"][0]["undoneBy"].clone();
    assert_eq!(day.read("site/src/a.ts"), "1 a\ntwo\n");
    for named in [json!({ "change": by }), json!({ "change": second }), json!({ "path": "src/a.ts" })] {
        claude.call("revert_change", &named);
        let said = claude.last["result"]["content"][0]["text"].as_str().unwrap();
        assert!(
            said.contains("the user took back the change") && said.contains("[UNDONE_BY_PERSON]"),
            "{said}"
        );
        assert_eq!(day.read("site/src/a.ts"), "1 a\ntwo\n");
    }
    // A new edit is an edit, and an older change of the agent is still its own.
    let third = edit(&mut claude, "src/a.ts", "two", "2");
    for change in [third, first] {
        claude.call("revert_change", &json!({ "change": change }));
        assert!(!claude.was_refused(), "{}", claude.last);
    }
    assert_eq!(day.read("site/src/a.ts"), "one a\ntwo\n");
    claude.end();
    everything_verifies(&day);
}

/// I-07: the journal belongs to the files, whatever the roots and processes are: other roots,
/// nested roots, restarts.
#[test]
fn i_07_changes_are_known_whatever_the_roots_were() {
    let day = TestEnvironment::with_projects();
    let mut inner = day.files("claude-code", "site", &["src"]);
    let first = edit(&mut inner, "a.ts", "one", "1");
    inner.end();
    let mut outer = day.files("Cursor", "api", &["../site", "."]);
    outer.call("write_file", &json!({ "path": day.path("api/new.txt"), "content": "new\n" }));
    let made = outer.last["result"]["structuredContent"]["change"].as_str().unwrap().to_owned();
    // A client with other roots can undo the changes that it can see.
    outer.call("revert_change", &json!({ "change": first }));
    assert!(!outer.was_refused(), "{}", outer.last);
    assert_eq!(day.read("site/src/a.ts"), "one a\ntwo\n");
    outer.end();
    // It can undo nothing else, and does not even learn the path.
    let mut api = day.files("Cursor", "api", &["."]);
    api.call("revert_change", &json!({ "change": first }));
    assert!(api.was_refused() && !api.last.to_string().contains("a.ts"), "{}", api.last);
    api.end();
    let list = &day.json_in("site", &["undo", "--list"])[0]["changes"];
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    let row = &list[0];
    assert_eq!(
        (&row["change"], &row["client"], &row["canUndo"]),
        (&json!(made), &json!("Cursor 1"), &json!(true))
    );
    assert_eq!(row["project"], day.path("api").to_str().unwrap());
    day.text_in("site", &["undo", "--yes", "../api/new.txt"]).succeeds();
    assert!(!day.path("api/new.txt").exists());
}

#[test]
fn several_are_undone_together_or_none_is() {
    let day = TestEnvironment::with_projects();
    let mut claude = day.files("claude-code", "site", &["."]);
    let a = edit(&mut claude, "src/a.ts", "one", "1");
    let a2 = edit(&mut claude, "src/a.ts", "two", "2");
    let b = edit(&mut claude, "src/b.ts", "one", "1");
    claude.call("move_file", &json!({ "from": "src/c.ts", "to": "src/d.ts" }));
    claude.end();
    // Another person changed one of the files. Nothing is undone, and the remaining changes are
    // named.
    day.write("site/src/b.ts", "mine\n");
    let said = day
        .text_in("site", &["undo", "--session", "--yes"])
        .exits(1, &["was changed by somebody else at ", "Nothing was undone", &short(&a)]);
    assert!(!said.contains(&format!("{}`", short(&b))), "{said}");
    assert_eq!(
        (day.read("site/src/a.ts"), day.read("site/src/d.ts")),
        ("1 a\n2\n".into(), "one c\ntwo\n".into())
    );
    // An earlier change can be undone only after the later one.
    day.text_in("site", &["undo", &short(&a), "--yes"]).exits(1, &[&format!("`overt undo {}`", short(&a2))]);
    // The remaining changes of one path: the diff shows both steps.
    day.text_in("site", &["undo", "--since", "1h", "--only", "src/a.ts", "--yes"])
        .exits(0, &["+two", "+one a"]);
    assert_eq!(day.read("site/src/a.ts"), "one a\ntwo\n");
    day.text_in("site", &["undo", "-n", "1", "--yes"]).succeeds();
    assert_eq!(day.read("site/src/c.ts"), "one c\ntwo\n");
    assert_eq!(day.read("site/src/b.ts"), "mine\n");
}

/// If a person changed a file after the agent did, they are told how to undo the rest by hand.
#[test]
fn a_conflict_says_what_to_do_next() {
    let day = TestEnvironment::with_projects();
    let mut claude = day.files("claude-code", "site", &["."]);
    let edits = json!([
        { "find": "one", "replace": "1" },
        { "path": "src/b.ts", "find": "one", "replace": "1" }
    ]);
    claude.call("edit_file", &json!({ "path": "src/a.ts", "edits": edits }));
    let change = claude.last["result"]["structuredContent"]["change"].as_str().map(short).unwrap();
    claude.end();
    day.write("site/src/b.ts", "mine\n");
    for words in [&["undo", "--yes"][..], &["undo", "--only", "src/a.ts", "--yes"]] {
        let said = day.text_in("site", words).exits(1, &["was changed by somebody else"]);
        let hint =
            format!("a change is undone as a whole, also with `--only`; `overt log {change}` shows the diff");
        assert!(said.contains(&hint), "{said}");
    }
    // The hint works as printed.
    day.text_in("site", &["log", &change])
        .exits(0, &["from before the change to now", "-one a\n+1 a\n", "-one b\n", "+mine"]);
}

#[test]
fn an_id_that_no_change_has_is_not_taken_for_a_path() {
    let day = TestEnvironment::with_projects();
    let mut claude = day.files("claude-code", "site", &["."]);
    edit(&mut claude, "src/a.ts", "one", "1");
    claude.end();
    day.text_in("site", &["undo", "c-zzzzzz", "--yes"])
        .exits(2, &["no change has the id `c-zzzzzz`", "`overt undo --list`"]);
}

/// A session has one id: `overt log` shows the same id that `overt undo` lists and accepts.
#[test]
fn a_session_has_the_same_id_in_the_log_and_in_undo() {
    let day = TestEnvironment::with_projects();
    let mut claude = day.files("claude-code", "site", &["."]);
    edit(&mut claude, "src/a.ts", "one", "1");
    edit(&mut claude, "src/b.ts", "one", "1");
    claude.end();
    let mut cursor = day.files("Cursor", "site", &["."]);
    edit(&mut cursor, "src/c.ts", "one", "1");
    cursor.end();
    let log = day.json_in("site", &["log", "--tool", "edit_file"]);
    let list = &day.json_in("site", &["undo", "--list"])[0]["changes"];
    let sessions: Vec<(&str, &str)> = log
        .iter()
        .map(|action| (action["change"].as_str().unwrap(), action["session"].as_str().unwrap()))
        .collect();
    let listed: Vec<(&str, &str)> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|change| (change["change"].as_str().unwrap(), change["session"].as_str().unwrap()))
        .collect();
    assert_eq!(sessions, listed);
    let first = sessions[2].1;
    assert_ne!(first, sessions[0].1, "two clients have two sessions");
    // The beginning of the id is enough, as with `overt log --session`.
    day.text_in("site", &["undo", "--session", &first[..12], "--yes"]).succeeds();
    assert_eq!(
        (day.read("site/src/a.ts"), day.read("site/src/b.ts"), day.read("site/src/c.ts")),
        ("one a\ntwo\n".into(), "one b\ntwo\n".into(), "1 c\ntwo\n".into())
    );
    day.text_in("site", &["undo", "--session", "0000", "--yes"])
        .exits(2, &["no change was made in the session `0000`"]);
}

/// A folder was replaced by a link to elsewhere: nothing is written through it.
#[test]
fn nothing_is_undone_through_a_link() {
    let day = TestEnvironment::with_projects();
    let mut claude = day.files("claude-code", "site", &["src"]);
    claude.call("delete_file", &json!({ "path": "a.ts" }));
    let change = edit(&mut claude, "b.ts", "one", "1");
    claude.end();
    std::fs::rename(day.path("site/src"), day.path("site/moved")).unwrap();
    std::os::unix::fs::symlink(day.path("site/moved"), day.path("").join("site/src")).unwrap();
    day.text_in("site", &["undo", &short(&change), "--yes"])
        .exits(1, &["moved, deleted or replaced by a link"]);
    assert_eq!(day.read("site/moved/b.ts"), "1 b\ntwo\n");
}
