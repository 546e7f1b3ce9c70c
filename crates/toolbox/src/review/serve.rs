//! The resources that return artifacts, each only to the session that made the call.
use std::collections::BTreeMap;
use std::sync::Arc;

use overt_policy::record::ResourceRecord;
use overt_wire::ErrorObject;
use overt_wire::json::Object;

use super::super::context::Context;
use super::super::error::ToolError;
use super::super::resource::{ResourceContents, ResourceTemplate};
use super::address::{DIFF, PAGE, address, name_of, template_of};
use super::store::Artifacts;

/// Returns the resource template for all artifacts of a tool.
pub(in super::super) fn template(tool: &str, artifacts: &Arc<Artifacts>) -> ResourceTemplate {
    let artifacts = Arc::clone(artifacts);
    let of = tool.to_owned();
    ResourceTemplate::new(&template_of(tool), &format!("{tool} changes"), move |variables, context| {
        let read = read(&artifacts, &of, &variables, &context);
        async move { read }
    })
    .description(&format!(
        "What a call of {tool} changes, for people: a page, and with `.diff` after the id a unified diff."
    ))
    .declare(ResourceRecord {
        resource_type: Some("review".to_owned()),
        refreshable: Some(false),
        ..ResourceRecord::default()
    })
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
