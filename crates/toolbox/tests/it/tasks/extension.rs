//! Which clients get tasks: modern clients that declare the extension in the request.
use overt_toolbox::{Content, TaskMode, Tool, ToolError};
use serde_json::{Map, Value, json};

use super::kit::{Client, code, serve};

fn tool(name: &str) -> Tool {
    let run = |_: Map<String, Value>, _| async { Ok::<_, ToolError>(vec![Content::text("done")]) };
    Tool::content(name, "Answers.", run)
}

fn client() -> Client {
    serve([
        tool("never"),
        tool("optional").task(TaskMode::Optional),
        tool("required").task(TaskMode::Required),
        tool("later").task_on_detach(TaskMode::Required),
    ])
}

/// Initializes a legacy client. Returns the server's capabilities.
async fn greet(client: &Client) -> Value {
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": super::kit::able(),
        "clientInfo": { "name": "t", "version": "1" },
    });
    let answer = client.ask_raw("initialize", &hello).await;
    let ready = overt_wire::Message::notification("notifications/initialized", None);
    let sink = std::sync::Arc::clone(client.session.sink());
    let exchange = overt_wire::Exchange::new(ready, std::sync::Arc::clone(&client.session), sink);
    client.handler.call(exchange.unwrap()).await;
    answer["result"]["capabilities"].clone()
}

#[tokio::test]
async fn a_client_that_does_not_know_tasks_gets_none() {
    let client = client();
    for capabilities in [
        json!({}),
        json!({ "tasks": { "requests": { "tools": { "call": {} } } } }),
        json!({ "extensions": {} }),
        json!({ "extensions": { "io.modelcontextprotocol/tasks": null } }),
        json!({ "io.modelcontextprotocol/tasks": {} }),
    ] {
        let call = async |tool: &str| {
            client.ask_with(capabilities.clone(), "tools/call", json!({ "name": tool, "task": {} })).await
        };
        for tool in ["never", "optional"] {
            let answer = call(tool).await;
            assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
            assert_eq!(answer["result"]["content"][0]["text"], "done");
        }
        for tool in ["required", "later"] {
            let answer = call(tool).await;
            assert_eq!(code(&answer), -32021);
            let required = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
            assert_eq!(answer["error"]["data"], json!({ "requiredCapabilities": required }));
        }
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let params = json!({ "taskId": "x", "inputResponses": {} });
            assert_eq!(code(&client.ask_with(capabilities.clone(), method, params).await), -32021);
        }
    }
}

#[tokio::test]
async fn a_task_needs_the_extension_in_every_request() {
    let client = client();
    let task = client.start("optional").await;
    let params = json!({ "taskId": task });
    assert_eq!(code(&client.ask_with(json!({}), "tasks/get", params).await), -32021);
    client.get(&task).await;
}

#[tokio::test]
async fn a_client_of_the_older_era_is_told_what_it_lacks() {
    let client = client();
    let capabilities = greet(&client).await;
    assert!(capabilities.get("extensions").is_none() && capabilities.get("tasks").is_none());
    let call = async |tool: &str| client.ask_raw("tools/call", &json!({ "name": tool })).await;
    assert_eq!(call("optional").await["result"]["content"][0]["text"], "done");
    let refused = call("required").await;
    assert_eq!(refused["result"]["isError"], true);
    assert!(
        refused["result"]["content"][0]["text"].as_str().unwrap().contains("only as a task"),
        "{refused}"
    );
    for method in ["tasks/get", "tasks/update", "tasks/cancel", "tasks/result", "tasks/list"] {
        assert_eq!(code(&client.ask_raw(method, &json!({ "taskId": "x" })).await), -32601, "{method}");
    }
}

#[tokio::test]
async fn the_extension_is_declared_where_a_tool_uses_it() {
    let with = client().ask_with(json!({}), "server/discover", json!({})).await;
    let extensions = &with["result"]["capabilities"]["extensions"];
    assert_eq!(extensions, &json!({ "io.modelcontextprotocol/tasks": {} }));
    assert!(with["result"]["capabilities"].get("tasks").is_none());

    let without = serve([tool("never")]);
    let discovered = without.ask("server/discover", json!({})).await;
    assert!(discovered["result"]["capabilities"].get("extensions").is_none());
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        assert_eq!(code(&without.ask(method, json!({ "taskId": "x", "inputResponses": {} })).await), -32601);
    }
}

#[tokio::test]
async fn the_older_names_are_unknown_and_the_older_parameter_is_ignored() {
    let client = client();
    for method in ["tasks/result", "tasks/list"] {
        assert_eq!(code(&client.ask(method, json!({ "taskId": "x" })).await), -32601);
    }
    let hint = json!({ "name": "never", "task": { "ttl": 60_000 } });
    assert_eq!(client.ask("tools/call", hint).await["result"]["resultType"], "complete");
}

#[tokio::test]
async fn the_list_of_tools_says_nothing_of_tasks() {
    let listed = serve([tool("a").task(TaskMode::Required)]).ask("tools/list", json!({})).await;
    let plain = serve([tool("a")]).ask("tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"].to_string(), plain["result"]["tools"].to_string());
}

#[tokio::test]
async fn wrong_arguments_are_said_at_once() {
    let client = client();
    let answer = client.ask("tools/call", json!({ "name": "required", "arguments": 7 })).await;
    assert_eq!(
        (&answer["result"]["resultType"], &answer["result"]["isError"]),
        (&json!("complete"), &json!(true))
    );
}

#[tokio::test]
async fn a_tool_that_never_leaves_its_request_answers_directly() {
    let answer = client().call("later").await;
    assert_eq!(answer["result"]["content"][0]["text"], "done");
    assert_eq!(answer["result"]["resultType"], "complete");
}
