//! The pages that clients show beside the tools (H-12), declared as MCP Apps and as seed 002
//! require.
use serde_json::{Value, json};

use crate::stage::{Setup, Stage};

const DIFF: &str = "ui://overt-fs/diff.html";
const BROWSER: &str = "ui://overt-fs/browser.html";

#[tokio::test]
async fn h_12_applications_are_resources_and_tools_name_them() {
    let stage = Stage::new();
    let client = stage.client();
    let listed = client.ask("resources/list", json!({})).await;
    let apps: Vec<&Value> = listed["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|resource| resource["annotations"]["type"] == "application")
        .collect();
    assert_eq!(apps.iter().map(|app| &app["uri"]).collect::<Vec<_>>(), [DIFF, BROWSER]);
    for app in apps {
        assert_eq!(app["mimeType"], "text/html;profile=mcp-app");
        assert_eq!(app["_meta"]["dev.overt/application"], true, "{app}");
        let read = client.ask("resources/read", json!({ "uri": app["uri"] })).await;
        let contents = &read["result"]["contents"][0];
        assert_eq!(contents["mimeType"], "text/html;profile=mcp-app");
        // The page requests no permission from the host.
        assert_eq!(contents["_meta"]["ui"], json!({ "csp": {}, "prefersBorder": false }));
        let html = contents["text"].as_str().unwrap();
        assert!(html.starts_with("<!doctype html>"), "{}", &html[..80]);
        assert!(!html.contains("<script src") && !html.contains("<link"), "it loads something");
    }
    let listed = client.ask("tools/list", json!({})).await;
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let expected = match tool["name"].as_str().unwrap() {
            "list_directory" => json!(BROWSER),
            _ if tool["annotations"]["preview"] == true => json!(DIFF),
            _ => Value::Null,
        };
        assert_eq!(tool["_meta"]["ui"]["resourceUri"], expected, "{tool}");
        assert_eq!(tool["_meta"]["ui/resourceUri"], expected, "{tool}");
    }
}

#[tokio::test]
async fn the_names_of_the_tools_are_those_of_the_list() {
    let stage = Stage::new();
    let journal = Some(stage.open_folder("journal"));
    let client = stage.start(Setup { journal, ..stage.setup() });
    let listed = client.ask("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let mut names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, overt_servers::files::TOOL_NAMES);
}
