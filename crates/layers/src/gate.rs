//! The gate: it enforces the handshake of the legacy era and the set of methods of each era. No
//! request reaches a tool before the client has sent `initialized` (G-01, G-13). A request of the
//! modern era needs no handshake.
use std::sync::Arc;

use overt_wire::era::{Caller, Era, Version, has_method};
use overt_wire::json::JsonBuf;
use overt_wire::{
    BoxFuture, Document, DocumentRequest, ErrorObject, Exchange, Handler, Kind, Message, Method, NoDocument,
    Phase, Session,
};

/// Wraps a handler and tracks the phase of each session.
#[derive(Debug)]
pub struct Gate<H> {
    inner: H,
}

/// What the gate does with a message.
enum GateAction {
    /// Pass the message to the handler.
    Through(Exchange),
    /// Pass the handshake to the handler, and remember the client if the handler accepts it.
    Greet(Exchange, Arc<Caller>),
    Answer(Option<Message>),
}

impl<H: Handler> Gate<H> {
    pub fn new(inner: H) -> Self {
        Self { inner }
    }
}

impl<H: Handler> Handler for Gate<H> {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        match pass(exchange) {
            GateAction::Through(exchange) => self.inner.call(exchange),
            GateAction::Answer(answer) => Box::pin(std::future::ready(answer)),
            GateAction::Greet(exchange, caller) => Box::pin(async move {
                let session = Arc::clone(&exchange.session);
                let reply = self.inner.call(exchange).await?;
                if reply.kind() == Kind::Result {
                    session.set_phase(Phase::Greeted(agreed(caller, &reply)));
                }
                Some(reply)
            }),
        }
    }

    fn document(&self, request: DocumentRequest) -> BoxFuture<'_, Result<Document, NoDocument>> {
        self.inner.document(request)
    }

    fn closed(&self, session: &Arc<Session>) {
        self.inner.closed(session);
    }

    fn shutdown(&self) {
        self.inner.shutdown();
    }
}

fn pass(exchange: Exchange) -> GateAction {
    let message = &exchange.message;
    let Some(method) = message.method() else { return GateAction::Answer(None) };
    if message.kind() == Kind::Notification {
        return notification(exchange);
    }
    // A modern request names its era; every other request belongs to its session.
    if Caller::era_of(message) == Era::Modern {
        return if has_method(Era::Modern, method) {
            GateAction::Through(exchange)
        } else {
            refuse(message, &ErrorObject::method_not_found(method.name()))
        };
    }
    match (method, exchange.session.phase()) {
        // Ping is answered even before the handshake (G-12).
        (Method::Ping, _) => {
            GateAction::Answer(message.id().map(|id| Message::result(id, JsonBuf::empty_object().as_json())))
        }
        (Method::Initialize, Phase::New) => match Caller::of_initialize(message) {
            Ok(caller) => {
                let caller = Arc::new(caller);
                GateAction::Greet(Exchange { caller: Arc::clone(&caller), ..exchange }, caller)
            }
            Err(error) => refuse(message, &error),
        },
        (Method::Initialize, Phase::Greeted(_) | Phase::Ready(_)) => {
            refuse(message, &ErrorObject::invalid_request("this session is initialized already"))
        }
        (_, Phase::New) => refuse(
            message,
            &ErrorObject::invalid_request(
                "not initialized: send `initialize` first, or name the version in `params._meta` (2026-07-28)",
            ),
        ),
        (_, Phase::Greeted(_)) => refuse(
            message,
            &ErrorObject::invalid_request("not ready: send `notifications/initialized` first"),
        ),
        (_, Phase::Ready(_)) if has_method(Era::Legacy, method) => GateAction::Through(exchange),
        (_, Phase::Ready(_)) => refuse(message, &ErrorObject::method_not_found(method.name())),
    }
}

/// Returns the client with the version of the answer: an upstream may choose an older version than
/// the client asked for.
fn agreed(caller: Arc<Caller>, reply: &Message) -> Arc<Caller> {
    let answered = reply.result_body().get("protocolVersion").string();
    match answered.as_deref().and_then(Version::parse) {
        Some(version) if version != caller.version => Arc::new(Caller { version, ..(*caller).clone() }),
        _ => caller,
    }
}

fn notification(exchange: Exchange) -> GateAction {
    match (exchange.message.method(), exchange.session.phase()) {
        // some clients omit the prefix `notifications/`.
        (Some(Method::Initialized | Method::InitializedShort), Phase::Greeted(caller)) => {
            exchange.session.set_phase(Phase::Ready(Arc::clone(&caller)));
            GateAction::Through(Exchange { caller, ..exchange })
        }
        (_, Phase::Ready(_)) => GateAction::Through(exchange),
        _ => GateAction::Answer(None),
    }
}

fn refuse(message: &Message, error: &ErrorObject) -> GateAction {
    GateAction::Answer(Some(Message::error(message.id(), error)))
}
