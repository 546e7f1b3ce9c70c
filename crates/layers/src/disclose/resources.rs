//! The documents that a client reads as resources: the help, and a card for each tool (X-17, C-11).
use overt_spec::Description;
use overt_spec::Place;
use overt_spec::card;
use overt_spec::document::{self, Kind};
use overt_spec::manifest;
use overt_wire::edit::{self, EditError, Step};
use overt_wire::json::{Array, Json, JsonBuf, Object};
use overt_wire::view::Page;
use overt_wire::{ErrorObject, Exchange, Message};

use super::disclosure::Disclosure;

pub(super) const HELP: &str = "overt://ai-help";
pub(super) const CARDS: &str = "overt://cards/{tool}";
/// What is declared, from which all the documents can be made elsewhere. Named in our extension and not listed: a model has no
/// use for it.
pub(super) const MANIFEST: &str = "overt://manifest";
const CARD: &str = "overt://cards/";
const OURS: &str = "overt://";

/// Where the server is reached: what is declared to be public comes first, because we may stand behind another server.
pub(super) fn place(disclosure: &Disclosure, reached_at: Option<&str>) -> Place {
    let public = disclosure.declaration.server.urls.mcp.as_deref();
    match reached_at {
        // Whoever came over HTTP finds the documents there too.
        Some(address) => Place::served(public.unwrap_or(address)),
        None => public.map(Place::at).unwrap_or_default(),
    }
}

/// Where a client finds the card of a tool, whatever transport it came by.
pub(super) fn card_uri(tool: &str) -> String {
    format!("{CARD}{}", card::segment_of(tool))
}

/// Whether a request reads something that we have.
pub(super) fn is_ours(exchange: &Exchange) -> bool {
    exchange.message.params().get("uri").string().is_some_and(|uri| uri.starts_with(OURS))
}

/// What is read, if we have it.
pub(super) fn read(
    exchange: &Exchange,
    description: &Description,
    disclosure: &Disclosure,
) -> Option<Object> {
    let uri = exchange.message.params().get("uri").string()?;
    if uri == MANIFEST {
        // Of this asker's tools only.
        let text = manifest::write(&description.declaration());
        return Some(contents(&uri, "application/toml", &text));
    }
    let place = place(disclosure, exchange.reached_at.as_deref());
    let document = match uri.strip_prefix(CARD) {
        Some(segment) => document::card(&card::name_of(segment)?, description, &place)?,
        None if uri == HELP => document::render(Kind::AiHelp, description, &place).ok().and_then(first)?,
        None => return None,
    };
    Some(contents(&uri, document.media_type, &document.text))
}

/// Nobody has it.
pub(super) fn not_found(exchange: &Exchange) -> ErrorObject {
    let Some(uri) = exchange.message.params().get("uri").string() else {
        return ErrorObject::invalid_params("`uri` must be a string");
    };
    ErrorObject::new(exchange.caller.version.resource_not_found(), format!("resource not found: `{uri}`"))
        .with_data(Object::new().string("uri", &uri).finish())
}

fn contents(uri: &str, media_type: &str, text: &str) -> Object {
    let contents =
        Object::new().string("uri", uri).string("mimeType", media_type).string("text", text).finish();
    Object::new().json("contents", Array::new().json(contents.as_json()).finish().as_json())
}

fn first(documents: Vec<document::Document>) -> Option<document::Document> {
    documents.into_iter().next()
}

/// A list of a server that has no resources of its own.
pub(super) fn only(list: &str) -> Object {
    Object::new().json(list, Array::new().json(entry(list).as_json()).finish().as_json())
}

/// Our entry at the end of the last page.
pub(super) fn append(reply: &Message, list: &str) -> Result<Message, EditError> {
    let body = reply.result_body();
    // A server that stands behind another Overt has them already.
    let has_ours = body.get(list).value().into_iter().flat_map(Json::elements).any(|entry| {
        let address = entry.get("uri").string().or_else(|| entry.get("uriTemplate").string());
        address.is_some_and(|address| address == HELP || address == CARDS)
    });
    let has_more = body.value().and_then(|body| Page(body).next_cursor()).is_some();
    if has_ours || has_more {
        return Ok(reply.clone());
    }
    edit::append_in(reply, &[Step::Member("result"), Step::Member(list)], &[entry(list)])
}

fn entry(list: &str) -> JsonBuf {
    match list {
        "resources" => Object::new()
            .string("uri", HELP)
            .string("name", "ai-help")
            .string("title", "How to use this server")
            .string("description", "When and how to use this server, for agents")
            .string("mimeType", "text/markdown")
            .finish(),
        _ => Object::new()
            .string("uriTemplate", CARDS)
            .string("name", "tool-card")
            .string("title", "Tool Card")
            .string("description", "What a tool can do to the world: effect, exposure, approval, refusals")
            .string("mimeType", "application/json")
            .finish(),
    }
}
