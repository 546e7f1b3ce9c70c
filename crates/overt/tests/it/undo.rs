//! `overt undo`, after real calls of `overt fs`.
use serde_json::json;

use crate::day::{Day, edit, everything_verifies, short};

#[test]
fn the_last_change_is_undone_and_brought_back() {
    let day = Day::new();
    let mut claude = day.files("claude-code", "site", &["."]);
    let change = edit(&mut claude, "src/a.ts", "one", "1");
    claude.end();
    // No person can be asked here, so nothing happens.
    let said = day.text("site", &["undo"]);
    assert!(said.starts_with("exit 2") && said.contains("-1 a") && said.contains("+one a"), "{said}");
    assert!(said.contains("`--yes` undoes without asking"), "{said}");
    let said = day.text("site", &["undo", "--dry-run"]);
    assert!(said.starts_with("exit 0") && said.contains("+one a"), "{said}");
    assert_eq!(day.read("site/src/a.ts"), "1 a\ntwo\n");
    let undone = &day.json("api", &["undo", "--yes"])[0]["undone"][0];
    assert_eq!((&undone["change"], day.read("site/src/a.ts")), (&json!(change), "one a\ntwo\n".to_owned()));
    let by = undone["undoneBy"].as_str().unwrap();
    // The change is already undone, so a second undo has nothing to do.
    let said = day.text("site", &["undo", "--yes"]);
    assert!(said.starts_with("exit 1") && said.contains("there is nothing to undo"), "{said}");
    let said = day.text("site", &["undo", &short(by), "--yes"]);
    assert!(said.starts_with("exit 0") && said.contains("is undone as"), "{said}");
    assert_eq!(day.read("site/src/a.ts"), "1 a\ntwo\n");
    // The log shows it as the user's own action.
    let log = day.text("site", &["log"]);
    assert_eq!(log.matches(" you ").count(), 2, "{log}");
    let said = day.text("site", &["log", by]);
    assert!(said.contains("called      overt undo\n"), "{said}");
    assert!(said.contains("allowed by  you, with `overt undo`\n"), "{said}");
    let last = &day.json("site", &["log"])[0]["change"];
    let said = day.text("site", &["log", last.as_str().unwrap()]);
    let command = format!("`overt undo {}` brings back what it undid", short(last.as_str().unwrap()));
    assert!(said.contains(&command), "{said}");
    everything_verifies(&day);
}

/// I-03: a change that does not fit the journal is asked about each time. A person who wants to
/// undo it is told why that is impossible.
#[test]
fn i_03_what_cannot_be_undone_is_asked_about_and_known_as_such() {
    let day = Day::new();
    day.write("site/big", &"x".repeat(200_000));
    let mut claude = day.files("claude-code", "site", &["--journal-max-bytes", "100KiB", "."]);
    let earlier = edit(&mut claude, "src/a.ts", "one", "1");
    let delete = json!({ "path": "big", "content": "" });
    claude.call("write_file", &delete);
    assert!(claude.was_refused(), "{}", claude.last);
    let question = claude.last["result"]["_meta"]["dev.overt/question"].as_str().unwrap().to_owned();
    let shown = day.text("site", &["grants", "show", &question]);
    assert!(shown.contains("This can't be undone: `big` takes 200000 bytes in the journal"), "{shown}");
    let json = day.json("site", &["grants", "show", &question]);
    assert!(json[0]["shown"]["changes"]["irreversible"]["why"].is_string(), "{}", json[0]);
    // Only this call can be allowed.
    for lasting in ["--session", "--always"] {
        let said = day.text("site", &["grants", "allow", &question, lasting]);
        assert!(!said.starts_with("exit 0") && said.contains("each such call is asked about"), "{said}");
    }
    let said = day.text("site", &["grants", "allow", &question, "--once"]);
    assert!(said.starts_with("exit 0"), "{said}");
    claude.call("write_file", &delete);
    assert!(!claude.was_refused(), "{}", claude.last);
    assert_eq!(claude.last["result"]["structuredContent"]["irreversible"], true);
    claude.end();
    assert_eq!(day.read("site/big"), "");
    // It is the latest change, and does not block the undoing of others.
    let said = day.text("site", &["undo", "--yes"]);
    assert!(
        said.starts_with("exit 1") && said.contains("can't be undone: `big` takes 200000 bytes"),
        "{said}"
    );
    let list = &day.json("site", &["undo", "--list"])[0]["changes"];
    assert_eq!((&list[0]["canUndo"], &list[1]["canUndo"]), (&json!(false), &json!(true)), "{list}");
    let log = day.json("site", &["log", "--tool", "write_file"]);
    let call = log.iter().find_map(|action| action["change"].as_str().and(action["call"].as_str())).unwrap();
    let said = day.text("site", &["log", call]);
    assert!(said.contains("can't be taken back: ") && said.contains("keeps at most 102400"), "{said}");
    let said = day.text("site", &["undo", &short(&earlier), "--yes"]);
    assert!(said.starts_with("exit 0"), "{said}");
    everything_verifies(&day);
}

