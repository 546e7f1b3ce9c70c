//! The policy on the page of `overt ui`: the verdicts about the tools, the effect of a change to
//! the user's file, and that only a person can save it, and only over the version that was loaded.
use serde_json::{Value, json};

use crate::day::{edit, everything_verifies};
use crate::environment::TestEnvironment;
use crate::ui::{Answered, Page};

const FILE: &str = ".config/overt/overt.toml";

/// A day on which a client edited a file and used another server.
fn day() -> TestEnvironment {
    let day = TestEnvironment::with_projects();
    let mut files = day.files("claude-code", "site", &["."]);
    edit(&mut files, "src/a.ts", "one", "1");
    files.call("read_file", &json!({ "path": "src/b.ts" }));
    files.end();
    let mut notes = day.notes("claude-code", "site", &[]);
    notes.ask("tools/list", &json!({}));
    notes.call("look", &json!({}));
    notes.end();
    day
}

fn write(day: &TestEnvironment, text: &str) {
    std::fs::create_dir_all(day.path(".config/overt")).unwrap();
    day.write(FILE, text);
}

fn preview(page: &Page, text: &str) -> Value {
    let (status, said) = page.post("/api/policy/preview", &json!({ "text": text }));
    assert_eq!(status, 200, "{said}");
    said
}

fn save(page: &Page, text: &str, digest: &Value) -> Answered {
    page.post("/api/policy", &json!({ "text": text, "digest": digest }))
}

/// Returns `tool now then` for each row.
fn rows(of: &Value) -> Vec<String> {
    let word = |verdict: &Value| verdict["verdict"].as_str().unwrap_or("-").to_owned();
    let rows = of["rows"].as_array().unwrap_or_else(|| panic!("{of}")).iter();
    rows.map(|row| format!("{} {} {}", row["tool"].as_str().unwrap(), word(&row["now"]), word(&row["then"])))
        .collect()
}

#[test]
fn a_tool_of_the_file_server_is_shown_for_each_decision_about_its_calls() {
    let day = TestEnvironment::with_projects();
    day.write("api/secret.txt", "x");
    let mut files = day.files("claude-code", "site", &[".", "--grantable", "../api"]);
    files.call("read_file", &json!({ "path": "src/a.ts" }));
    files.call("read_file", &json!({ "path": "src/b.ts" }));
    files.call("read_file", &json!({ "path": day.path("api/secret.txt") }));
    assert!(files.was_refused(), "{}", files.last);
    files.end();
    let page = Page::of_day(&day);
    let policy = page.get("/api/policy").1;
    assert_eq!(rows(&policy["tools"]), ["read_file needs_approval -", "read_file allow -"], "{policy}");
    let by = |row: usize| policy["tools"]["rows"][row]["now"]["by"].as_str().unwrap().to_owned();
    assert!(by(0).contains("/api/secret.txt`"), "{}", by(0));
    assert!(by(1).ends_with("/site/src/b.ts` is in its folders"), "the last call counts: {}", by(1));
    // A text that denies a file in the served folders changes that row.
    let path = day.path("site/src/b.ts");
    let seen = preview(&page, &format!("[settings]\ndeny = [\"read:file:{}\"]\n", path.display()));
    assert!(rows(&seen["tools"]).contains(&"read_file allow deny".to_owned()), "{seen}");
}

#[test]
fn what_is_decided_about_each_tool_is_shown_and_by_what() {
    let day = day();
    let page = Page::of_day(&day);
    let (status, policy) = page.get("/api/policy");
    assert_eq!(status, 200, "{policy}");
    assert_eq!((&policy["exists"], &policy["digest"]), (&json!(false), &json!("none")));
    assert_eq!(
        rows(&policy["tools"]),
        ["add needs_approval -", "look needs_approval -", "edit_file allow -", "read_file allow -"]
    );
    let edits = &policy["tools"]["rows"][2];
    assert_eq!((&edits["server"], &edits["project"]), (&json!("overt-fs"), &json!(day.path("site"))));
    let by = edits["now"]["by"].as_str().unwrap();
    assert!(by.starts_with("`") && by.ends_with("/site/src/a.ts` is in its folders"), "{by}");
    let by = policy["tools"]["rows"][1]["now"]["by"].as_str().unwrap();
    assert_eq!(by, "the first call asks how far you trust the server");
    assert_eq!(policy["settings"]["allow"]["value"], json!(["read"]), "{policy}");
    assert_eq!(policy["overlay"], Value::Null);

    day.text_in("site", &["trust", "notes"]).succeeds();
    let tools = page.get("/api/policy").1["tools"].clone();
    assert_eq!(rows(&tools)[..2], ["add needs_approval -", "look allow -"]);
    assert!(tools["rows"][1]["now"]["by"].as_str().unwrap().contains("before changes"), "{tools}");
}

