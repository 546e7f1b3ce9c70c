//! Artifacts as resources: read by whoever made the call, listed for older clients only.
use std::collections::BTreeMap;
use std::sync::Arc;

use overt_policy::record::ResourceRecord;
use overt_wire::era::Era;
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{ErrorObject, Exchange};
use serde_json::Value;

use super::super::context::Context;
use super::super::endpoint::ToolServer;
use super::super::error::ToolError;
use super::super::reply::Answer;
use super::super::resource::{ResourceContents, ResourceTemplate};
use super::store::Artifacts;

pub(super) const PAGE: &str = "text/html";
pub(super) const DIFF: &str = "text/x-diff";
/// What an address begins with.
const SCHEME: &str = "ui://";
const DIFF_ENDING: &str = ".diff";

pub(super) fn address(tool: &str, name: &str) -> String {
    format!("{SCHEME}{tool}/{name}")
}

pub(super) fn diff_address(tool: &str, name: &str) -> String {
    address(tool, name) + DIFF_ENDING
}

/// The template that stands for all artifacts of a tool.
pub(in super::super) fn template(tool: &str, artifacts: &Arc<Artifacts>) -> ResourceTemplate {
    let artifacts = Arc::clone(artifacts);
    let of = tool.to_owned();
    ResourceTemplate::new(&address(tool, "{id}"), &format!("{tool} changes"), move |variables, context| {
        let read = read(&artifacts, &of, &variables, &context);
        async move { read }
    })
    .description(&format!(
        "What a call of {tool} changes, for people: a page, and with `.diff` after the id a unified diff."
    ))
    .declare(ResourceRecord { resource_type: Some("review".to_owned()), ..ResourceRecord::default() })
}

fn read(
    artifacts: &Artifacts,
    tool: &str,
    variables: &BTreeMap<String, String>,
    context: &Context,
) -> Result<ResourceContents, ToolError> {
    let id = variables.get("id").map(String::as_str).unwrap_or_default();
    let (name, is_diff) = name_of(id);
    let found = artifacts
        .find_for(name, context.session())
        .filter(|artifact| artifact.tool == tool && artifact.is_shown_under(context.settings()));
    match found {
        Some(artifact) if is_diff => Ok(ResourceContents::text(DIFF, artifact.diff.clone())),
        Some(artifact) => Ok(ResourceContents::text(PAGE, artifact.page.clone())),
        None => {
            let uri = address(tool, id);
            let minutes = artifacts.lifetime().as_secs().div_ceil(60);
            let message = format!(
                "resource not found: `{uri}`; changes are kept for {minutes} minutes, for the session that made the call, \
                 and for those to whom no settings or policy leave less than the call had: call `{tool}` with `_meta.preview` \
                 to see them again"
            );
            let code = context.caller().version.resource_not_found();
            let error = ErrorObject::new(code, message).with_data(Object::new().string("uri", &uri).finish());
            Err(ToolError::protocol(error))
        }
    }
}

/// The name of the artifact, and whether its diff is meant.
fn name_of(id: &str) -> (&str, bool) {
    match id.strip_suffix(DIFF_ENDING) {
        Some(name) => (name, true),
        None => (id, false),
    }
}

impl ToolServer {
    /// Older clients see in the list what they can read. For newer ones a list must not depend on what was called before.
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

    /// The call that an artifact belongs to.
    pub(in super::super) fn origin(&self, uri: &str) -> Option<(String, Value)> {
        // Found as reading finds it, so that no other spelling of an address gets past whoever asks.
        if self.resources.contains_key(uri) {
            return None;
        }
        let (template, variables) = self
            .templates
            .iter()
            .find_map(|template| Some((&template.template, template.parsed.as_ref().ok()?.matches(uri)?)))?;
        let tool = template.strip_prefix(SCHEME)?.strip_suffix("/{id}")?;
        let artifact = self.artifacts.find(name_of(variables.get("id")?).0)?;
        (artifact.tool == tool).then(|| (artifact.tool.clone(), Value::clone(&artifact.arguments)))
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
