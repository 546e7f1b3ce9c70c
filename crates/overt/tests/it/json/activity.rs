//! `overt log`, `overt undo` and `overt policy suggest`, after real calls.
use serde_json::json;

use super::transcript::Transcript;
use crate::activity::a_day;
use crate::day::{edit, short};
use crate::environment::TestEnvironment;

#[test]
fn log_and_undo() {
    let mut transcript = Transcript::default();
    let empty = TestEnvironment::with_projects();
    transcript.run(&mut empty.command_in("site", &["log"]));
    transcript.run(&mut empty.command_in("site", &["undo", "--list"]));
    transcript.run(&mut empty.command_in("site", &["undo", "--yes"]));
    let (day, [first, second]) = a_day();
    let mut run = |words: &[&str]| {
        let output = transcript.run(&mut day.command_in("site", words));
        String::from_utf8(output.stdout).unwrap()
    };
    let log = run(&["log"]);
    let call = log.split_once(r#""call":""#).unwrap().1.split('"').next().unwrap().to_owned();
    run(&["log", &call]);
    run(&["log", &second]);
    run(&["log", "--denied"]);
    run(&["log", "--outcome", "cancelled"]);
    run(&["log", "--since", "soon"]);
    run(&["log", "c-000000"]);
    run(&["undo", "--list"]);
    run(&["undo", "--dry-run"]);
    run(&["undo"]);
    run(&["undo", &short(&first), "--yes"]);
    run(&["undo", "-n", "2", "--yes"]);
    run(&["undo", "c-zzzzzz", "--yes"]);
    run(&["undo", "--list"]);
    run(&["log", "-n", "1"]);
    day.write("site/src/a.ts", "mine\n");
    run(&["undo", "src/a.ts", "--yes"]);
    run(&["audit", "query", "overt-fs", "--limit", "4"]);
    transcript.matches("activity");
}

#[test]
fn suggestions() {
    let day = TestEnvironment::with_projects();
    let mut transcript = Transcript::default();
    transcript.run(&mut day.command_in("site", &["policy", "suggest"]));
    let mut client = day.files("claude-code", "site", &["."]);
    for name in ["a", "b", "c"] {
        edit(&mut client, &format!("src/{name}.ts"), "one", "1");
    }
    let delete = json!({ "path": "src/a.ts" });
    client.call("delete_file", &delete);
    assert!(client.was_refused());
    transcript.run(&mut day.command_in("site", &["grants", "pending"]));
    transcript.run(&mut day.command_in("site", &["grants", "show", "q-1"]));
    transcript.run(&mut day.command_in("site", &["grants", "allow", "q-1"]));
    client.call("delete_file", &delete);
    assert!(!client.was_refused(), "{}", client.last);
    client.end();
    day.write("overt.toml", "# mine\n[settings]\naudit = \"strict\" # keep\n");
    let file = day.path("overt.toml");
    let file = file.to_str().unwrap();
    for words in [
        &["policy", "suggest", "--config", file][..],
        &["policy", "suggest", "--config", file, "--folders"],
        &["policy", "suggest", "--config", file, "--since", "soon"],
        &["policy", "suggest", "--config", file, "--write"],
        &["policy", "suggest", "--config", file],
        &["grants", "list"],
        &["policy", "show"],
    ] {
        transcript.run(&mut day.command_in("site", words));
    }
    transcript.matches("suggest");
}
