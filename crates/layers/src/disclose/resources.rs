//! The documents that a client reads as resources: the help, and a card for each tool (X-17, C-11).
use overt_spec::Description;
use overt_spec::Place;
use overt_spec::card;
use overt_spec::document::{self, Kind};
use overt_wire::edit::{self, EditError, Step};
use overt_wire::json::{Array, JsonBuf, Object};
use overt_wire::{ErrorObject, Exchange, Message};

use super::disclosure::Disclosure;

pub(super) const HELP: &str = "overt://ai-help";
pub(super) const CARDS: &str = "overt://cards/{tool}";
const CARD: &str = "overt://cards/";
const OURS: &str = "overt://";

/// Where the server can be reached, as far as that is declared.
pub(super) fn place(disclosure: &Disclosure) -> Place {
    Place { mcp_url: disclosure.declaration.server.urls.mcp.clone() }
}

/// Where the card of a tool is: on the web if the server is there, else here.
pub(super) fn card_uri(tool: &str, disclosure: &Disclosure) -> String {
    let public = disclosure.declaration.server.urls.mcp.as_deref();
    public
        .and_then(|mcp| card::url_of(tool, mcp))
        .unwrap_or_else(|| format!("{CARD}{}", card::segment_of(tool)))
}

/// Whether a request reads something that we have.
pub(super) fn is_ours(exchange: &Exchange) -> bool {
    exchange.message.params().get("uri").string().is_some_and(|uri| uri.starts_with(OURS))
}

/// What is read.
pub(super) fn read(
    exchange: &Exchange,
    description: &Description,
    disclosure: &Disclosure,
) -> Result<Object, ErrorObject> {
    let Some(uri) = exchange.message.params().get("uri").string() else {
        return Err(ErrorObject::invalid_params("`uri` must be a string"));
    };
    let place = place(disclosure);
    let found = match uri.strip_prefix(CARD) {
        Some(segment) => card::name_of(segment).and_then(|tool| document::card(&tool, description, &place)),
        None if uri == HELP => document::render(Kind::AiHelp, description, &place).ok().and_then(first),
        None => None,
    };
    let Some(document) = found else {
        let version = exchange.caller.version;
        return Err(ErrorObject::new(version.resource_not_found(), format!("resource not found: `{uri}`"))
            .with_data(Object::new().string("uri", &uri).finish()));
    };
    let contents = Object::new()
        .string("uri", &uri)
        .string("mimeType", document.media_type)
        .string("text", &document.text)
        .finish();
    Ok(Object::new().json("contents", Array::new().json(contents.as_json()).finish().as_json()))
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
    if !reply.result_body().get("nextCursor").is_absent() {
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
