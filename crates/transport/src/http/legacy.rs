//! Requests of the legacy era. They belong to a session and continue when their connection breaks.
use std::sync::Arc;
use std::task::Poll;

use hyper::header::{HeaderMap, HeaderValue};
use hyper::{Response, StatusCode};
use overt_wire::era::{Era, Version};
use overt_wire::error::{ErrorObject, code};
use overt_wire::{Exchange, Kind, Method, Principal};
use tokio::time::timeout;

use super::attached::Attached;
use super::body::{Body, SessionEvents};
use super::endpoint::{Endpoint, HttpContext};
use super::pending_response::{PendingResponse, Request, WaitOutcome};
use super::receive::ReceivedMessage;
use super::replay::STANDALONE;
use super::request_headers::{EVENT_STREAM, accepts};
use super::response::{error_response, event_response, json_response, overloaded, status};
use super::sent_message::{Item, parse_event_id};
use super::session::HttpSession;
use crate::serve::{NotAdmitted, first_poll};

const SESSION_ID: &str = "mcp-session-id";

pub(super) async fn post(
    endpoint: &Endpoint,
    headers: &HeaderMap,
    received: ReceivedMessage,
    principal: Principal,
) -> Response<Body> {
    let message = &received.message;
    if message.method() == Some(Method::Initialize) && message.kind() == Kind::Request {
        return Box::pin(initialize(endpoint, received, principal, endpoint.context(headers))).await;
    }
    let session = match find_session(endpoint, &principal, headers) {
        Ok(session) => session,
        Err((status, error)) => return error_response(status, message.id(), &error),
    };
    match message.kind() {
        Kind::Result | Kind::Error => {
            session.mailbox.questions.answered(received.message);
            status(StatusCode::ACCEPTED)
        }
        Kind::Notification => Box::pin(notification(endpoint, &session, received)).await,
        Kind::Request => request(endpoint, &session, received, endpoint.context(headers)).await,
    }
}

/// Opens the standalone event stream of the session, or resumes a broken stream.
pub(super) fn get(endpoint: &Endpoint, principal: &Principal, headers: &HeaderMap) -> Response<Body> {
    if !accepts(headers, EVENT_STREAM) {
        return status(StatusCode::NOT_ACCEPTABLE);
    }
    let session = match find_session(endpoint, principal, headers) {
        Ok(session) => session,
        Err((status, error)) => return error_response(status, None, &error),
    };
    let mailbox = &session.mailbox;
    let resumed = headers.get("last-event-id").map(|id| id.to_str().ok().and_then(parse_event_id));
    let events = match resumed {
        // On the standalone stream, events that were dropped stay lost, but the rest is still
        // useful.
        Some(Some((STANDALONE, after))) => Some(
            Attached::after(mailbox, STANDALONE, after).unwrap_or_else(|| Attached::to(mailbox, STANDALONE)),
        ),
        Some(Some((stream, after))) => Attached::after(mailbox, stream, after),
        Some(None) => None,
        None => Some(Attached::to(mailbox, STANDALONE)),
    };
    match events {
        Some(events) => {
            let prime = (resumed.is_none() && can_resume(&session)).then_some(STANDALONE);
            event_response(Body::session(SessionEvents::new(events, None, prime, endpoint.limits.keep_alive)))
        }
        None => {
            let error = ErrorObject::invalid_request("`Last-Event-ID` names nothing that is still kept");
            error_response(StatusCode::BAD_REQUEST, None, &error)
        }
    }
}

/// Ends the session of a client.
pub(super) fn delete(endpoint: &Endpoint, principal: &Principal, headers: &HeaderMap) -> Response<Body> {
    match find_session(endpoint, principal, headers) {
        Ok(session) => {
            endpoint.sessions.end(session.session.id());
            status(StatusCode::NO_CONTENT)
        }
        Err((status, error)) => error_response(status, None, &error),
    }
}

async fn initialize(
    endpoint: &Endpoint,
    ReceivedMessage { message, held }: ReceivedMessage,
    principal: Principal,
    context: HttpContext,
) -> Response<Body> {
    let id = message.id().cloned();
    let Some(opening) = endpoint.sessions.begin(principal) else {
        let error = ErrorObject::new(
            code::OVERLOADED,
            "too many sessions are open, and all of them are in use; try again later",
        );
        return error_response(StatusCode::SERVICE_UNAVAILABLE, id.as_ref(), &error);
    };
    let sink = opening.session.mailbox.sink(STANDALONE);
    let exchange = match Exchange::new(message, Arc::clone(&opening.session.session), sink) {
        Ok(exchange) => context.add_to(exchange),
        Err(error) => return error_response(StatusCode::BAD_REQUEST, id.as_ref(), &error),
    };
    let Some(reply) = endpoint.work_on(exchange, held).await else { return status(StatusCode::ACCEPTED) };
    if reply.kind() == Kind::Error {
        return json_response(StatusCode::OK, reply);
    }
    let session = opening.open();
    let mut response = json_response(StatusCode::OK, reply);
    if let Ok(value) = HeaderValue::from_str(session.session.id()) {
        response.headers_mut().insert(SESSION_ID, value);
    }
    response
}

async fn notification(
    endpoint: &Endpoint,
    session: &Arc<HttpSession>,
    ReceivedMessage { message, held }: ReceivedMessage,
) -> Response<Body> {
    if message.method() == Some(Method::Cancelled) {
        session.in_flight.cancel(&message);
        return status(StatusCode::ACCEPTED);
    }
    let Some(ticket) = session.in_flight.admit_notification(&message) else {
        return overloaded(
            None,
            "too many notifications of this session are being worked on; send it again later",
        );
    };
    let sink = session.mailbox.sink(STANDALONE);
    if let Ok(exchange) = Exchange::new(message, Arc::clone(&session.session), sink) {
        endpoint.work_on(exchange, held).await;
    }
    drop(ticket);
    status(StatusCode::ACCEPTED)
}

