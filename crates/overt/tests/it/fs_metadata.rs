//! What `overt fs` tells clients about itself: its cost, and everything that the seeds require of a
//! server.
use serde_json::{Value, json};

use crate::fs::{serve, text, two_folders};
use crate::support::overt;

/// Issue 17, G-10, G-11, I-14: at most 15 tools, definitions of at most 2,500 tokens, and a list of
/// at most 45 kB. No schema has a keyword that a strict client warns about, and every tool has all
/// four hints.
#[test]
fn u_04_the_tools_are_few_and_short() {
    let place = two_folders();
    let mut client = serve(&place, &[], &json!({}));
    let list = client.ask("tools/list", &json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 15);
    let bytes = list["result"].to_string().len();
    assert!(bytes <= 45_000, "tools/list has {bytes} bytes");
    for tool in tools {
        let name = &tool["name"];
        let hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
        assert!(hints.iter().all(|hint| tool["annotations"][hint].is_boolean()), "{name}");
        assert_eq!(tool["annotations"]["openWorldHint"], false, "{name}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
            check_schema(schema, name);
        }
        assert_eq!(tool["_meta"]["dev.overt/tool"].get("errors"), None, "{name}");
        assert!(tool["dashdash"]["examples"].is_array(), "{name}");
    }
    client.end();
    let mut command = overt();
    command
        .args(["describe", "--as", "cost", "--format", "json", "fs"])
        .current_dir(place.path().join("root"));
    command.env("OVERT_STATE_DIR", place.path().join("state"));
    let output = command.output().unwrap();
    let cost: Value = serde_json::from_str(std::str::from_utf8(&output.stdout).unwrap()).unwrap();
    // Count the longer of the two shapes.
    let tokens = |tool: &Value| tool["openai"]["o200k_base"].as_u64().unwrap();
    let all: u64 = cost["tools"].as_array().unwrap().iter().map(tokens).sum();
    assert!(all <= 2_500, "{all} tokens: {cost:#}");
}