/// I-07: the journal belongs to the files, whatever the roots and processes are: other roots,
/// nested roots, restarts.
#[test]
fn i_07_changes_are_known_whatever_the_roots_were() {
    let day = Day::new();
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
    let list = &day.json("site", &["undo", "--list"])[0]["changes"];
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    let row = &list[0];
    assert_eq!(
        (&row["change"], &row["client"], &row["canUndo"]),
        (&json!(made), &json!("Cursor 1"), &json!(true))
    );
    assert_eq!(row["project"], day.path("api").to_str().unwrap());
    let said = day.text("site", &["undo", "--yes", "../api/new.txt"]);
    assert!(said.starts_with("exit 0"), "{said}");
    assert!(!day.path("api/new.txt").exists());
}

#[test]
fn several_are_undone_together_or_none_is() {
    let day = Day::new();
    let mut claude = day.files("claude-code", "site", &["."]);
    let a = edit(&mut claude, "src/a.ts", "one", "1");
    let a2 = edit(&mut claude, "src/a.ts", "two", "2");
    let b = edit(&mut claude, "src/b.ts", "one", "1");
    claude.call("move_file", &json!({ "from": "src/c.ts", "to": "src/d.ts" }));
    claude.end();
    // Another person changed one of the files. Nothing is undone, and the remaining changes are
    // named.
    day.write("site/src/b.ts", "mine\n");
    let said = day.text("site", &["undo", "--session", "--yes"]);
    assert!(said.starts_with("exit 1") && said.contains("was changed by somebody else at "), "{said}");
    assert!(said.contains("Nothing was undone") && said.contains(&short(&a)), "{said}");
    assert!(!said.contains(&format!("{}`", short(&b))), "{said}");
    assert_eq!(
        (day.read("site/src/a.ts"), day.read("site/src/d.ts")),
        ("1 a\n2\n".into(), "one c\ntwo\n".into())
    );
    // An earlier change can be undone only after the later one.
    let said = day.text("site", &["undo", &short(&a), "--yes"]);
    assert!(said.starts_with("exit 1") && said.contains(&format!("`overt undo {}`", short(&a2))), "{said}");
    // The remaining changes of one path: the diff shows both steps.
    let said = day.text("site", &["undo", "--since", "1h", "--only", "src/a.ts", "--yes"]);
    assert!(said.starts_with("exit 0") && said.contains("+two") && said.contains("+one a"), "{said}");
    assert_eq!(day.read("site/src/a.ts"), "one a\ntwo\n");
    let said = day.text("site", &["undo", "-n", "1", "--yes"]);
    assert!(said.starts_with("exit 0"), "{said}");
    assert_eq!(day.read("site/src/c.ts"), "one c\ntwo\n");
    assert_eq!(day.read("site/src/b.ts"), "mine\n");
}

/// If a person changed a file after the agent did, they are told how to undo the rest by hand.
#[test]
fn a_conflict_says_what_to_do_next() {
    let day = Day::new();
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
        let said = day.text("site", words);
        assert!(said.starts_with("exit 1") && said.contains("was changed by somebody else"), "{said}");
        let hint =
            format!("a change is undone as a whole, also with `--only`; `overt log {change}` shows the diff");
        assert!(said.contains(&hint), "{said}");
    }
    // The hint works as printed.
    let said = day.text("site", &["log", &change]);
    assert!(said.starts_with("exit 0") && said.contains("from before the change to now"), "{said}");
    assert!(said.contains("-one a\n+1 a\n") && said.contains("-one b\n") && said.contains("+mine"), "{said}");
}

