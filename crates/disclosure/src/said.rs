//! Answers of our own, dressed for the era of whoever asked.
use overt_documents::live::ServerInfo;
use overt_wire::era::{self, Cache};
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{ErrorObject, Exchange, Message};

/// How long a client may rely on what we say without asking again.
pub(super) const KEPT_SECONDS: u64 = 60;
const KEPT: Cache = Cache { ttl_ms: KEPT_SECONDS * 1_000 };

/// Whether the newer era says of this kind of result how long it may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    Yes,
    Unsaid,
}

/// The answer to a request.
pub(super) fn answer(
    exchange: &Exchange,
    info: &ServerInfo,
    body: Result<Object, ErrorObject>,
    kept: Kept,
) -> Option<Message> {
    let id = exchange.message.id()?;
    Some(match body {
        Ok(body) => {
            let version = exchange.caller.version;
            let result = era::dress(version, body, None, (kept == Kept::Yes).then_some(KEPT), &who(info));
            Message::result(id, result.as_json())
        }
        Err(error) => Message::error(Some(id), &error),
    })
}

/// The `serverInfo` object.
fn who(info: &ServerInfo) -> JsonBuf {
    Object::new()
        .string("name", &info.name)
        .maybe("title", info.title.as_deref())
        .string("version", &info.version)
        .maybe("description", info.description.as_deref())
        .maybe("websiteUrl", info.website.as_deref())
        .finish()
}
