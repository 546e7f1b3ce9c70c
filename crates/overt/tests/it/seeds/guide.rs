//! Seed 003 from outside.
use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::fs::{text, two_folders};
use crate::peer::{Peer, WAYS};
use crate::support::file;

/// G-23: a parameter has the same type, limits, default and description in every tool. G-18: every
/// tool that changes something says what it returns, and no text names a tool that is not there.
#[test]
fn g_18_g_23_tools_say_what_they_return_and_share_their_parameters() {
    let place = two_folders();
    for words in [vec!["fs", "root"], vec!["fs", "root", "--journal-max-bytes", "0"]] {
        let has_journal = words.len() == 2;
        Peer::in_each(place.path(), &words, &Value::Null, |peer| {
            let list = peer.ask("tools/list", json!({}));
            let tools = list["result"]["tools"].as_array().unwrap();
            let mut seen: BTreeMap<String, (String, Value)> = BTreeMap::new();
            // A search takes a pattern for lines, `find_files` one for names.
            let of_search = ["pattern", "sort"];
            for tool in tools {
                let name = tool["name"].as_str().unwrap();
                for (parameter, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
                    let shown = parameter == "limit" || of_search.contains(&parameter.as_str());
                    let before = seen.entry(parameter.clone()).or_insert((name.to_owned(), schema.clone()));
                    assert!(shown || before.1 == *schema, "{parameter}: {name} and {}", before.0);
                }
                let said = tool["description"].as_str().unwrap();
                if tool["annotations"]["readOnlyHint"] == false {
                    assert!(said.contains("Returns"), "{name}: {said}");
                }
                assert!(has_journal || !tool.to_string().contains("`revert_change`"), "{tool}");
            }
            for (tool, parameter) in [("search_files", "pattern"), ("find_files", "max_depth")] {
                let tool = tools.iter().find(|found| found["name"] == tool).unwrap();
                assert!(tool["inputSchema"]["properties"][parameter]["description"].is_string(), "{tool}");
            }
        });
    }
}

/// G-29: nothing that a model is told depends on the machine or on the state of the sandbox.
#[test]
fn g_29_what_a_model_is_told_is_the_same_with_and_without_the_sandbox() {
    let place = two_folders();
    let told = |words: &[&str]| {
        let mut peer = Peer::start(WAYS[2], place.path(), words, &Value::Null);
        let help = peer.ask("ai_help", json!({}))["result"]["content"].clone();
        let list = peer.ask("tools/list", json!({}))["result"]["tools"].clone();
        let first = peer.first["result"]["dashdash"].clone();
        peer.end();
        (first, help, list)
    };
    let with = told(&["fs", "root"]);
    assert_eq!(with, told(&["fs", "root", "--sandbox", "off"]));
    assert!(!with.0.to_string().contains("andbox"), "{}", with.0);
}

/// G-02, G-03, G-14, G-15, G-16, G-24, X-15, X-40: the definitions of `overt fs` follow the guide.
#[test]
fn g_02_g_03_g_14_g_15_g_16_g_24_x_15_x_40_definitions_follow_the_guide() {
    let place = two_folders();
    Peer::in_each(place.path(), &["fs", "root"], &Value::Null, |peer| {
        let first = &peer.first["result"];
        let info = first.get("serverInfo").unwrap_or(&first["_meta"]["io.modelcontextprotocol/serverInfo"]);
        let name = info["name"].as_str().unwrap();
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "G-02: {name}");
        let instructions = first["instructions"].as_str().unwrap().to_owned();
        assert!(
            instructions.starts_with("Use ") && instructions.contains("counted from 1"),
            "{instructions}"
        );
        let list = peer.ask("tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap();
        assert!((3..=15).contains(&tools.len()), "G-14: {}", tools.len());
        for tool in tools {
            let (name, schema) = (tool["name"].as_str().unwrap(), &tool["inputSchema"]);
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "G-03: {name}");
            for member in ["title", "description", "outputSchema", "annotations"] {
                assert!(tool.get(member).is_some(), "G-03: {name} has no {member}");
            }
            assert!(schema.get("$schema").is_none() && schema["type"] == "object", "X-40: {schema}");
            for (parameter, schema) in schema["properties"].as_object().unwrap() {
                // Arguments are flat, but for the edits, whose objects are flat.
                let is_flat = schema["type"] != "object";
                let has_flat_items = schema["items"]["properties"].as_object().is_none_or(|inner| {
                    name == "edit_file" && inner.values().all(|inner| inner["type"] != "object")
                });
                assert!(is_flat && has_flat_items, "G-15: {name} {parameter}");
                let is_finite = ["mode", "sort", "syntax", "type", "case"].contains(&parameter.as_str());
                assert!(
                    !is_finite || schema.to_string().contains("enum"),
                    "G-16: {name} {parameter} {schema}"
                );
            }
        }
        // G-24: where lines are counted from is said where lines are named.
        let read = tools.iter().find(|tool| tool["name"] == "read_file").unwrap();
        assert!(read["description"].as_str().unwrap().contains("from 1"), "G-24: {read}");
    });
}

