//! Runs every example that a tool declares, and checks that it gives the declared result (D-19,
//! G-26).
use std::os::unix::fs::PermissionsExt as _;

use overt_policy::record::Effect;
use serde_json::{Value, json};

use super::super::super::tools;
use super::stage::Stage;

/// The project that the examples use.
async fn project() -> Stage {
    let stage = Stage::new();
    for (path, content) in [
        ("src/lib.rs", "pub fn demo() {}\n"),
        ("src/main.rs", "//! Demo\n\nfn main() {\n    println!(\"Hello world!\");\n}\n"),
        ("Cargo.toml", "[package]\nname = \"demo\"\nversion = \"1.0.0\"\n"),
        ("config.toml", "setting = \"value\"\n"),
        ("draft.md", "# Draft\n"),
        ("old/note", "note"),
        ("changed.txt", "one\n"),
    ] {
        let path = stage.write(path, content);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    stage.call("write_file", json!({ "path": "changed.txt", "content": "two\n" })).await.ok();
    stage
}

/// Masks values that differ each time. They must be there on both sides.
fn masked(value: &mut Value, root: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| masked(item, root)),
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                match name.as_str() {
                    "etag" | "change" | "reverted" | "at" | "modified" => *value = json!("…"),
                    "path" if value == root || value == "/home/ann/project" => *value = json!("/root"),
                    _ => masked(value, root),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn d_19_every_example_gives_what_it_says() {
    let stage = project().await;
    let all = tools::all(&stage.server);
    assert!(all.len() <= 15, "{} tools", all.len());
    for tool in &all {
        let record = tool.record();
        assert!(!record.examples.is_empty(), "{} has no example", tool.name());
        // D-16, D-17, D-20: what every tool must declare.
        let is_read = record.effect == Some(Effect::Read);
        assert_eq!(record.side_effects.is_empty(), is_read, "{}", tool.name());
        assert_eq!(record.idempotent_with_key, (!is_read).then_some(false), "{}", tool.name());
        let command = record.cli_equivalent.as_deref().unwrap_or_default();
        assert!(command.starts_with(&format!("overt call fs {}", tool.name())), "{command}");
        for example in &record.examples {
            let stage = project().await;
            let answer = stage.call(tool.name(), example.input.clone()).await;
            let mut given = answer.ok().clone();
            let mut declared = example.output.clone().unwrap_or_else(|| panic!("{}: no output", tool.name()));
            masked(&mut given, stage.root.to_str().unwrap());
            masked(&mut declared, "");
            assert_eq!(given, declared, "{}: {}", tool.name(), example.description);
        }
    }
}
