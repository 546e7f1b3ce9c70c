//! Seed 003 from outside.
use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::fs::two_folders;
use crate::peer::Peer;

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
        let mut peer = Peer::start(crate::peer::WAYS[2], place.path(), words, &Value::Null);
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