#[test]
fn a_text_is_held_against_the_tools_and_the_calls_of_the_last_week() {
    let day = day();
    write(&day, "# mine\n[settings]\nallow = [\"read\"]\n");
    let page = Page::of_day(&day);
    let before = page.get("/api/policy").1;
    let edited = |text: &str, change: Value| {
        let (status, said) = page.post("/api/policy/edit", &json!({ "text": text, "change": change }));
        assert_eq!(status, 200, "{said}");
        said
    };
    let text = before["text"].as_str().unwrap();
    let forbidden = edited(text, json!({ "forbid": { "kind": "tool", "what": "edit_file" } }));
    assert_eq!(forbidden["words"], "tool `edit_file` of every server is refused, whatever else allows it");
    let text = forbidden["text"].as_str().unwrap();
    assert!(text.starts_with("# mine\n"), "comments stay: {text}");
    let permitted = edited(text, json!({ "permit": { "kind": "tool", "what": "add", "server": "notes" } }));
    let text = permitted["text"].as_str().unwrap();

    let seen = preview(&page, text);
    assert_eq!(seen["unusable"], Value::Null, "{seen}");
    assert_eq!(rows(&seen["tools"]), ["add needs_approval allow", "edit_file allow deny"]);
    assert_eq!(rows(&seen["calls"]), ["edit_file allow deny"]);
    let call = &seen["calls"]["rows"][0];
    assert_eq!(call["calls"], 1, "{call}");
    assert!(call["then"]["by"].as_str().unwrap().contains("forbid tool edit_file"), "{call}");
    assert!(seen["diff"].as_str().unwrap().contains("+id = \"forbid tool edit_file\""), "{seen}");
    assert_eq!(day.read(FILE), "# mine\n[settings]\nallow = [\"read\"]\n", "a preview writes nothing");

    // Added entries are listed, and can be removed again.
    let form = &seen["form"];
    assert_eq!(form["rules"][0]["id"], "forbid tool edit_file", "{form}");
    let items = form["lists"][0]["items"].as_array().unwrap();
    assert!(items.contains(&json!("execute:notes:add")), "{form}");
    let mut back = edited(text, json!({ "remove-rule": { "id": "forbid tool edit_file" } }))["text"].clone();
    for scope in ["read:notes:add", "write:notes:add", "execute:notes:add"] {
        let change = json!({ "remove-item": { "list": "settings.allow", "item": scope } });
        back = edited(back.as_str().unwrap(), change)["text"].clone();
    }
    assert_eq!(back, before["text"]);
    for (change, expected) in [
        (json!({ "remove-item": { "list": "settings.allow", "item": "nothing" } }), 409),
        (json!({ "remove-item": { "list": "settings.audit", "item": "off" } }), 409),
        (json!({ "permit": { "kind": "tool", "what": "add", "server": "noets" } }), 409),
        (json!({ "forbid": { "kind": "tool", "what": " " } }), 400),
    ] {
        let (status, said) = page.post("/api/policy/edit", &json!({ "text": text, "change": change }));
        assert_eq!(status, expected, "{change}: {said}");
    }
}

#[test]
fn what_is_wrong_with_a_text_has_a_line_and_a_column() {
    let day = day();
    let page = Page::of_day(&day);
    let seen = preview(&page, "[policy]\ntools.dney = [\"x\"]\n");
    let finding = &seen["findings"][0];
    assert_eq!((&finding["line"], &finding["column"]), (&json!(2), &json!(14)), "{finding}");
    assert_eq!(finding["severity"], "error");
    assert!(seen.get("tools").is_none(), "nothing is decided by a text that can't be used");
    let seen = preview(&page, "[settings]\nallow = [\"read\"\n");
    let finding = &seen["findings"][0];
    assert_eq!((&finding["line"], &finding["column"]), (&json!(2), &json!(16)), "{seen}");
    assert_eq!(seen["form"], Value::Null);
    let (status, said) = save(&page, "[policy]\ntools.dney = [\"x\"]\n", &json!("none"));
    assert_eq!(status, 422, "{said}");
    assert!(said["error"]["message"].as_str().unwrap().contains("line 2, column 14"), "{said}");
    let broken = "[servers.notes]\ntrust = \"blind\"\n";
    assert_eq!(save(&page, broken, &json!("none")).0, 422);
    assert!(!day.path(FILE).exists());
    let long = format!("# {}", "x".repeat(100_001));
    assert_eq!(page.post("/api/policy/preview", &json!({ "text": long })).0, 413);
}

