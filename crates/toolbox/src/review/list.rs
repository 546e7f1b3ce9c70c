//! Artifacts among the resources of a server: lists them for legacy clients only, and finds
//! them by address.
use overt_layers::ReviewedCall;
use overt_wire::Exchange;
use overt_wire::era::Era;
use overt_wire::json::{JsonBuf, Object};
use serde_json::Value;

use super::super::endpoint::ToolServer;
use super::super::reply::Answer;
use super::address::{DIFF, PAGE, address, diff_address, name_of, tool_of};

impl ToolServer {
    /// Lists the resources. Legacy clients also see the artifacts that they can read. For modern
    /// clients, a list must not depend on earlier calls.
    pub(in super::super) fn resources_list(&self, exchange: &Exchange) -> Answer {
        let skills = self.skill_resources();
        if exchange.caller.era() == Era::Modern && skills.is_empty() {
            return self.list(exchange, "resources", &self.resource_definitions);
        }
        if exchange.caller.era() == Era::Modern {
            let all: Vec<JsonBuf> = self.resource_definitions.iter().cloned().chain(skills).collect();
            return self.list(exchange, "resources", &all);
        }
        let artifacts = self.artifacts.of(&exchange.session).into_iter().flat_map(|(name, artifact)| {
            let tool = &artifact.tool;
            [
                entry(&address(tool, &name), &format!("{tool} review"), PAGE),
                entry(&diff_address(tool, &name), &format!("{tool} diff"), DIFF),
            ]
        });
        let all: Vec<JsonBuf> =
            self.resource_definitions.iter().cloned().chain(skills).chain(artifacts).collect();
        self.list(exchange, "resources", &all)
    }

    /// Returns the call that an artifact belongs to.
    pub(in super::super) fn origin(&self, uri: &str) -> Option<ReviewedCall> {
        // Use the same lookup as reading does, so that another spelling of an address can't bypass
        // the decision.
        if self.resources.contains_key(uri) {
            return None;
        }
        let (template, variables) = self
            .templates
            .iter()
            .find_map(|template| Some((&template.template, template.parsed.as_ref().ok()?.matches(uri)?)))?;
        let tool = tool_of(template)?;
        let artifact = self.artifacts.find(name_of(variables.get("id")?).0)?;
        (artifact.tool == tool).then(|| ReviewedCall {
            tool: artifact.tool.clone(),
            arguments: Value::clone(&artifact.arguments),
            settings: artifact.settings.clone(),
        })
    }
}

fn entry(uri: &str, name: &str, mime_type: &str) -> JsonBuf {
    let annotations = Object::new().value("audience", &["user"]).finish();
    Object::new()
        .string("uri", uri)
        .string("name", name)
        .string("mimeType", mime_type)
        .json("annotations", annotations.as_json())
        .finish()
}
