//! Answers that the gateway gives itself.
use overt_wire::json::JsonBuf;
use overt_wire::{Exchange, Id, Message};

/// The id to answer under; every request has one.
pub(crate) fn id_of(exchange: &Exchange) -> Id {
    exchange.message.id().cloned().unwrap_or_else(|| Id::from(0))
}

/// An empty result: all that some requests want to hear.
pub(crate) fn done(exchange: &Exchange) -> Message {
    Message::result(&id_of(exchange), JsonBuf::empty_object().as_json())
}
