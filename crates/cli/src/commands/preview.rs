//! `overt call --preview` and `--review`: the changes of a call, as a diff and as a page.
use overt_documents::mark;
use overt_policy::mark::{key, request};
use overt_transport::client::{Client, ClientError};
use overt_wire::json::{Json, JsonBuf, Member, Object};
use overt_wire::view::CallResult;
use overt_wire::{Message, Method};

use super::save;
use crate::error::CommandError;
use crate::output::{Printer, call_changes_text, has_all_lines, one_line, patch_text};
use crate::settings::{CallSettings, Save, Shape};

/// Says whether the server declares that the tool has previews. A server that doesn't would run it.
pub(super) fn is_offered(tool: &JsonBuf) -> bool {
    tool.as_json().read().is_ok_and(|definition| mark::read_tool(&definition).preview)
}

/// Prints the changes: for programs the result as it is, for people the diff.
pub(super) async fn show(
    client: &Client,
    printer: &Printer,
    answer: &Message,
    result: CallResult<'_>,
    settings: &CallSettings,
) -> Result<(), CommandError> {
    if marked(answer, request::PREVIEW).value().and_then(Json::bool) != Some(true) {
        printer.warn("the server does not say that this was a preview: the call may have had its effect");
    }
    if settings.shape == Shape::Json {
        printer.json(result.0)?;
    } else {
        // A complete diff in the result does not need another request.
        let carried =
            marked(answer, key::DIFF).value().filter(|diff| has_all_lines(*diff)).and_then(call_changes_text);
        match (carried, address(answer, result, "diff", "text/x-diff")) {
            (Some(changes), _) if settings.shape == Shape::Text => printer.text(&changes)?,
            (_, None) => printer.note("nothing would change, as far as the server shows"),
            (_, Some(uri)) => {
                let diff = read(client, &uri).await?;
                match settings.shape {
                    Shape::Raw => printer.exact(diff.as_bytes())?,
                    Shape::Text | Shape::Json => printer.text(&patch_text(&diff))?,
                }
            }
        }
    }
    if let Some(plan) = marked(answer, request::PLAN).string() {
        printer.note(&format!("nothing was changed; `--plan {}` makes exactly this call", one_line(&plan)));
    }
    Ok(())
}

/// Writes the page that shows the changes, if the person asked for it.
pub(super) async fn save_page(
    client: &Client,
    printer: &Printer,
    answer: &Message,
    result: CallResult<'_>,
    review: &Save,
) -> Result<(), CommandError> {
    let Save::To { path, existing } = review else { return Ok(()) };
    let Some(uri) = address(answer, result, "page", "text/html") else {
        printer.warn("there is no page to save: the server shows no changes of this call");
        return Ok(());
    };
    let page = read(client, &uri).await?;
    let written = save::write(path, page.as_bytes(), *existing);
    written.map_err(|source| save::unwritten(path, source))?;
    printer.note(&format!("saved the changes as a page: {}", path.display()));
    Ok(())
}

/// Returns a mark of the server itself, in the result or beside it, or of a server behind
/// another Overt, which moves its marks aside.
pub(super) fn marked<'a>(answer: &'a Message, name: &str) -> Member<'a> {
    let places = [answer.result_body().get("_meta"), answer.as_json().get("_meta")];
    let marks = places.into_iter().flat_map(|meta| [meta.get(name), meta.get(key::UPSTREAM).get(name)]);
    marks.into_iter().find_map(Member::value).map_or(Member::Absent, Member::Value)
}

/// Returns the URI of a view of the changes: from our own mark, a link, or a literal item.
fn address(answer: &Message, result: CallResult<'_>, name: &str, mime_type: &str) -> Option<String> {
    let ours = marked(answer, key::REVIEW).get(name).string();
    let items = || result.content().map(|item| item.0);
    let is_it = |item: &Json<'_>| item.get("mimeType").string().as_deref() == Some(mime_type);
    let linked = || items().filter(is_it).find_map(|item| item.get("uri").string());
    let literal = || items().filter(is_it).find_map(|item| item.get("url").string());
    ours.or_else(linked).or_else(literal).map(Into::into)
}

async fn read(client: &Client, uri: &str) -> Result<String, CommandError> {
    let params = Object::new().string("uri", uri).finish();
    let answer = client.request(Method::ResourcesRead.name(), Some(params.as_json())).await?;
    let contents = answer.result_body().get("contents").value();
    let text = contents.into_iter().flat_map(Json::elements).find_map(|part| part.get("text").string());
    let missing = || ClientError::Protocol { what: format!("what is at `{}` is not text", one_line(uri)) };
    Ok(text.ok_or_else(missing)?.into_owned())
}