/// G-06, G-07, G-08, G-20, G-22, G-30, X-14, X-39, X-41: answers follow the guide. Wrong values are
/// results with `isError`; text is the JSON of `structuredContent`; lists say what is left.
#[test]
fn g_06_g_07_g_08_g_20_g_22_g_30_x_14_x_39_x_41_answers_follow_the_guide() {
    let place = two_folders();
    for index in 0..30 {
        file(&place.path().join("root"), &format!("f{index:02}.txt"), "x\n");
    }
    Peer::in_each(place.path(), &["fs", "root"], &Value::Null, |peer| {
        let page = peer.call("find_files", json!({ "pattern": "*.txt", "limit": 10 }), json!({}));
        let content = &page["result"]["structuredContent"];
        assert_eq!(content["total_count"], 31, "{page}");
        assert!(content["has_more"] == true && content["next_cursor"].is_string(), "X-39: {page}");
        assert!(content.get("content").is_none() && content.get("isError").is_none(), "X-41: {page}");
        let said: Value = serde_json::from_str(text(&page)).unwrap();
        assert_eq!(said, *content, "X-14");
        for (tool, arguments, named) in [
            ("read_file", json!({ "path": 7 }), "path"),
            ("read_file", json!({}), "path"),
            ("read_file", json!({ "path": "a.txt", "start_line": 0 }), "start_line"),
            ("read_file", json!({ "path": "a.txt", "colour": "red" }), "colour"),
            ("read_file", json!({ "path": "a.txt", "tail": 1, "start_line": 1 }), "tail"),
            ("search_files", json!({ "pattern": "(" }), "pattern"),
            ("read_file", json!({ "path": "--help" }), "--help"),
            ("search_files", json!({ "pattern": "--pre=sh", "path": "../outside" }), "../outside"),
        ] {
            let answer = peer.call(tool, arguments.clone(), json!({}));
            assert_eq!(answer["result"]["isError"], true, "G-08: {arguments} {answer}");
            assert!(answer["result"].get("structuredContent").is_none(), "G-09: {answer}");
            assert!(text(&answer).contains(named), "{named}: {answer}");
        }
        // A pattern that looks like an option is a pattern.
        let found = peer.call("search_files", json!({ "pattern": "--pre=sh" }), json!({}));
        assert_eq!(
            found["result"]["structuredContent"]["total_matches"].as_u64().unwrap_or(0),
            0,
            "G-30: {found}"
        );
        // Some of several files failed: the result has what is there, and says what failed.
        let both = peer.call("read_multiple_files", json!({ "paths": ["a.txt", "none"] }), json!({}));
        assert_eq!(both["result"]["structuredContent"]["failed"], 1, "{both}");
        assert!(both["result"]["isError"] != true, "{both}");
        let none = peer.call("read_multiple_files", json!({ "paths": ["no", "none"] }), json!({}));
        assert_eq!(none["result"]["isError"], true, "{none}");
        // A protocol error is for what is not a call of a tool.
        assert_eq!(peer.call("nothing", json!({}), json!({}))["error"]["code"], -32602, "G-07");
        assert_eq!(peer.ask("nothing/at_all", json!({}))["error"]["code"], -32601, "G-07");
    });
}

/// G-27, G-28: the server answers at once; stdio is the default, and there is no SSE transport.
#[test]
fn g_27_g_28_a_server_starts_at_once_and_has_no_sse_transport() {
    let place = two_folders();
    let began = std::time::Instant::now();
    Peer::start(WAYS[0], place.path(), &["fs", "root"], &Value::Null).end();
    // The guide has 50 ms for a release build; this one is slower, and other tests run beside it.
    assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
    let peer = Peer::start(WAYS[1], place.path(), &["fs", "root"], &Value::Null);
    for path in ["/sse", "/mcp/sse", "/message"] {
        assert!(peer.get(path).0.starts_with("http/1.1 404"), "{path}");
    }
    peer.end();
}
