//! What the running server says, asked in somebody's name: who may see less is told of less.
use overt_spec::live::{Live, LivePrompt, LiveResource, LiveTool};
use overt_wire::era::{Era, key};
use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::view::Page;
use overt_wire::{ErrorObject, Exchange, Handler, Id, Message, Method};

use super::disclosure::Offers;

/// Entries that are read of one list; no server has so many that anybody would read about.
const MOST_ENTRIES: usize = 10_000;
const MOST_PAGES: usize = 1_000;

/// Asks for everything that documents tell of, as far as the server offers it.
pub(super) async fn survey<H: Handler>(
    inner: &H,
    asker: &Exchange,
    offers: Offers,
) -> Result<Live, ErrorObject> {
    let tools = if offers.tools { list(inner, asker, Method::ToolsList, "tools").await? } else { Vec::new() };
    // Without its tools nothing can be said about a server; without the rest, less.
    let (mut resources, mut templates, mut prompts) = (Vec::new(), Vec::new(), Vec::new());
    if offers.resources {
        resources = side_list(inner, asker, Method::ResourcesList, "resources").await;
        templates = side_list(inner, asker, Method::ResourceTemplatesList, "resourceTemplates").await;
    }
    if offers.prompts {
        prompts = side_list(inner, asker, Method::PromptsList, "prompts").await;
    }
    Ok(Live {
        tools: read(&tools, LiveTool::read),
        resources: resources
            .iter()
            .chain(&templates)
            .filter_map(|r| LiveResource::read(r.as_json()))
            .collect(),
        prompts: read(&prompts, LivePrompt::read),
        ..Live::default()
    })
}

fn read<T>(entries: &[JsonBuf], read: fn(Json<'_>) -> Option<T>) -> Vec<T> {
    entries.iter().filter_map(|entry| read(entry.as_json())).collect()
}

/// A list that is empty if the server fails to give it (D-31).
async fn side_list<H: Handler>(
    inner: &H,
    asker: &Exchange,
    method: Method<'static>,
    member: &str,
) -> Vec<JsonBuf> {
    list(inner, asker, method, member).await.unwrap_or_else(|error| {
        tracing::warn!(method = method.name(), %error, "left out of what is told: the server fails to list it");
        Vec::new()
    })
}

/// All pages of a list. A server that doesn't have the method has no entries.
async fn list<H: Handler>(
    inner: &H,
    asker: &Exchange,
    method: Method<'_>,
    member: &str,
) -> Result<Vec<JsonBuf>, ErrorObject> {
    let mut entries = Vec::new();
    let mut cursor: Option<String> = None;
    for _ in 0..MOST_PAGES {
        let Some(answer) = inner.call(request(asker, method, cursor.as_deref())).await else { break };
        if let Some(error) = answer.error_body() {
            return if error.code == code::METHOD_NOT_FOUND { Ok(entries) } else { Err(error) };
        }
        let Some(body) = answer.result_body().value() else { break };
        let room = MOST_ENTRIES - entries.len();
        entries.extend(Page(body).items(member).take(room).map(Json::to_buf));
        match Page(body).next_cursor() {
            Some(next) if entries.len() < MOST_ENTRIES => cursor = Some(next.into_owned()),
            _ => break,
        }
    }
    Ok(entries)
}

/// A request of ours with the rights of whoever asked.
fn request(asker: &Exchange, method: Method<'_>, cursor: Option<&str>) -> Exchange {
    let params = Object::new().maybe("cursor", cursor);
    let params = match asker.caller.era() {
        Era::Legacy => params,
        Era::Modern => params.json("_meta", meta(asker).as_json()),
    };
    let message = Message::request(&Id::from(0), method.name(), Some(params.finish().as_json()));
    Exchange { message, param_headers: None, ..asker.clone() }
}

/// Who asks, with whatever else the asker says in every request, such as the handle of its session. What belongs to the
/// one request that it sent is left out.
fn meta(asker: &Exchange) -> JsonBuf {
    let own = [key::PROTOCOL_VERSION, key::CLIENT_CAPABILITIES, key::CLIENT_INFO, key::PROGRESS_TOKEN];
    let said = asker.message.meta().value().into_iter().flat_map(Json::members);
    let more = said.filter(|(name, _)| !own.contains(&&*name.name()));
    let meta = asker.caller.to_meta(Object::new());
    more.fold(meta, |meta, (name, value)| meta.json(&name.name(), value)).finish()
}