#[test]
fn a_person_saves_over_what_was_loaded_and_nothing_else() {
    let day = day();
    let page = Page::of_day(&day);
    let rule = "[[rules]]\nid = \"no-add\"\naction = \"deny\"\nwhen = { tool = \"add\" }\n";
    let (status, said) = save(&page, rule, &json!("none"));
    assert_eq!(status, 200, "{said}");
    assert!(said["words"].as_str().unwrap().contains("is written (+4 -0)"), "{said}");
    assert_eq!(day.read(FILE), rule);
    let loaded = page.get("/api/policy").1;
    assert_eq!((&loaded["digest"], &loaded["text"]), (&said["digest"], &json!(rule)));
    assert_eq!(rows(&loaded["tools"])[0], "add deny -");
    assert!(loaded["tools"]["rows"][0]["now"]["by"].as_str().unwrap().contains("no-add"), "{loaded}");

    // Another program writes the file meanwhile.
    let theirs = format!("# theirs\n{rule}");
    day.write(FILE, &theirs);
    let (status, said) = save(&page, "# mine\n", &loaded["digest"]);
    assert_eq!(status, 409, "{said}");
    assert_eq!(day.read(FILE), theirs);
    let digest = page.get("/api/policy").1["digest"].clone();
    assert_eq!(save(&page, &theirs, &digest).1["words"], "nothing changed");
    assert_eq!(save(&page, "", &digest).0, 200);
    assert!(!day.path(FILE).exists(), "a file that would be empty is removed");

    let records = day.text_in("site", &["audit", "query", "--kind", "policy_load", "--format", "text"]);
    assert!(records.contains("edited on the page of `overt ui`"), "{records}");
    everything_verifies(&day);
}

#[test]
fn a_page_that_an_agent_started_saves_nothing() {
    let day = day();
    let page = Page::of_day_by_agent(&day);
    let (status, policy) = page.get("/api/policy");
    assert_eq!(status, 200, "{policy}");
    assert_eq!(
        rows(&preview(&page, "[settings]\nallow_all = true\n")["calls"]),
        ["look needs_approval allow"]
    );
    let (status, said) = save(&page, "[settings]\nallow_all = true\n", &policy["digest"]);
    assert_eq!(status, 403, "{said}");
    assert!(!day.path(FILE).exists());
}

#[test]
fn the_file_of_the_project_is_shown_to_narrow_or_where_it_widens() {
    let day = day();
    write(&day, "[policy]\neffect = \"mutating\"\n");
    day.write("site/overt.toml", "[policy]\neffect = \"read\"\n");
    let page = Page::of_day(&day);
    let overlay = page.get("/api/policy").1["overlay"].clone();
    assert_eq!(overlay["widens"], json!([]), "{overlay}");
    assert!(overlay["path"].as_str().unwrap().ends_with("site/overt.toml"), "{overlay}");
    day.write("site/overt.toml", "[settings]\nallow_all = true\n\n[policy]\neffect = \"destructive\"\n");
    let overlay = page.get("/api/policy").1["overlay"].clone();
    let lines: Vec<&Value> =
        overlay["widens"].as_array().unwrap().iter().map(|place| &place["line"]).collect();
    assert_eq!(lines, [&json!(5), &json!(2)], "{overlay}");
    // The edited text counts, not the saved one.
    let seen = preview(&page, "[settings]\nallow_all = true\n");
    assert_eq!(seen["overlay"]["widens"], json!([]), "{seen}");
    day.write("site/overt.toml", "[policy");
    let overlay = page.get("/api/policy").1["overlay"].clone();
    assert!(overlay["problem"].as_str().unwrap().contains("can't be used"), "{overlay}");
}
