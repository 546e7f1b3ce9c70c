//! Answers of our own, dressed for the era of whoever asked.
use overt_spec::live::ServerInfo;
use overt_wire::era::{self, Cache};
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{ErrorObject, Exchange, Message};

/// How long a client may rely on what we say without asking again.
const KEPT: Cache = Cache { ttl_ms: 60_000 };

/// The answer to a request. `cached` where the newer era says so of this kind of result.
pub(super) fn answer(
    exchange: &Exchange,
    info: &ServerInfo,
    body: Result<Object, ErrorObject>,
    cached: bool,
) -> Option<Message> {
    let id = exchange.message.id()?;
    Some(match body {
        Ok(body) => {
            let version = exchange.caller.version;
            let result = era::dress(version, body, None, cached.then_some(KEPT), &who(info));
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
        .finish()
}
