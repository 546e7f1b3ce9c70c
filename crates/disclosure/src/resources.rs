//! The documents that a client reads as resources: the help, and a card for each tool (X-17, C-11).
use overt_documents::dashdash::ResourceObject;
use overt_documents::document::{self, Kind};
use overt_documents::mark::uri::{CARD_PREFIX, CARDS, HELP, MANIFEST};
use overt_documents::{Description, ServerLocation, card, manifest};
use overt_policy::mark::key;
use overt_wire::edit::{self, EditError, Step};
use overt_wire::json::{Array, Json, JsonBuf, Object};
use overt_wire::view::Page;
use overt_wire::{ErrorObject, Exchange, Message};

use super::answers::CACHE_SECONDS;
use super::disclosure::Disclosure;

/// The scheme of Overt's own URIs.
const SCHEME: &str = "overt:";

/// Returns the address of the server. A declared public address takes precedence, because Overt may
/// run behind another server.
pub(super) fn place(disclosure: &Disclosure, reached_at: Option<&str>) -> ServerLocation {
    let public = disclosure.declaration.server.urls.mcp.as_deref();
    match reached_at {
        // A client over HTTP finds the documents at that address too.
        Some(address) => ServerLocation::served(public.unwrap_or(address)),
        None => public.map(ServerLocation::at).unwrap_or_default(),
    }
}

/// Returns whether a request reads one of our own URIs. Otherwise the described server could answer
/// in our name.
pub(super) fn is_asked_for(exchange: &Exchange) -> bool {
    exchange.message.param("uri").string().is_some_and(|uri| is_ours(&uri))
}

/// Returns whether a request names the help. It changes only when a list of the server does, which
/// clients hear of anyway, so a subscription to it is accepted and needs no watch.
pub(super) fn is_help(exchange: &Exchange) -> bool {
    exchange.message.param("uri").string().is_some_and(|uri| uri == HELP)
}

/// Returns the answer to a read with how long it may be cached, where that was declared (D-21).
pub(super) fn with_cache_duration(reply: &Message, seconds: Option<u64>) -> Result<Message, EditError> {
    let Some(seconds) = seconds else { return Ok(reply.clone()) };
    let millis = JsonBuf::from(&serde_json::Value::from(seconds.saturating_mul(1_000)));
    edit::set_in(reply, &[Step::Member("result"), Step::Member("ttlMs")], millis.as_json())
}

/// Returns whether this is one of our own URIs. The scheme is case-insensitive.
fn is_ours(uri: &str) -> bool {
    uri.get(..SCHEME.len()).is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME))
}

/// Returns the content of one of our own resources; `None` if it does not exist.
pub(super) fn read(
    exchange: &Exchange,
    description: &Description,
    disclosure: &Disclosure,
) -> Option<Object> {
    let uri = exchange.message.param("uri").string()?;
    if uri == MANIFEST {
        // Contains only the tools that this caller may use.
        let text = manifest::write(&description.declaration());
        return Some(contents(&uri, "application/toml", &text));
    }
    let place = place(disclosure, exchange.reached_at.as_deref());
    let document = match uri.strip_prefix(CARD_PREFIX) {
        Some(segment) => document::card(&card::name_of(segment)?, description, &place)?,
        None if uri == HELP => document::render(Kind::AiHelp, description, &place).ok().and_then(first)?,
        None => return None,
    };
    Some(contents(&uri, document.media_type, &document.text))
}

/// Returns the error for a resource that does not exist.
pub(super) fn not_found(exchange: &Exchange) -> ErrorObject {
    let Some(uri) = exchange.message.param("uri").string() else {
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

/// Builds the list for a server that has no resources of its own.
pub(super) fn only(list: &str) -> Object {
    Object::new().json(list, Array::new().json(entry(list).as_json()).finish().as_json())
}

/// Removes entries of the server that use our own URIs, and adds our entry on the last page.
pub(super) fn append(reply: &Message, list: &str) -> Result<Message, EditError> {
    let body = reply.result_body();
    let forged =
        body.get(list).value().into_iter().flat_map(Json::elements).enumerate().filter(|(_, entry)| {
            let address = entry.get("uri").string().or_else(|| entry.get("uriTemplate").string());
            address.is_some_and(|address| is_ours(&address))
        });
    let forged: Vec<usize> = forged.map(|(index, _)| index).collect();
    let has_more = body.value().and_then(|body| Page(body).next_cursor()).is_some();
    let path = [Step::Member("result"), Step::Member(list)];
    let mut reply = reply.clone();
    // From the end, so that the indices stay valid.
    for index in forged.into_iter().rev() {
        reply = edit::remove_in(&reply, &[path[0], path[1], Step::Element(index)])?;
    }
    if has_more { Ok(reply) } else { edit::append_in(&reply, &path, &[entry(list)]) }
}

fn entry(list: &str) -> JsonBuf {
    let (entry, resource_type) = match list {
        "resources" => {
            let entry = Object::new()
                .string("uri", HELP)
                .string("name", "ai-help")
                .string("title", "How to use this server")
                .string("description", "When and how to use this server, for agents")
                .string("mimeType", "text/markdown");
            (entry, "documentation")
        }
        _ => {
            let entry = Object::new()
                .string("uriTemplate", CARDS)
                .string("name", "tool-card")
                .string("title", "Tool Card")
                .string(
                    "description",
                    "What a tool can do to the world: effect, exposure, approval, refusals",
                )
                .string("mimeType", "application/json");
            (entry, "tool-card")
        }
    };
    let metadata = ResourceObject {
        resource_type: Some(resource_type.to_owned()),
        refreshable: Some(true),
        cache_duration: Some(CACHE_SECONDS),
        ..ResourceObject::default()
    };
    let meta = Object::new().value(key::RESOURCE, &metadata).finish();
    entry.value("dashdash", &metadata).json("_meta", meta.as_json()).finish()
}
