//! The settings of `overt run`: where each value comes from, what clients see, and what changes at
//! run time.
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::output::snapshot;
use crate::support::{Script, file, overt, report, wait_until};

pub(crate) const CONFIG: &str = r#"[server]
description = "Read by the manifest alone."

[settings]
allow = ["read", "write:notes"]
approval_wait = 90
max_result_bytes = "1MiB"

[policy]
effect = "external"

[[rules]]
id = "ask"
action = "approve"
when = { effect_at_least = "mutating" }
"#;

#[test]
fn every_value_says_where_it_came_from() {
    let here = TempDir::new().unwrap();
    file(here.path(), "overt.toml", CONFIG);
    let show = |format: &str| {
        let flags = ["run", "--show-settings", "--format", format, "--deny", "execute", "--allow-all=false"];
        let mut command = overt();
        command.args(flags).current_dir(here.path());
        command.env("OVERT_CONFIG", "overt.toml").env("OVERT_TOOL_RATE_LIMIT", "60/minute");
        report(&command.env("OVERT_ALLOW", "read:x,write:y").output().unwrap())
    };
    snapshot!(show("text"), @"
    exit 0
    --- stdout
      SETTING                VALUE                               FROM
      allow                  read, read:x, write:notes, write:y  $OVERT_ALLOW
      deny                   execute                             --deny
      allow_all              false                               --allow-all
      max_grantable          -                                   default
      approval_wait          90s                                 overt.toml:6
      trust_grants           false                               default
      trust_quick_answers    false                               default
      allow_client_config    false                               default
      rate_limit             -                                   default
      tool_rate_limit        60/minute                           $OVERT_TOOL_RATE_LIMIT
      max_argument_bytes     -                                   default
      max_result_bytes       1MiB                                overt.toml:7
      call_timeout           -                                   default
      audit                  strict                              default
      audit_dir              -                                   default
      audit_retention_days   -                                   default
      audit_max_bytes        -                                   default
      audit_arguments        digest                              default
      audit_checkpoint_file  -                                   default
    ");
    let shown = show("json");
    let shown: Value = serde_json::from_str(shown.trim_start_matches("exit 0\n--- stdout\n")).unwrap();
    assert_eq!(
        shown["approval_wait"],
        json!({"value": "90s", "from": "file", "file": "overt.toml", "line": 6})
    );
    assert_eq!(shown["deny"], json!({"value": ["execute"], "from": "flag", "flag": "--deny"}));
    assert_eq!(shown["rate_limit"], json!({"value": null, "from": "default"}));
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let here = TempDir::new().unwrap();
    let wrong = "[settings]\naproval_wait = 3\naudit = \"loud\"\n\n[policy]\nlimits = { seconds = \"x\" }\n\n[[rules]]\nid = 1\n";
    file(here.path(), "overt.toml", wrong);
    let mut command = overt();
    command.args(["run", "--config", "overt.toml", "--approval-wait", "soon", "--", "true"]);
    command.env("OVERT_RATE_LIMIT", "often").current_dir(here.path());
    let said = report(&command.output().unwrap());
    assert!(said.starts_with("exit 2\n"), "{said}");
    let places = [
        "environment variable `OVERT_RATE_LIMIT`: `often` is not a rate",
        "flag `--approval-wait`: `soon` is not a time",
        "`overt.toml` line 2: /settings/aproval_wait: is not known",
        "`overt.toml` line 3: /settings/audit: `loud` is not one of its values",
        "`overt.toml` line 6: /policy/limits/seconds",
        "`overt.toml` line 9: /rules/0/id",
        "hint: docs/settings.md lists the settings",
    ];
    for place in places {
        assert!(said.contains(place), "{place} in {said}");
    }
}

/// H-14: the printed schema is the published one, whatever the environment and the configuration
/// file say.
#[test]
fn h_14_the_printed_schema_is_the_published_one() {
    let mut command = overt();
    command.args(["run", "--print-config-schema", "--config", "/nonexistent", "--approval-wait", "soon"]);
    let output = command.env("OVERT_RATE_LIMIT", "often").output().unwrap();
    assert!(output.status.success());
    let printed: Value = serde_json::from_str(std::str::from_utf8(&output.stdout).unwrap()).unwrap();

    let server = Script::with_tools("[]");
    let mut client = start(&server, &[], &Value::Null);
    let result = client.handshake["result"].take();
    assert_eq!(result["capabilities"]["configSchema"], printed);
    // H-36: the schema appears once in the answer, even where everything is allowed.
    let mut open = start(&server, &["--allow-all"], &Value::Null);
    for handshake in [result.to_string(), open.handshake["result"].take().to_string()] {
        assert_eq!(
            handshake.matches("\"max_results\":").count().max(handshake.matches("\"rate_limit\":").count()),
            1
        );
        let rest = handshake.len() - printed.to_string().len();
        assert!(rest < 1024, "{rest} bytes beside the schema of {} bytes", printed.to_string().len());
    }
    open.end();
    assert_eq!(result["capabilities"]["experimental"]["policy"], json!({ "enabled": true }));
    client.end();
}

/// H-14: a client may configure the upstream by the upstream's schema. A name in neither schema is
/// refused, even if the upstream has no schema.
#[test]
fn h_14_what_follows_the_schema_of_the_server_reaches_it() {
    let hello = r#"{"tools":{},"configSchema":{"type":"object","properties":{"own":{"type":"integer"}}}}"#;
    let server = Script::with_hello(hello).result("tools/list", r#"{"tools":[]}"#);
    let client = start(&server, &[], &json!({ "own": 41, "max_result_bytes": 1000 }));
    let capabilities = &client.handshake["result"]["capabilities"];
    assert!(capabilities["configSchema"]["properties"]["own"].is_object(), "{}", client.handshake);
    let ours = &capabilities["extensions"]["dev.overt/config"]["schema"]["properties"];
    assert!(ours["max_result_bytes"].is_object(), "{}", client.handshake);
    assert!(server.received().contains(r#""own":41"#), "{}", server.received());
    client.end();

    let plain = Script::with_tools("[]");
    for (server, wrong) in [(&server, json!({ "onw": 1 })), (&plain, json!({ "own": 1 }))] {
        let mut client = start(server, &[], &wrong);
        assert_eq!(
            client.handshake["error"]["data"]["kind"], "configuration_invalid",
            "{}",
            client.handshake
        );
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" } });
        let again = client.ask("initialize", &params);
        assert!(again["result"].is_object(), "{again}");
        client.end();
    }
}

const TOOLS: &str =
    r#"[{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]"#;

/// H-15, POL-13: over stdio, the client's configuration overrides flags, and the operator's policy
/// overrides both.
#[test]
fn h_15_a_client_over_stdio_is_over_flags_and_under_the_policy() {
    let server = Script::with_tools(TOOLS)
        .result("tools/call", r#"{"content":[{"type":"text","text":"0123456789"}]}"#);
    let here = TempDir::new().unwrap();
    let ceiling = file(here.path(), "overt.toml", "[policy]\nmax_result_bytes = 20\n");
    let small = ["--max-result-bytes", "20"];
    let large =
        |client: &mut Client| client.call("look", &json!({}))["error"].is_null() && !client.was_refused();
    let table: [(&[&str], Value, bool); 4] = [
        (&[], json!(null), true),
        (&small, json!(null), false),
        (&small, json!({ "max_result_bytes": 1000 }), true),
        (&["--config", &ceiling], json!({ "max_result_bytes": "1MiB" }), false),
    ];
    for (flags, configuration, expected) in table {
        let mut client = start(&server, flags, &configuration);
        assert_eq!(large(&mut client), expected, "{flags:?} {configuration} {}", client.last);
        client.end();
    }
    let client = start(&server, &[], &json!({ "audit": "off", "nonsense": 1 }));
    assert_eq!(client.handshake["error"]["data"]["kind"], "configuration_invalid", "{}", client.handshake);
    client.end();
}

/// POL-13: a client that started the program can neither remove the operator's denials nor allow
/// itself more.
#[test]
fn pol_13_a_client_over_stdio_does_not_take_away_a_deny() {
    let server = Script::with_tools(TOOLS).result("tools/call", r#"{"content":[]}"#);
    let mut client = start(&server, &["--deny", "read"], &json!({ "deny": [] }));
    client.call("look", &json!({}));
    assert!(client.was_refused(), "{}", client.last);
    assert!(client.last.to_string().contains("PERMISSION_DENIED"), "{}", client.last);
    client.end();
    let client = start(&server, &["--deny", "read"], &json!({ "allow_all": true }));
    assert_eq!(client.handshake["error"]["data"]["kind"], "configuration_expansion", "{}", client.handshake);
    client.end();
}

/// POL-16: SIGHUP reloads the file. An invalid file changes nothing.
#[test]
fn pol_16_sighup_reads_the_file_again() {
    let server = Script::with_tools(TOOLS).result("tools/call", r#"{"content":[]}"#);
    let here = TempDir::new().unwrap();
    let path = file(here.path(), "overt.toml", "[settings]\n");
    let mut client = start(&server, &["--config", &path], &Value::Null);
    client.call("look", &json!({}));
    assert!(!client.was_refused(), "{}", client.last);
    let change = |client: &mut Client, text: &str, refused: bool| {
        // Replace the file atomically: reading a half-written file is another case.
        let new = file(here.path(), "overt.toml.new", text);
        std::fs::rename(new, &path).unwrap();
        client.running.signal(rustix::process::Signal::HUP);
        wait_until("the file was read", || {
            client.call("look", &json!({}));
            client.was_refused() == refused
        });
    };
    change(&mut client, "[settings]\ndeny = [\"read\"]\n", true);
    // An empty file may be one that is just being written.
    change(&mut client, "\n", true);
    // The file is invalid, so the call is refused as before. The last valid file applies until a
    // better one comes.
    change(&mut client, "[settings\n", true);
    change(&mut client, "[settings]\ndeny = []\n", false);
    // The audit log says what came into force and what did not.
    let mut loads = Vec::new();
    wait_until("it is written down", || {
        loads = client.policy_loads();
        // A late signal may find the file that was written after it.
        loads.len() >= 3
    });
    assert_eq!(loads[0][0], "at the start");
    let versions: std::collections::BTreeSet<&String> = loads.iter().map(|load| &load[1]).collect();
    assert!(versions.len() == 3 && versions.iter().all(|version| !version.is_empty()), "{loads:?}");
    client.end();
}

/// Starts a client of `overt run` in front of a server.
fn start(server: &Script, flags: &[&str], configuration: &Value) -> Client {
    let mut command = overt();
    command
        // The tools' claims are believed where the operator allows reading.
        .args(["run", "--pin", "off", "--allow", "read"])
        .args(flags)
        .arg("--")
        .args(server.command());
    Client::start(command, configuration)
}
