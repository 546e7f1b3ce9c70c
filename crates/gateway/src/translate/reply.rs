//! Answers of the gateway itself.
use overt_wire::json::JsonBuf;
use overt_wire::{Exchange, Id, Message};

/// Returns the id to answer under. Every request has one.
pub(crate) fn id_of(exchange: &Exchange) -> Id {
    exchange.message.id().cloned().unwrap_or_else(|| Id::from(0))
}

/// Returns an empty result, which is enough for some requests.
pub(crate) fn done(exchange: &Exchange) -> Message {
    Message::result(&id_of(exchange), JsonBuf::empty_object().as_json())
}
