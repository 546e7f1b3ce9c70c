//! What differs between the eras, and between us and an upstream, as functions on messages. No state, no IO.
pub(crate) mod answer; // results and errors, as the other era writes them
pub(crate) mod hello; // the first answer of the upstream, as the client's era writes it
pub(crate) mod input; // results that ask for more
pub(crate) mod request; // the request that reaches the upstream
pub(crate) mod subscription; // what a client wants to hear of, and how its news are marked
pub(crate) mod upstream_marks; // the upstream's marks in our places, which move
pub(crate) mod upstream_question; // its questions, which are shown as its own

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
