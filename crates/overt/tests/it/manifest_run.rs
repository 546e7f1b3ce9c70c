//! `overt run --manifest`: the declarations about an upstream are compared with it, and shown to
//! clients.
use std::fs;

use overt_wire::json::Json;
use serde_json::Value;
use tempfile::TempDir;

use crate::environment::TestEnvironment;
use crate::output::{CommandOutput, snapshot};
use crate::support::{Script, overt, report};

const TOOLS: &str = r#"[{"name":"read_file","description":"Reads  a file.","inputSchema":{ "type": "object","properties":{"path":{"type":"string"}}},"annotations":{"readOnlyHint":true},"x-own":1.0},{"name":"delete_file","description":"Deletes a file.","inputSchema":{"type":"object"}}]"#;

const MANIFEST: &str = r#"[server]
name = "files"
description = "Reads and deletes files. Use when the user asks for a file."

[tools.read_file]
effect = "read"
category = "reading"

[tools.delete_file]
effect = "destructive"
reversible = false
pii_exposure = "low"
secrets_exposure = "none"
version = "1.0.0"
"#;

fn with_manifest(manifest: &str) -> TestEnvironment {
    let place = TestEnvironment::of(Script::with_tools(TOOLS));
    place.write("overt.toml", manifest);
    place
}

impl TestEnvironment {
    /// Runs a command through `overt run --manifest` in front of the scripted server.
    fn through(&self, command: &[&str], more: &[&str]) -> std::process::Output {
        let run = [
            &[env!("CARGO_BIN_EXE_overt"), "run", "--allow-all", "--audit", "off", "--pin", "off"],
            more,
            &["--"],
        ]
        .concat();
        let server = self.server.command();
        let arguments =
            command.iter().copied().chain(["--"]).chain(run).chain(server.iter().map(String::as_str));
        overt().args(arguments).current_dir(self.path("")).output().unwrap()
    }

    /// Starts `overt run` in front of the server without a client, and returns what it prints.
    fn start(&self) -> CommandOutput {
        let run = ["run", "--allow-all", "--audit", "off", "--pin", "off", "--manifest", "overt.toml", "--"];
        let output = overt().args(run).args(self.server.command()).current_dir(self.path("")).output();
        report(&output.unwrap())
    }

    fn tools(&self, more: &[&str]) -> Vec<Value> {
        let output = self.through(&["list", "--kind", "tools", "--format", "json"], more);
        let listing = json(&output);
        listing["tools"].as_array().unwrap().clone()
    }
}

fn json(output: &std::process::Output) -> Value {
    Json::parse(std::str::from_utf8(&output.stdout).unwrap()).unwrap().read().unwrap()
}

/// The definitions cost a model no additional byte, and the rest of an entry stays unchanged.
#[test]
fn clients_are_told_what_is_declared_and_nothing_else_changes() {
    let place = with_manifest(MANIFEST);
    let (plain, told) = (place.tools(&[]), place.tools(&["--manifest", "overt.toml"]));
    for (plain, told) in plain.iter().zip(&told) {
        for member in ["name", "description", "inputSchema", "x-own"] {
            assert_eq!(plain[member].to_string(), told[member].to_string());
        }
        assert_eq!(told["dashdash"], told["_meta"]["dev.overt/tool"]);
    }
    assert_eq!(plain[0]["dashdash"], Value::Null);
    assert_eq!(told[0]["dashdash"]["category"], "reading");
    let mut hints = plain[0]["annotations"].clone();
    hints["destructiveHint"] = Value::Bool(false);
    assert_eq!(told[0]["annotations"], hints, "what only reads destroys nothing");
    assert_eq!(told[1]["annotations"]["destructiveHint"], true);
    assert_eq!(told[1]["x-tool-card-uri"], "overt://cards/delete_file");
    assert!(told[0].get("x-tool-card-uri").is_none(), "too little is declared for a card");
}

/// The documents through `overt run` come from its manifest, although the client has none.
#[test]
fn a_client_without_the_manifest_sees_the_same_server() {
    let place = with_manifest(MANIFEST);
    let elsewhere = TempDir::new().unwrap();
    let direct =
        place.server.overt(&["describe", "--as", "dashdash"]).current_dir(place.path("")).output().unwrap();
    let manifest = place.path("overt.toml");
    let run = [
        env!("CARGO_BIN_EXE_overt"),
        "run",
        "--allow-all",
        "--audit",
        "off",
        "--pin",
        "off",
        "--manifest",
        manifest.to_str().unwrap(),
        "--",
    ];
    let through = overt()
        .args(["describe", "--as", "dashdash", "--"])
        .args(run)
        .args(place.server.command())
        .current_dir(elsewhere.path())
        .output()
        .unwrap();
    assert_eq!(json(&direct), json(&through), "{}", report(&through));
}

/// X-26: a manifest that contradicts the server stops the start. The error names the line.
#[test]
fn a_contradiction_stops_the_start() {
    let manifest = MANIFEST.replace("effect = \"read\"", "effect = \"read\"\nreverse_method = \"undo\"");
    let place = with_manifest(&manifest.replace("[tools.delete_file]", "[tools.remove_file]"));
    snapshot!(place.start(), @"
    exit 2
    --- stderr
    error: the manifest `overt.toml` does not fit the server
        line 7: /tools/read_file/reverse_method: names `undo`, which the server does not have; name a tool of this server, or leave it out
        line 10: /tools/remove_file: the server has no such tool; it has `delete_file`, `read_file`
    ");
}

/// D-30: a secret is not repeated, even in the refusal.
#[test]
fn a_secret_stops_the_start() {
    let secret = ["ghp_", "aZ4kQ9mB2xV7nL1pR8sT", "5wY3cE6dF0gH"].concat();
    let place =
        with_manifest(&MANIFEST.replace("Reads and deletes files.", &format!("Reads with {secret}.")));
    let output = place.through(&["list"], &["--manifest", "overt.toml"]);
    let text = report(&output);
    assert!(text.contains("/server/description") && !text.contains(&secret), "{text}");
}

/// H-34: a secret in the server's own text gets into no document, and does not stop the start.
#[test]
fn h_34_a_secret_of_the_server_is_redacted_with_a_warning() {
    let secret = ["ghp_", "aZ4kQ9mB2xV7nL1pR8sT", "5wY3cE6dF0gH"].concat();
    let tools = TOOLS.replace("Reads  a file.", &format!("Reads with {secret}."));
    let place = with_manifest(MANIFEST).beside(Script::with_tools(&tools));
    snapshot!(place.start(), @"
    exit 0
    --- stderr
    warning: tool `read_file`: its own text holds a key of GitHub; the documents have `[redacted]` instead
    ");
    let described = report(&place.through(&["describe"], &["--manifest", "overt.toml"]));
    assert!(described.starts_with("exit 0\n") && !described.contains(&secret), "{described}");
    assert!(described.contains("Reads with \\[redacted]."), "{described}");
}

#[test]
fn a_manifest_that_is_not_there_says_so() {
    let place = with_manifest(MANIFEST);
    fs::remove_file(place.path("overt.toml")).unwrap();
    snapshot!(place.start(), @"
    exit 2
    --- stderr
    error: failed to read `overt.toml`
      caused by: No such file or directory (os error 2)
    ");
}
