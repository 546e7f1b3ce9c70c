//! `overt call --preview`: what a call would change, as a diff.
use overt_spec::mark::{self, key, request};
use overt_transport::client::{Client, ClientError};
use overt_wire::Method;
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::view::CallResult;

use crate::failure::Failure;
use crate::output::{Printer, one_line, patch_text};
use crate::settings::{CallSettings, Shape};

/// Whether the server says that the tool can be tried. One that doesn't would run it.
pub(super) fn is_offered(tool: &JsonBuf) -> bool {
    tool.as_json().read().is_ok_and(|definition| mark::read_tool(&definition).preview)
}

/// Prints the changes: the result as it is for programs, the diff for people.
pub(super) async fn show(
    client: &Client,
    printer: &Printer,
    result: CallResult<'_>,
    settings: &CallSettings,
) -> Result<(), Failure> {
    let meta = result.0.get("_meta");
    if meta.get(request::PREVIEW).value().and_then(Json::bool) != Some(true) {
        printer.warn("the server does not say that this was a preview: the call may have had its effect");
    }
    if settings.shape == Shape::Json {
        printer.json(result.0)?;
    } else {
        match diff_address(result) {
            None => printer.note("nothing would change, as far as the server shows"),
            Some(uri) => {
                let diff = read(client, &uri).await?;
                match settings.shape {
                    Shape::Raw => printer.exact(diff.as_bytes())?,
                    Shape::Text | Shape::Json => printer.text(&patch_text(&diff))?,
                }
            }
        }
    }
    if let Some(plan) = meta.get(request::PLAN).string() {
        printer.note(&format!("nothing was changed; `--plan {}` makes exactly this call", one_line(&plan)));
    }
    Ok(())
}

/// Where the diff is: in our own place, as a link, or as the literal item.
fn diff_address(result: CallResult<'_>) -> Option<String> {
    let ours = result.0.get("_meta").get(key::REVIEW).get("diff").string();
    let items = || result.content().map(|item| item.0);
    let is_diff = |item: &Json<'_>| item.get("mimeType").string().as_deref() == Some("text/x-diff");
    let linked = || items().filter(is_diff).find_map(|item| item.get("uri").string());
    let literal = || items().filter(is_diff).find_map(|item| item.get("url").string());
    ours.or_else(linked).or_else(literal).map(Into::into)
}

async fn read(client: &Client, uri: &str) -> Result<String, Failure> {
    let params = Object::new().string("uri", uri).finish();
    let answer = client.request(Method::ResourcesRead.name(), Some(params.as_json())).await?;
    let contents = answer.result_body().get("contents").value();
    let text = contents.into_iter().flat_map(Json::elements).find_map(|part| part.get("text").string());
    let missing = || ClientError::Protocol { what: format!("the diff at `{}` is no text", one_line(uri)) };
    Ok(text.ok_or_else(missing)?.into_owned())
}