async fn request(
    endpoint: &Endpoint,
    session: &Arc<HttpSession>,
    ReceivedMessage { message, held }: ReceivedMessage,
    context: HttpContext,
) -> Response<Body> {
    let Some(id) = message.id().cloned() else { return status(StatusCode::BAD_REQUEST) };
    let stream = {
        let mut streams = session.mailbox.streams();
        if streams.is_full() {
            let error =
                "too many answers of this session wait to be fetched; fetch them with `Last-Event-ID` first";
            return overloaded(Some(&id), error);
        }
        streams.number()
    };
    let ticket = match session.in_flight.admit(&id, &message) {
        Ok(ticket) => ticket,
        Err(NotAdmitted(error)) => return error_response(StatusCode::BAD_REQUEST, Some(&id), &error),
    };
    let sink = session.mailbox.sink(stream);
    let exchange = match Exchange::new(message, Arc::clone(&session.session), sink) {
        Ok(exchange) => context.add_to(exchange),
        Err(error) => {
            session.in_flight.finish(&ticket);
            return error_response(StatusCode::BAD_REQUEST, Some(&id), &error);
        }
    };
    let mut work = endpoint.work_on(exchange, held);
    let sessions = Arc::clone(&endpoint.sessions);
    let request = Request { sessions, session: Arc::clone(session), ticket, stream };
    let outcome = match first_poll(&mut work).await {
        Poll::Ready(reply) => WaitOutcome::Answer(reply),
        Poll::Pending => {
            let mut pending = PendingResponse::new(work, request.clone());
            let outcome = pending.wait(endpoint.limits.keep_alive).await;
            if matches!(outcome, WaitOutcome::StartStream) {
                // Attached before the work continues, so that no event is missed.
                let events = Attached::to(&session.mailbox, stream);
                drop(pending);
                return follow(endpoint, session, stream, events).await;
            }
            outcome
        }
    };
    match outcome {
        WaitOutcome::Answer(reply) if session.in_flight.finish(&request.ticket) => {
            let Some(reply) = reply else { return status(StatusCode::ACCEPTED) };
            if !session.mailbox.streams().has(stream) {
                return json_response(StatusCode::OK, reply);
            }
            let events = Attached::to(&session.mailbox, stream);
            endpoint.sessions.push_answer(session, stream, reply);
            follow(endpoint, session, stream, events).await
        }
        // No event will come any more, but HTTP requires a response.
        WaitOutcome::Answer(_) | WaitOutcome::Cancelled | WaitOutcome::StartStream => {
            session.mailbox.streams().give_up(stream);
            status(StatusCode::NO_CONTENT)
        }
    }
}

/// Waits for the first message of a request. Responds with one piece if it is the answer, otherwise
/// with an event stream.
async fn follow(
    endpoint: &Endpoint,
    session: &Arc<HttpSession>,
    stream: u64,
    mut events: Attached,
) -> Response<Body> {
    let first = match timeout(endpoint.limits.keep_alive, events.next()).await {
        Ok(Some(Item::Event(sent))) if sent.last => {
            session.mailbox.streams().forget(stream);
            return json_response(StatusCode::OK, sent.message);
        }
        // Cancelled: no event will come any more, but HTTP requires a response.
        Ok(None) => return status(StatusCode::NO_CONTENT),
        Ok(Some(item)) => Some(item),
        // After a long silence, a stream keeps the connection alive and lets the client resume.
        Err(_) => None,
    };
    let prime = can_resume(session).then_some(stream);
    event_response(Body::session(SessionEvents::new(events, first, prime, endpoint.limits.keep_alive)))
}

/// Whether the client's version defines events without data.
fn can_resume(session: &HttpSession) -> bool {
    match session.session.phase() {
        overt_wire::Phase::New => false,
        overt_wire::Phase::Greeted(caller) | overt_wire::Phase::Ready(caller) => {
            caller.version >= Version::V2025_11_25
        }
    }
}

fn find_session(
    endpoint: &Endpoint,
    principal: &Principal,
    headers: &HeaderMap,
) -> Result<Arc<HttpSession>, (StatusCode, ErrorObject)> {
    if let Some(version) = headers.get("mcp-protocol-version") {
        let known = version.to_str().ok().and_then(Version::parse);
        if known.is_none_or(|version| version.era() != Era::Legacy) {
            let asked = version.to_str().unwrap_or("?");
            return Err((StatusCode::BAD_REQUEST, overt_wire::era::unsupported_version(asked)));
        }
    }
    let mut ids = headers.get_all(SESSION_ID).iter();
    let id = ids.next().and_then(|id| id.to_str().ok());
    match id {
        Some(id) if ids.next().is_none() => endpoint.sessions.find(id, principal).ok_or_else(|| {
            let error = ErrorObject::invalid_request("no such session; send `initialize` to open a new one");
            (StatusCode::NOT_FOUND, error)
        }),
        _ => {
            let error = ErrorObject::invalid_request(
                "exactly one `Mcp-Session-Id` header is needed: send `initialize` first, or say in `params._meta` \
                 who asks (version 2026-07-28)",
            );
            Err((StatusCode::BAD_REQUEST, error))
        }
    }
}
