//! A client that makes several calls in one session, answers for the person, and prints the outcome
//! as one line of JSON.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
    ElicitationAction, Implementation,
};
use rmcp::service::RequestContext;
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json};

use crate::connection::{connect, lifecycle, print};

const PLAN: &str = "dev.overt/plan";

/// Answers the server's questions, and notes them.
#[derive(Debug, Clone)]
struct Person {
    answer: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl ClientHandler for Person {
    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if let ElicitRequestParams::FormElicitationParams { message, .. } = request {
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        }
        let content = json!({ "decision": self.answer });
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content))
    }

    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("files", "1"))
    }
}

/// Makes the calls. `calls` is a list of `{ name, arguments, meta }`. `PLAN` in `meta` is replaced
/// with the plan of the last preview.
pub(crate) async fn make(
    era: &str,
    answer: &str,
    calls: &str,
    target: &[&str],
) -> Result<(), Box<dyn Error>> {
    let person = Person { answer: answer.to_owned(), asked: Arc::default() };
    let asked = Arc::clone(&person.asked);
    let client = connect(person, lifecycle(era)?, target).await?;
    let tools = client.list_all_tools().await?;
    let (mut plan, mut told) = (Value::Null, Vec::new());
    for call in serde_json::from_str::<Vec<Value>>(calls)? {
        let mut meta = call["meta"].clone();
        if meta[PLAN] == "PLAN" {
            meta[PLAN] = plan.clone();
        }
        let mut request = json!({ "name": call["name"], "arguments": call["arguments"] });
        if meta.is_object() {
            request["_meta"] = meta;
        }
        let request: CallToolRequestParams = serde_json::from_value(request)?;
        told.push(match client.call_tool(request).await {
            Ok(result) => {
                let result = serde_json::to_value(result)?;
                if !result["_meta"][PLAN].is_null() {
                    plan = result["_meta"][PLAN].clone();
                }
                let items = result["content"].as_array().map_or(&[][..], Vec::as_slice);
                let text: Vec<&str> = items.iter().filter_map(|item| item["text"].as_str()).collect();
                json!({
                    "isError": result["isError"] == true, "text": text.join("\n"),
                    "structured": result["structuredContent"],
                })
            }
            Err(error) => json!({ "isError": true, "text": error.to_string() }),
        });
    }
    let asked = asked.lock().unwrap_or_else(PoisonError::into_inner).clone();
    print(&json!({
        "version": client.peer_info().map(|info| info.protocol_version.to_string()),
        "tools": tools.iter().map(|tool| &tool.name).collect::<Vec<_>>(),
        "asked": asked,
        "calls": told,
    }));
    client.cancel().await?;
    Ok(())
}
