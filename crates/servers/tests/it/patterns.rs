//! FS-19 to FS-24 as clients see them: what is hidden or protected is so in every spelling.
use serde_json::json;

use super::paths::refused;
use super::stage::{Client, Stage};

/// A server over the root that denies these patterns.
fn denying(stage: &Stage, patterns: &[&str]) -> Client {
    stage.with(json!({ "roots": [{ "path": stage.root, "deny": patterns }] }))
}

#[tokio::test]
async fn fs_19_a_name_in_another_unicode_form_is_hidden_too() {
    let stage = Stage::new();
    let (composed, apart) = ("caf\u{e9}", "cafe\u{301}");
    for name in [composed, apart] {
        stage.write(name, "hidden");
        stage.write(&format!("d/{name}/x"), "hidden");
    }
    for pattern in [composed, apart] {
        let client = denying(&stage, &[pattern]);
        for name in [composed, apart] {
            refused(&client, name, "PATH_NOT_ALLOWED").await;
            refused(&client, &format!("d/{name}/x"), "PATH_NOT_ALLOWED").await;
        }
        assert!(client.call("read_file", json!({ "path": "a/ok.txt" })).await.is_ok());
    }
}

#[tokio::test]
async fn fs_21_a_folder_whose_content_is_hidden_is_hidden_itself() {
    let stage = Stage::new();
    stage.write(".git/config", "hidden");
    stage.write("sub/.git/HEAD", "hidden");
    let client = denying(&stage, &["**/.git/**"]);
    for path in [".git", ".git/config", "sub/.git", "sub/.git/HEAD", ".git/", "./.git/."] {
        refused(&client, path, "PATH_NOT_ALLOWED").await;
    }
    let listed = client.call("list_directory", json!({ "max_depth": 5, "hidden": true })).await;
    assert!(!listed.0.to_string().contains(".git"), "{}", listed.0);
}

#[tokio::test]
async fn fs_22_what_is_hidden_is_hidden_in_every_spelling() {
    let stage = Stage::new();
    stage.write("secrets/x", "hidden");
    stage.link("inlink", "secrets");
    stage.link("filelink", "secrets/x");
    stage.link("deep/uplink", "../secrets/x");
    let client = denying(&stage, &["secrets/**"]);
    let whole = stage.root.join("secrets/x");
    for path in [
        "secrets/x",
        "./secrets/x",
        "a/../secrets/x",
        "secrets//x",
        "secrets/./x",
        "secrets/y/../x",
        whole.to_str().unwrap(),
        "inlink/x",
        "inlink",
        "filelink",
        "deep/uplink",
        "secrets",
        "secrets/not-there",
        "inlink/not-there",
        "inlink/x/y",
    ] {
        refused(&client, path, "PATH_NOT_ALLOWED").await;
    }
}

/// B-08: forms in which a pattern once silently hid nothing.
#[tokio::test]
async fn b_08_a_pattern_hides_however_it_is_written() {
    let stage = Stage::new();
    stage.write("secrets/x", "hidden");
    for pattern in
        ["secrets", "secrets/", "/secrets", "/secrets/**", "./secrets/**", "secrets/**", "**/secrets"]
    {
        let client = denying(&stage, &[pattern]);
        refused(&client, "secrets/x", "PATH_NOT_ALLOWED").await;
        assert!(client.call("read_file", json!({ "path": "a/ok.txt" })).await.is_ok(), "{pattern}");
    }
}

#[tokio::test]
async fn fs_23_a_name_is_hidden_at_any_depth() {
    let stage = Stage::new();
    for path in ["b.env", "a/b.env", "a/c/.env", "b.envs"] {
        stage.write(path, "x");
    }
    let client = denying(&stage, &["*.env"]);
    for path in ["b.env", "a/b.env", "a/c/.env"] {
        refused(&client, path, "PATH_NOT_ALLOWED").await;
    }
    assert!(client.call("read_file", json!({ "path": "b.envs" })).await.is_ok());
}

/// FS-24: an invalid pattern in a policy makes the call fail, and is never skipped.
#[tokio::test]
async fn fs_24_a_policy_whose_patterns_are_wrong_runs_nothing() {
    let stage = Stage::new();
    let client = stage.with(json!({ "roots": [stage.root] }));
    let many: Vec<String> = (0..10_000).map(|number| format!("p{number}/**")).collect();
    for deny in [
        json!(["["]),
        json!(["../x"]),
        json!([""]),
        json!(["x".repeat(10 << 20)]),
        json!(many),
        json!("x"),
        json!([7]),
    ] {
        let policy = json!({ "policy": { "roots": [{ "path": stage.root, "deny": deny }] } });
        let answer = client.saying(policy).call("read_file", json!({ "path": "a/ok.txt" })).await;
        assert!(!answer.is_ok(), "{}", answer.0.to_string().chars().take(300).collect::<String>());
    }
    for pattern in ["[", "../x", "!x"] {
        let policy = json!({ "policy": { "hidden": [pattern] } });
        let answer = client.saying(policy).call("read_file", json!({ "path": "a/ok.txt" })).await;
        assert!(!answer.is_ok(), "{pattern}");
    }
    // Long but valid patterns are compiled.
    let bomb = "{a,b}".repeat(30);
    let policy =
        json!({ "policy": { "roots": [{ "path": stage.root, "deny": [bomb, "**/".repeat(300) + "x"] }] } });
    assert!(client.saying(policy).call("read_file", json!({ "path": "a/ok.txt" })).await.is_ok());
}

/// FS-22: patterns for every root, and patterns that a policy adds for a call.
#[tokio::test]
async fn fs_22_what_is_hidden_everywhere_and_in_a_call() {
    let stage = Stage::new();
    stage.write("deep/id.key", "hidden");
    stage.write("deep/x.txt", "x");
    let second = stage.open_folder("second");
    std::fs::write(second.join("id.key"), "hidden").unwrap();
    let client = stage.start(super::stage::Setup {
        roots: vec![stage.root.clone(), second.clone()],
        settings: json!({ "hidden": ["*.key"] }),
        ..stage.setup()
    });
    refused(&client, "deep/id.key", "PATH_NOT_ALLOWED").await;
    refused(&client, second.join("id.key").to_str().unwrap(), "PATH_NOT_ALLOWED").await;
    let narrowed = client.saying(json!({ "policy": { "hidden": ["*.txt"] } }));
    refused(&narrowed, "deep/x.txt", "PATH_NOT_ALLOWED").await;
    refused(&narrowed, "deep/id.key", "PATH_NOT_ALLOWED").await;
    assert!(client.call("read_file", json!({ "path": "deep/x.txt" })).await.is_ok());
}

/// A policy allows one folder of a root and nothing else in it.
#[tokio::test]
async fn b_23_a_policy_narrows_and_never_widens() {
    let stage = Stage::new();
    stage.write("sub/x", "x\n");
    let client = stage.with(json!({ "roots": [stage.root] }));
    let narrowed = client.saying(json!({ "policy": { "roots": [stage.root.join("sub")] } }));
    assert_eq!(narrowed.call("read_file", json!({ "path": "x" })).await.text(0), "x\n");
    refused(&narrowed, "../a/ok.txt", "PATH_OUTSIDE_ROOT").await;
    for wider in [json!(["/"]), json!([stage.place]), json!([stage.outside]), json!(["/etc"])] {
        let wide = client.saying(json!({ "policy": { "roots": wider } }));
        let answer = wide.call("read_file", json!({ "path": stage.outside.join("s.txt") })).await;
        assert_eq!(answer.0["error"]["code"], -32602, "{}", answer.0);
    }
}
