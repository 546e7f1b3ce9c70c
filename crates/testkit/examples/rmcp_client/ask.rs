//! A client that makes some requests in one session and prints the results as one line of JSON.

use std::error::Error;

use rmcp::model::{ClientRequest, CustomRequest};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use serde_json::{Value, json};

use crate::connection::{connect, lifecycle, print};

/// Makes the requests. `requests` is a list of `{ method, params }`. Methods that the SDK does not
/// know are sent unchanged.
pub(crate) async fn make(era: &str, requests: &str, target: &[&str]) -> Result<(), Box<dyn Error>> {
    let client = connect((), lifecycle(era)?, target).await?;
    let mut answers = Vec::new();
    for request in serde_json::from_str::<Vec<Value>>(requests)? {
        let method = request["method"].as_str().unwrap_or_default();
        answers.push(
            send(&client, method, request["params"].clone())
                .await
                .unwrap_or_else(|error| json!({ "error": error.to_string() })),
        );
    }
    print(&json!({
        "version": client.peer_info().map(|info| info.protocol_version.to_string()),
        "answers": answers,
    }));
    client.cancel().await?;
    Ok(())
}

async fn send(
    client: &RunningService<RoleClient, ()>,
    method: &str,
    params: Value,
) -> Result<Value, Box<dyn Error>> {
    Ok(match method {
        "resources/list" => {
            serde_json::to_value(client.list_resources(serde_json::from_value(params)?).await?)?
        }
        "resources/templates/list" => {
            serde_json::to_value(client.list_resource_templates(serde_json::from_value(params)?).await?)?
        }
        "resources/read" => {
            serde_json::to_value(client.read_resource(serde_json::from_value(params)?).await?)?
        }
        "tools/list" => serde_json::to_value(client.list_tools(serde_json::from_value(params)?).await?)?,
        "tools/call" => serde_json::to_value(client.call_tool(serde_json::from_value(params)?).await?)?,
        "prompts/get" => serde_json::to_value(client.get_prompt(serde_json::from_value(params)?).await?)?,
        _ => custom(client, method, params).await?,
    })
}

async fn custom(
    client: &RunningService<RoleClient, ()>,
    method: &str,
    params: Value,
) -> Result<Value, Box<dyn Error>> {
    let request = ClientRequest::CustomRequest(CustomRequest::new(method.to_owned(), Some(params)));
    let answer: Result<_, ServiceError> = client.send_request(request).await;
    Ok(serde_json::to_value(answer?)?)
}
