//! Cards of a running server: the resource `overt://cards/TOOL` of each of its tools.
use overt_documents::live::LiveTool;
use overt_documents::mark;
use overt_transport::client::{Client, ClientError};
use overt_wire::Method;
use overt_wire::json::{JsonBuf, Object};

use super::check::Text;
use crate::error::{CommandError, user_error};
use crate::output::Printer;

pub(super) async fn all(client: &Client, printer: &Printer) -> Result<Vec<Text>, CommandError> {
    let has = |capability: &str| client.server().capabilities.as_json().get(capability).value().is_some();
    let tools = if has("tools") { client.list(Method::ToolsList.name(), "tools").await? } else { Vec::new() };
    let tools: Vec<LiveTool> = tools.iter().map(JsonBuf::as_json).filter_map(LiveTool::read).collect();
    if tools.is_empty() {
        return Err(user_error("the server offers no tools, so there are no cards"));
    }
    let mut texts = Vec::with_capacity(tools.len());
    printer.progress_start("reading cards");
    for tool in tools {
        let uri = mark::uri::card(&tool.name);
        let text = if has("resources") { read(client, &uri).await? } else { None };
        texts.push(Text { source: uri, text, live: Some(tool) });
    }
    Ok(texts)
}

/// Returns the text of the resource, or `None` if the server refuses to read it or returns no text.
async fn read(client: &Client, uri: &str) -> Result<Option<String>, ClientError> {
    let params = Object::new().string("uri", uri).finish();
    match client.request(Method::ResourcesRead.name(), Some(params.as_json())).await {
        Ok(answer) => {
            let contents = answer.result_body().get("contents").value();
            let first = contents.and_then(|contents| contents.elements().next());
            Ok(first.and_then(|content| content.get("text").string().map(String::from)))
        }
        Err(ClientError::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
