//! Builds Overt's own answers in the form that the caller's era requires.
use overt_documents::live::ServerInfo;
use overt_wire::era::{self, Cache};
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{ErrorObject, Exchange, Message};

/// How long a client may cache our answers, in seconds.
pub(super) const CACHE_SECONDS: u64 = 60;
const CACHE: Cache = Cache { ttl_ms: CACHE_SECONDS * 1_000 };

/// Whether a result of the newer era states how long it may be cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cacheable {
    Yes,
    Unsaid,
}

/// Builds the answer to a request; `None` if the message has no id.
pub(super) fn answer(
    exchange: &Exchange,
    info: &ServerInfo,
    body: Result<Object, ErrorObject>,
    cacheable: Cacheable,
) -> Option<Message> {
    let id = exchange.message.id()?;
    Some(match body {
        Ok(body) => {
            let version = exchange.caller.version;
            let result = era::complete_result(
                version,
                body,
                None,
                (cacheable == Cacheable::Yes).then_some(CACHE),
                &server_info(info),
            );
            Message::result(id, result.as_json())
        }
        Err(error) => Message::error(Some(id), &error),
    })
}

/// The `serverInfo` object.
fn server_info(info: &ServerInfo) -> JsonBuf {
    Object::new()
        .string("name", &info.name)
        .maybe("title", info.title.as_deref())
        .string("version", &info.version)
        .maybe("description", info.description.as_deref())
        .maybe("websiteUrl", info.website.as_deref())
        .finish()
}