#[test]
fn an_id_that_no_change_has_is_not_taken_for_a_path() {
    let day = Day::new();
    let mut claude = day.files("claude-code", "site", &["."]);
    edit(&mut claude, "src/a.ts", "one", "1");
    claude.end();
    let said = day.text("site", &["undo", "c-zzzzzz", "--yes"]);
    assert!(said.starts_with("exit 2") && said.contains("no change has the id `c-zzzzzz`"), "{said}");
    assert!(said.contains("`overt undo --list`"), "{said}");
}

/// A session has one id: `overt log` shows the same id that `overt undo` lists and accepts.
#[test]
fn a_session_has_the_same_id_in_the_log_and_in_undo() {
    let day = Day::new();
    let mut claude = day.files("claude-code", "site", &["."]);
    edit(&mut claude, "src/a.ts", "one", "1");
    edit(&mut claude, "src/b.ts", "one", "1");
    claude.end();
    let mut cursor = day.files("Cursor", "site", &["."]);
    edit(&mut cursor, "src/c.ts", "one", "1");
    cursor.end();
    let log = day.json("site", &["log", "--tool", "edit_file"]);
    let list = &day.json("site", &["undo", "--list"])[0]["changes"];
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
    let said = day.text("site", &["undo", "--session", &first[..12], "--yes"]);
    assert!(said.starts_with("exit 0"), "{said}");
    assert_eq!(
        (day.read("site/src/a.ts"), day.read("site/src/b.ts"), day.read("site/src/c.ts")),
        ("one a\ntwo\n".into(), "one b\ntwo\n".into(), "1 c\ntwo\n".into())
    );
    let said = day.text("site", &["undo", "--session", "0000", "--yes"]);
    assert!(
        said.starts_with("exit 2") && said.contains("no change was made in the session `0000`"),
        "{said}"
    );
}

/// I-07: a journal of the first version, with one folder for each set of roots, can still be read.
#[test]
fn i_07_journals_of_the_first_version_are_read() {
    let day = Day::new();
    let old = day.state().join("files/0123456789abcdef/journal");
    std::fs::create_dir_all(&old).unwrap();
    let path = day.path("site/src/a.ts");
    let (first, now) = (
        "b640e840b19d378660b32fb51ae18d67dccb4a8596a29e7bd72c1b2ae5928f41",
        "8e79ecf76fa70dde1ca94355bf4a6b156803d781e0f11108c1940a3a66ea7fc2",
    );
    let record = json!({
        "version": 1, "id": "c-1794757265123-3fa9c1", "tool": "edit_file", "at": 1_794_757_265_123_u64,
        "step": { "what": "put", "path": path,
            "before": { "size": 6, "sha256": first, "mode": 0o644 },
            "after": { "size": 10, "sha256": now } },
        "kept_bytes": 6,
    });
    std::fs::write(old.join("c-1794757265123-3fa9c1.change"), format!("{record}\nfirst\n")).unwrap();
    let list = &day.json("site", &["undo", "--list"])[0]["changes"];
    assert_eq!(
        (&list[0]["change"], &list[0]["canUndo"]),
        (&json!("c-1794757265123-3fa9c1"), &json!(true)),
        "{list}"
    );
    let said = day.text("site", &["undo", "c-3fa9c1", "--yes"]);
    assert!(said.starts_with("exit 0"), "{said}");
    assert_eq!(day.read("site/src/a.ts"), "first\n");
}

/// A folder was replaced by a link to elsewhere: nothing is written through it.
#[test]
fn nothing_is_undone_through_a_link() {
    let day = Day::new();
    let mut claude = day.files("claude-code", "site", &["src"]);
    claude.call("delete_file", &json!({ "path": "a.ts" }));
    let change = edit(&mut claude, "b.ts", "one", "1");
    claude.end();
    std::fs::rename(day.path("site/src"), day.path("site/moved")).unwrap();
    std::os::unix::fs::symlink(day.path("site/moved"), day.path("").join("site/src")).unwrap();
    let said = day.text("site", &["undo", &short(&change), "--yes"]);
    assert!(said.starts_with("exit 1") && said.contains("moved, deleted or replaced by a link"), "{said}");
    assert_eq!(day.read("site/moved/b.ts"), "1 b\ntwo\n");
}