/// Checks that every keyword and every type is one that JSON Schema defines.
fn check_schema(schema: &Value, tool: &Value) {
    match schema {
        Value::Object(members) => {
            assert!(members.get("format").is_none_or(|format| !format.is_string()), "{tool}: {schema}");
            if let Some(Value::Array(options)) = members.get("enum") {
                assert!(!options.contains(&Value::Null), "{tool}: {schema}");
            }
            if let Some(Value::String(words)) = members.get("description") {
                assert!(!words.contains('\n'), "{tool}: {words}");
            }
            members.values().for_each(|inner| check_schema(inner, tool));
        }
        Value::Array(items) => items.iter().for_each(|inner| check_schema(inner, tool)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// X-23, D-12: the rates that clients see are the rates that are enforced, for the server and for a
/// tool.
#[test]
fn x_23_a_rate_that_is_told_is_the_one_that_is_enforced() {
    let place = two_folders();
    for (flag, seen) in [("--rate-limit", "/dashdash/rateLimit"), ("--tool-rate-limit", "tool")] {
        let mut client = serve(&place, &[flag, "3/hour"], &json!({}));
        let told = match seen {
            "tool" => {
                let list = client.ask("tools/list", &json!({}));
                let tools = list["result"]["tools"].as_array().unwrap();
                let named = tools.iter().find(|tool| tool["name"] == "list_roots").unwrap();
                named["dashdash"]["rateLimit"].clone()
            }
            pointer => client.handshake["result"].pointer(pointer).unwrap().clone(),
        };
        let (count, unit) = told.as_str().unwrap().split_once('/').unwrap();
        assert_eq!(unit, "hour");
        let count: usize = count.parse().unwrap();
        for number in 1..=count {
            client.call("list_roots", &json!({}));
            assert!(!client.was_refused(), "{flag}: call {number} of {count}: {}", client.last);
        }
        let refused = client.call("list_roots", &json!({}));
        assert_eq!(refused["error"]["data"]["code"], "RATE_LIMITED", "{flag}: {refused}");
        let other = client.call("read_file", &json!({ "path": "none" }));
        assert_eq!(other.get("error").is_some(), flag == "--rate-limit", "{flag}: {other}");
        client.end();
    }
}

/// D-09, D-11, D-12, D-24, D-26, C-09: the content of the help and the cards of the file server.
#[test]
fn d_24_the_help_says_when_to_use_it_and_what_holds() {
    let place = two_folders();
    let words =
        ["--rate-limit", "1000/hour", "--tool-rate-limit", "9/second", "--audit-retention-days", "30"];
    let mut client = serve(&place, &words, &json!({}));
    let help = client.ask("ai_help", &json!({}));
    let help = help["result"]["content"].as_str().unwrap_or_else(|| panic!("{help}"));
    for wanted in [
        "Use this MCP server when the user asks to:\n\n- list, find or read files\n",
        "Do NOT use this MCP server for:\n\n- running programs",
        "## Installation",
        "## Rate Limits\n\n- Default: 1000/hour",
        "- `PATH_OUTSIDE_ROOT` — ",
        "- `INVALID_ARGUMENTS` — ",
        "## Best Practices",
        "`overt call fs TOOL name=value`",
        "## Troubleshooting",
        "**CLI Equivalent:** `overt call fs write_file path={path} content={content}`",
        "**Side Effects:** keeps the previous state in the journal",
    ] {
        assert!(help.contains(wanted), "{wanted}: {help}");
    }
    // A shared error is described once.
    assert_eq!(help.matches("`PATH_OUTSIDE_ROOT` — ").count(), 1);
    let list = client.ask("tools/list", &json!({}));
    assert_eq!(list["result"]["tools"][0]["dashdash"]["rateLimit"], "9/second");
    let card = client.ask("resources/read", &json!({ "uri": "overt://cards/write_file" }));
    let card = card["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{card}"));
    let card: Value = serde_json::from_str(card).unwrap();
    assert_eq!(card["audit"], json!({ "log_uri": "overt:audit/overt-fs", "retention_days": 30 }));
    assert_eq!(card["safety"]["rate_limited"], true);
    client.end();
}

/// X-13, G-19: a model reads the code, what is allowed, and what to do. D-20: an error about an
/// outside path says that it is outside.
#[test]
fn x_13_errors_end_with_their_code() {
    let place = two_folders();
    let mut client = serve(&place, &[], &json!({}));
    for (tool, arguments, code) in [
        ("read_file", json!({ "path": "none" }), "FILE_NOT_FOUND"),
        ("read_file", json!({ "path": "../outside/a.txt" }), "PERMISSION_NOT_GRANTED"),
        ("read_file", json!({ "path": "/etc/passwd" }), "PERMISSION_NOT_GRANTED"),
        ("write_file", json!({ "path": "../outside/a.txt", "content": "x" }), "PERMISSION_NOT_GRANTED"),
        ("read_file", json!({ "path": "/proc/version" }), "PATH_OUTSIDE_ROOT"),
        ("read_file", json!({ "path": 7 }), "INVALID_ARGUMENTS"),
        ("read_multiple_files", json!({ "paths": [] }), "INVALID_ARGUMENTS"),
    ] {
        let reply = client.call(tool, &arguments);
        assert!(text(&reply).ends_with(&format!("[{code}]")), "{tool} {arguments}: {reply}");
        assert_eq!(reply["result"]["_meta"]["dev.overt/error"]["code"], code, "{reply}");
    }
    let outside = client.call("read_file", &json!({ "path": "../outside/a.txt" }));
    assert!(text(&outside).contains("`list_roots`"), "{outside}");
    client.end();
}

/// H-20, X-09, X-11: the literal forms of seed 002, for clients that require them.
#[test]
fn x_11_compat_mcp4h_has_the_literal_forms() {
    let place = two_folders();
    let change = json!({ "path": "a.txt", "content": "new\n" });
    let mut client = serve(&place, &[], &json!({}));
    let plain = client.call("write_file", &change);
    let kinds = |reply: &Value| {
        let items = reply["result"]["content"].as_array().unwrap();
        items.iter().map(|item| item["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&plain), ["text", "resource_link", "resource_link"]);
    assert_eq!(plain["result"]["structuredContent"].get("diff"), None);
    assert!(plain["result"]["_meta"]["dev.overt/diff"]["changes"].is_array(), "{plain}");
    client.end();
    let mut client = serve(&place, &["--compat", "mcp4h"], &json!({}));
    let literal = client.call("write_file", &json!({ "path": "a.txt", "content": "newer\n" }));
    assert_eq!(kinds(&literal), ["text", "review", "diff"]);
    assert!(literal["result"]["structuredContent"]["diff"]["changes"].is_array(), "{literal}");
    assert_eq!(
        client.handshake["result"]["capabilities"]["experimental"]["policy"], true,
        "{}",
        client.handshake
    );
    client.end();
}

/// D-21: everything that can be read is declared, including the pages of the apps.
#[test]
fn d_21_every_resource_says_what_it_is() {
    let place = two_folders();
    let mut client = serve(&place, &[], &json!({}));
    for (method, list) in [("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")]
    {
        let listed = client.ask(method, &json!({}));
        let entries = listed["result"][list].as_array().unwrap();
        assert!(!entries.is_empty(), "{listed}");
        for entry in entries {
            assert!(entry["dashdash"].is_object(), "{entry}");
            assert_eq!(entry["dashdash"], entry["_meta"]["dev.overt/resource"], "{entry}");
        }
    }
}
