//! One tool of a server and the arguments for a call of it.
use overt_transport::client::Client;
use overt_wire::Method;
use overt_wire::json::JsonBuf;
use overt_wire::view::Tool;

use crate::arguments::{Parameters, build};
use crate::error::{CommandError, user_error};
use crate::settings::Input;
use overt_operator::near::valid_names;

const NO_TOOLS: &str = "the server offers no tools";

/// Lists all tools of the server.
pub(super) async fn list(client: &Client) -> Result<Vec<JsonBuf>, CommandError> {
    if client.server().capabilities.as_json().get("tools").value().is_none() {
        return Err(user_error(NO_TOOLS));
    }
    Ok(client.list(Method::ToolsList.name(), "tools").await?)
}

/// Returns the tool with this name.
pub(super) fn named<'a>(tools: &'a [JsonBuf], name: &str) -> Result<&'a JsonBuf, CommandError> {
    let is_it = |tool: &&JsonBuf| Tool(tool.as_json()).name().as_deref() == Some(name);
    tools.iter().find(is_it).ok_or_else(|| {
        let names: Vec<_> = tools.iter().filter_map(|tool| Tool(tool.as_json()).name()).collect();
        match names.is_empty() {
            true => user_error(NO_TOOLS),
            false => {
                let valid = valid_names(name, names.iter().map(AsRef::as_ref));
                user_error(format!("the server has no tool `{name}`; {valid}"))
            }
        }
    })
}

/// Returns the arguments object: as it was given, or built from words with the tool's schema.
pub(super) fn arguments(tool: &JsonBuf, name: &str, input: &Input) -> Result<JsonBuf, CommandError> {
    match input {
        Input::Whole(object) => Ok(object.clone()),
        Input::Words(words) => {
            let parameters = Parameters::of(Tool(tool.as_json()).input_schema());
            Ok(build(name, &parameters, words)?)
        }
    }
}
