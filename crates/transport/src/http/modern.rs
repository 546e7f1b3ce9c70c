//! Requests of the modern era. Each is independent, and closing its connection cancels it.
use std::sync::Arc;

use hyper::header::HeaderMap;
use hyper::{Response, StatusCode};
use overt_wire::json::Json;
use overt_wire::{BoxFuture, ClientSink, Closed, ErrorObject, Exchange, Kind, Message, Session};

use super::body::{Body, RequestEvents};
use super::endpoint::Endpoint;
use super::mirror;
use super::receive::ReceivedMessage;
use super::response::{error_response, event_response, json_response, status, status_of};
use crate::serve::MessageQueue;

/// Sends the notifications of one request.
struct RequestSink {
    notes: MessageQueue,
}

pub(super) async fn post(
    endpoint: &Endpoint,
    headers: &HeaderMap,
    ReceivedMessage { message, held }: ReceivedMessage,
    connection: &Arc<Session>,
) -> Response<Body> {
    let refuse =
        |id: Option<&overt_wire::Id>, error: &ErrorObject| error_response(StatusCode::BAD_REQUEST, id, error);
    let id = message.id().cloned();
    if matches!(message.kind(), Kind::Result | Kind::Error) {
        let error = ErrorObject::invalid_request("a client of this version sends no answers");
        return refuse(id.as_ref(), &error);
    }
    if let Err(error) = mirror::check(headers, &message) {
        return refuse(id.as_ref(), &error);
    }
    let params = match mirror::params(headers) {
        Ok(params) => params,
        Err(error) => return refuse(id.as_ref(), &error),
    };
    // The header declares a modern request, so a body that is not modern is an error.
    if id.is_some()
        && let Err(error) = overt_wire::era::Caller::of_modern(&message)
    {
        return refuse(id.as_ref(), &error);
    }
    let limits = &endpoint.limits;
    let (notes, mut noted) = MessageQueue::new(limits.max_queued_messages, limits.max_queued_bytes);
    let sink = Arc::new(RequestSink { notes });
    let exchange = match Exchange::new(message, Arc::clone(connection), sink) {
        Ok(exchange) => {
            Exchange { param_headers: Some(params), ..endpoint.context(headers).add_to(exchange) }
        }
        Err(error) => return refuse(id.as_ref(), &error),
    };
    let mut work = endpoint.work_on(exchange, held);
    // The response is one piece if there is only the answer, and an event stream if a notification
    // comes first.
    let first = tokio::select! {
        biased;
        Some(note) = noted.recv() => note.message,
        reply = &mut work => {
            let Ok(note) = noted.try_recv() else {
                return reply.map_or_else(|| status(StatusCode::ACCEPTED), |reply| {
                    json_response(status_of(&reply), reply)
                });
            };
            work = Box::pin(std::future::ready(reply));
            note.message
        }
    };
    event_response(Body::request(RequestEvents::new(first, noted, work, endpoint.limits.keep_alive)))
}

impl ClientSink for RequestSink {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        Box::pin(self.notes.send(message))
    }

    /// The modern era has no requests from the server to the client.
    fn request(&self, _method: &str, _params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        Box::pin(std::future::ready(Err(Closed)))
    }
}
