//! Seed 000 from outside.
use serde_json::{Value, json};

use crate::fs::two_folders;
use crate::peer::{Peer, WAYS};
use crate::support::{Script, file};

const MANIFEST: &str = r#"
[server]
name = "acme"
description = "Touches things. Use when something has to be touched."
rate_limit = "1000/hour"

[tools.touch]
effect = "mutating"
reversible = false
pii_exposure = "low"
secrets_exposure = "none"
version = "1.0.0"
"#;

fn touch() -> Script {
    let tool = r#"[{"name":"touch","description":"Touches things.","inputSchema":{"type":"object"}}]"#;
    Script::with_tools(tool).result("tools/call", r#"{"content":[{"type":"text","text":"touched"}]}"#)
}

/// Returns the documents in which a rate is told: dashdash in the first answer, the help as JSON
/// and the card of a tool.
fn told(peer: &mut Peer, tool: &str) -> (Value, Value, Value) {
    // Each of these counts as a use.
    let rate = peer.first["result"]["dashdash"]["rateLimit"].clone();
    let help = peer.ask("ai_help", json!({ "format": "json" }));
    let card = peer.ask("resources/read", json!({ "uri": format!("overt://cards/{tool}") }));
    assert!(card["error"].is_null(), "{card}");
    let card = card["result"]["contents"][0]["text"].as_str().map(|text| serde_json::from_str(text).unwrap());
    let card: Value = card.unwrap_or_default();
    let help = help["result"]["sections"]["rateLimits"].clone();
    (rate, help["default"].clone(), card["safety"]["rate_limited"].clone())
}

/// D-12, X-23: `overt run` tells the rate that it enforces, which is the stricter one of manifest
/// and settings, and enforces it.
#[test]
fn d_12_x_23_the_rate_that_is_told_is_enforced() {
    let without = MANIFEST.replace("rate_limit = \"1000/hour\"\n", "");
    for way in WAYS {
        for (manifest, flag, expected) in [
            (MANIFEST, &["--rate-limit", "3/hour"][..], "3/hour"),
            (MANIFEST, &["--rate-limit", "100/second"][..], "1000/hour"),
            (&without, &["--rate-limit", "3/hour"][..], "3/hour"),
            (MANIFEST, &[][..], "1000/hour"),
        ] {
            let server = touch();
            let path = file(&server.path(""), "acme.toml", manifest);
            let [shell, script] = server.command();
            let words = ["run", "--allow-all", "--manifest", &path];
            let all: Vec<&str> = words.iter().chain(flag).chain(&["--", &shell, &script]).copied().collect();
            let mut peer = Peer::start(way, &server.path(""), &all, &Value::Null);
            assert_eq!(
                told(&mut peer, "touch"),
                (json!(expected), json!(expected), json!(true)),
                "{way:?} {flag:?}"
            );
            if expected == "3/hour" {
                // The help and the card were read before.
                let answers: Vec<Value> = (0..3).map(|_| peer.call("touch", json!({}), json!({}))).collect();
                let refused = answers.iter().find(|answer| !answer["error"].is_null());
                let refused = refused.unwrap_or_else(|| panic!("{way:?} {answers:?}"));
                assert_eq!(refused["error"]["data"]["code"], "RATE_LIMITED", "{way:?} {refused}");
            }
            peer.end();
        }
    }
}

/// D-12: the limit of each tool is told where it is stricter than the tool's own.
#[test]
fn d_12_the_rate_of_a_tool_is_told() {
    let server = touch();
    let manifest = format!("{MANIFEST}rate_limit = \"10/minute\"\n");
    let path = file(&server.path(""), "acme.toml", &manifest);
    let [shell, script] = server.command();
    for (limit, expected) in [("3/minute", "3/minute"), ("30/minute", "10/minute")] {
        let words =
            ["run", "--allow-all", "--manifest", &path, "--tool-rate-limit", limit, "--", &shell, &script];
        let mut peer = Peer::start(WAYS[0], &server.path(""), &words, &Value::Null);
        let tools = peer.ask("tools/list", json!({}));
        assert_eq!(tools["result"]["tools"][0]["dashdash"]["rateLimit"], expected, "{limit} {tools}");
        let help = peer.ask("ai_help", json!({ "format": "json" }));
        let told = &help["result"]["sections"]["rateLimits"]["tools"]["touch"];
        assert_eq!(told, expected, "{limit} {help}");
        peer.end();
    }
}

/// G-31: our own servers limit how many calls there may be, by a rate that they tell.
#[test]
fn g_31_our_own_servers_have_a_rate_limit() {
    let place = two_folders();
    Peer::in_each(place.path(), &["fs", "root"], &Value::Null, |peer| {
        let expected = json!("60000/minute");
        assert_eq!(told(peer, "read_file"), (expected.clone(), expected, json!(true)));
    });
    let words = ["fs", "root", "--rate-limit", "2/hour"];
    Peer::in_each(place.path(), &words, &Value::Null, |peer| {
        assert_eq!(peer.first["result"]["dashdash"]["rateLimit"], "2/hour");
    });
}

/// D-20: the help of a server behind `overt run` tells Overt's errors from those that its manifest
/// declares. Only the text of Overt's own ends with a code.
#[test]
fn d_20_the_help_tells_the_errors_of_overt_from_those_of_the_server() {
    let declared = "errors = [{ code = \"BROKEN\", description = \"It broke\", resolution = \"Mend it\" }]\n";
    for (manifest, own) in [(format!("{MANIFEST}{declared}"), true), (MANIFEST.to_owned(), false)] {
        let server = touch();
        let path = file(&server.path(""), "acme.toml", &manifest);
        let [shell, script] = server.command();
        let words = ["run", "--manifest", &path, "--", &shell, &script];
        Peer::in_each(&server.path(""), &words, &Value::Null, |peer| {
            let text = peer.ask("ai_help", json!({ "section": "error-handling" }));
            let text = text["result"]["content"].as_str().unwrap_or_else(|| panic!("{text}"));
            let (theirs, ours) = text.split_once("Overt runs in front of the server").unwrap();
            assert_eq!(theirs.contains("BROKEN"), own, "{text}");
            assert!(!theirs.contains("brackets") && ours.contains("brackets"), "{text}");
            assert!(ours.contains("PERMISSION_DENIED") && ours.contains("RATE_LIMITED"), "{text}");
            let data = peer.ask("ai_help", json!({ "format": "json", "section": "error-handling" }));
            let data = data["result"]["sections"]["errorHandling"].as_array().unwrap().clone();
            for error in data {
                assert_eq!(error.get("by").is_some(), error["code"] != "BROKEN", "{error}");
            }
        });
    }
}

/// D-20: one code has one meaning, and names what happened.
#[test]
fn d_20_a_code_names_what_happened() {
    let place = two_folders();
    Peer::in_each(place.path(), &["fs", "root", "--approval-wait", "0"], &Value::Null, |peer| {
        for (tool, arguments, meta, code) in [
            ("revert_change", json!({}), json!({}), "INVALID_ARGUMENTS"),
            (
                "edit_file",
                json!({ "edits": [{ "find": "a", "replace": "b" }] }),
                json!({}),
                "INVALID_ARGUMENTS",
            ),
            ("delete_file", json!({ "path": ".", "recursive": true }), json!({}), "PATH_IS_ROOT"),
            (
                "read_file",
                json!({ "path": "a.txt" }),
                json!({ "policy": { "tools": { "deny": ["*"] } } }),
                "PERMISSION_DENIED",
            ),
        ] {
            let answer = peer.call(tool, arguments, meta);
            assert_eq!(answer["result"]["_meta"]["dev.overt/error"]["code"], code, "{tool} {answer}");
        }
        let help = peer.ask("ai_help", json!({ "section": "error-handling" })).to_string();
        for code in ["SYSTEM_DENIED", "PATH_IS_ROOT", "APPROVALS_UNAVAILABLE", "INVALID_RESULT"] {
            assert!(help.contains(code), "{code}");
        }
    });
}

/// D-06: the access level is the same in the first answer and in the help.
#[test]
fn d_06_a_read_only_server_says_read_everywhere() {
    let place = two_folders();
    for (words, expected) in [(vec!["fs", "root", "--read-only"], "read"), (vec!["fs", "root"], "interact")] {
        Peer::in_each(place.path(), &words, &Value::Null, |peer| {
            assert_eq!(peer.first["result"]["dashdash"]["accessLevel"], expected, "{:?}", peer.way());
            let help = peer.ask("ai_help", json!({}))["result"]["content"].as_str().unwrap().to_owned();
            assert!(help.contains(&format!("\naccess-level: {expected}\n")), "{:?} {help}", peer.way());
        });
    }
}

/// D-21: `cache_duration` of a manifest is the `ttlMs` of a read in the newer era. The templates of
/// our own servers say what they stand for.
#[test]
fn d_21_resources_say_how_long_they_hold() {
    let hello = r#"{"tools":{},"resources":{}}"#;
    let server = || {
        Script::with_hello(hello)
            .result("tools/list", r#"{"tools":[]}"#)
            .result("resources/list", r#"{"resources":[{"uri":"notes://a","name":"a"}]}"#)
            .result("resources/templates/list", r#"{"resourceTemplates":[]}"#)
            .result("resources/read", r#"{"contents":[{"uri":"notes://a","text":"x"}]}"#)
    };
    let manifest = "[server]\nname = \"acme\"\ndescription = \"Has notes. Use when a note is asked for.\"\n\n\
        [resources.\"notes://a\"]\ncache_duration = 300\n";
    for way in WAYS {
        let server = server();
        let path = file(&server.path(""), "acme.toml", manifest);
        let [shell, script] = server.command();
        let words = ["run", "--allow-all", "--manifest", &path, "--", &shell, &script];
        let mut peer = Peer::start(way, &server.path(""), &words, &Value::Null);
        let read = peer.ask("resources/read", json!({ "uri": "notes://a" }));
        assert_eq!(read["result"]["ttlMs"] == 300_000, way.is_modern, "{way:?} {read}");
        let list = peer.ask("resources/list", json!({}));
        assert_eq!(list["result"]["resources"][0]["dashdash"]["cacheDuration"], 300, "{way:?} {list}");
        peer.end();
    }
    let place = two_folders();
    Peer::in_each(place.path(), &["fs", "root"], &Value::Null, |peer| {
        let list = peer.ask("resources/templates/list", json!({}));
        for template in list["result"]["resourceTemplates"].as_array().unwrap() {
            let object = &template["dashdash"];
            assert!(object["resourceType"].is_string() && object["refreshable"].is_boolean(), "{template}");
        }
    });
}

/// D-36: documents over HTTP name `llms.txt`, which has the same content at both of its addresses.
#[test]
fn d_36_documents_name_llms_txt() {
    let place = two_folders();
    let way = WAYS[1];
    let peer = Peer::start(way, place.path(), &["fs", "root"], &Value::Null);
    let [one, other] = ["/llms.txt", "/.well-known/llms.txt"].map(|path| peer.get(path));
    assert_eq!(one.1, other.1);
    for (headers, _) in [one, other] {
        assert!(headers.contains("link: </llms.txt>; rel=\"llms-help\""), "{headers}");
        assert!(headers.contains("x-llms-txt: /llms.txt"), "{headers}");
        assert!(headers.contains("content-type: text/markdown; charset=utf-8"), "{headers}");
    }
    peer.end();
}

/// X-19: `none` and `browse` in the dashdash object of a server are read without a warning.
#[test]
fn x_19_five_access_levels_are_read() {
    for (level, expected) in [("browse", "read"), ("none", "interact"), ("full", "full")] {
        let identity = r#"{"name":"other","description":"Looks. Use when asked."}"#;
        let hello = format!(
            r#"{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"other","version":"1"}},"dashdash":{{"specVersion":"0.2.0","identity":{identity},"accessLevel":"{level}","alternativeAccess":{{"cliUrl":null,"apiUrl":null,"webUrl":null}}}}}}"#
        );
        let server = Script::empty()
            .on("server/discover", r#"fail '{"code":-32601,"message":"method not found"}'"#)
            .result("initialize", &hello)
            .result("tools/list", r#"{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}"#);
        let described = server.run(&["describe", "--as", "dashdash"]).to_string();
        assert!(described.contains(&format!("\"accessLevel\": \"{expected}\"")), "{level}: {described}");
        assert!(!described.contains(level) || level == expected, "{level}: {described}");
    }
}

/// X-17: a client may subscribe to the help that is listed. `logging` is announced by servers that
/// log only.
#[test]
fn x_17_the_help_can_be_subscribed_to_and_logging_is_used_or_not_declared() {
    let place = two_folders();
    Peer::in_each(place.path(), &["fs", "root"], &Value::Null, |peer| {
        assert!(peer.first["result"]["capabilities"].get("logging").is_none(), "{}", peer.first);
        if !peer.way().is_modern {
            for method in ["resources/subscribe", "resources/unsubscribe"] {
                let answer = peer.ask(method, json!({ "uri": "overt://ai-help" }));
                assert!(answer["result"].is_object(), "{method} {answer}");
            }
        }
    });
}

/// D-04, D-07, D-10, D-13, D-14, D-16, D-17, D-18: what a manifest declares is told literally, and
/// what is wrong stops the start with its line. The access level decides nothing.
#[test]
fn d_04_d_07_d_10_d_13_d_14_d_16_d_17_d_18_what_is_declared_is_told() {
    let more = r#"
homepage = "https://acme.example.com"
repository = "https://acme.example.com/source"
status_page = "https://status.acme.example.com"
content_version = "7"
last_updated = "2026-05-08"
access_level = "full"

[server.requires]
auth = ["api-key"]
env = ["ACME_KEY"]
scopes = ["read:acme"]
"#;
    let tool = "idempotent = true\nside_effects = [\"touches a thing\"]\ncli_equivalent = \"acme touch {what}\"\n\
        api_equivalent = \"POST /touch\"\nrate_limit = \"5/minute\"\n";
    let manifest = MANIFEST.replace("\n[tools.touch]", &format!("{more}\n[tools.touch]")) + tool;
    let definition = r#"[{"name":"touch","description":"Touches things.","inputSchema":{"type":"object","properties":{"what":{"type":"string"}}}}]"#;
    let server = || {
        Script::with_tools(definition)
            .result("tools/call", r#"{"content":[{"type":"text","text":"touched"}]}"#)
    };
    for way in WAYS {
        let server = server();
        let path = file(&server.path(""), "acme.toml", &manifest);
        let [shell, script] = server.command();
        let words = ["run", "--approval-wait", "0", "--manifest", &path, "--", &shell, &script];
        let mut peer = Peer::start(way, &server.path(""), &words, &Value::Null);
        let told = peer.first["result"]["dashdash"].clone();
        for (member, expected) in [
            ("homepage", json!("https://acme.example.com")),
            ("repository", json!("https://acme.example.com/source")),
            ("statusPage", json!("https://status.acme.example.com")),
            ("contentVersion", json!("7")),
            ("lastUpdated", json!("2026-05-08")),
            ("accessLevel", json!("full")),
            ("requires", json!({ "auth": ["api-key"], "env": ["ACME_KEY"], "scopes": ["read:acme"] })),
        ] {
            assert_eq!(told[member], expected, "{way:?} {told}");
        }
        assert!(told["identity"]["description"].as_str().unwrap().contains("Use when"), "{told}");
        let list = peer.ask("tools/list", json!({}));
        let tool = &list["result"]["tools"][0]["dashdash"];
        for (member, expected) in [
            ("idempotent", json!(true)),
            ("reversible", json!(false)),
            ("sideEffects", json!(["touches a thing"])),
            ("cliEquivalent", json!("acme touch {what}")),
            ("apiEquivalent", json!("POST /touch")),
            ("rateLimit", json!("5/minute")),
        ] {
            assert_eq!(tool[member], expected, "{way:?} {tool}");
        }
        // D-07: `full` permits nothing.
        let refused = peer.call("touch", json!({ "what": "x" }), json!({}));
        let code = &refused["result"]["_meta"]["dev.overt/error"]["code"];
        assert_eq!(code, "PERMISSION_NOT_GRANTED", "{way:?} {refused}");
        peer.end();
    }
    let server = server();
    for (wrong, named) in [
        (manifest.replace("Use when", "For when"), "description"),
        (manifest.replace("https://acme.example.com\"", "acme\""), "homepage"),
        (manifest.replace("2026-05-08", "last May"), "last_updated"),
        (manifest.replace("{what}", "{other}"), "cli_equivalent"),
        (format!("{manifest}reverse_method = \"untouch\"\n"), "reverse_method"),
        (manifest.replace("[\"ACME_KEY\"]", "\"ACME_KEY\""), "env"),
    ] {
        let path = file(&server.path(""), "acme.toml", &wrong);
        let said = server.run(&["describe", "--manifest", &path, "--as", "dashdash"]).to_string();
        assert!(!said.starts_with("exit 0") && said.contains(named), "{named}: {said}");
    }
}
