//! One HTTP request, nearly always to the MCP endpoint: what it is, whether it may be, and which era answers it.
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{ACCEPT, ALLOW, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::{Method as HttpMethod, Request, Response, StatusCode};
use overt_wire::era::{Caller, Era, Version};
use overt_wire::error::{ErrorObject, code};
use overt_wire::{BoxFuture, Exchange, Handler, Message, Session, TraceParent};

use super::access::{self, Peer, TokenCheck};
use super::body::Body;
use super::cors::{allow_origin, preflight};
use super::documents::Documents;
use super::guard::{Guard, TurnedAway};
use super::session::Sessions;
use super::{legacy, modern};
use crate::limits::Limits;
use crate::serve::{ByteBudget, Charge, StageWatch, answer};

/// Everything that answering a request needs.
pub(super) struct Endpoint {
    pub(super) handler: Arc<dyn Handler>,
    pub(super) path: String,
    /// The endpoint as its clients reach it, if the operator says so.
    pub(super) public_url: Option<Arc<str>>,
    pub(super) guard: Guard,
    pub(super) tokens: Arc<dyn TokenCheck>,
    pub(super) documents: Documents,
    pub(super) sessions: Arc<Sessions>,
    pub(super) stage: StageWatch,
    /// Bytes of the requests and answers of all clients.
    pub(super) bytes: Arc<ByteBudget>,
    pub(super) limits: Limits,
}

pub(super) const EVENT_STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";

/// Headers of one HTTP request.
pub(super) const MOST_HEADERS: usize = 100;

impl Endpoint {
    /// Answers one HTTP request. `connection` stands for clients that keep no session, `peer` for who is at its other end.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        connection: &Arc<Session>,
        peer: Peer,
    ) -> Response<Body> {
        if header_bytes(&request) > self.limits.max_header_bytes {
            return status(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        }
        if request.uri().path() != self.path {
            return self.documents.answer(self, &request).await;
        }
        if let Err(away) = self.guard.check(request.uri(), request.headers()) {
            return away.response();
        }
        let origin =
            self.guard.origin(request.headers()).and_then(|origin| HeaderValue::from_str(origin).ok());
        // A browser asks what it may send before it sends a token.
        let is_preflight = *request.method() == HttpMethod::OPTIONS;
        let mut response = match access::check(peer, &self.tokens, request.headers()) {
            Err(refused) if !is_preflight => *refused,
            _ => self.route(request, connection).await,
        };
        if let Some(origin) = origin {
            allow_origin(response.headers_mut(), origin);
        }
        response.body_mut().charge_to(&self.bytes);
        response
    }

    /// Works on a message until it is answered.
    pub(super) fn work_on(
        &self,
        exchange: Exchange,
        held: Option<Charge>,
    ) -> BoxFuture<'static, Option<Message>> {
        let (handler, budget) = (Arc::clone(&self.handler), self.limits.request_budget());
        let work = answer(handler, exchange, budget, self.stage.clone());
        match held {
            None => work,
            Some(held) => Box::pin(async move {
                let reply = work.await;
                drop(held);
                reply
            }),
        }
    }

    async fn route(&self, request: Request<Incoming>, connection: &Arc<Session>) -> Response<Body> {
        match *request.method() {
            HttpMethod::POST => self.post(request, connection).await,
            HttpMethod::GET => legacy::get(self, request.headers()),
            HttpMethod::DELETE => legacy::delete(self, request.headers()),
            HttpMethod::OPTIONS if self.guard.origin(request.headers()).is_some() => {
                preflight(request.headers())
            }
            _ => {
                let mut response = status(StatusCode::METHOD_NOT_ALLOWED);
                response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST, GET, DELETE"));
                response
            }
        }
    }

    async fn post(&self, request: Request<Incoming>, connection: &Arc<Session>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let headers = &head.headers;
        if !is_json(headers) {
            let error = ErrorObject::invalid_request("`Content-Type` must be `application/json`");
            return error_response(StatusCode::UNSUPPORTED_MEDIA_TYPE, None, &error);
        }
        if !(accepts(headers, JSON) && accepts(headers, EVENT_STREAM)) {
            let error = ErrorObject::invalid_request(
                "`Accept` must allow both `application/json` and `text/event-stream`",
            );
            return error_response(StatusCode::NOT_ACCEPTABLE, None, &error);
        }
        let received = match self.receive(body).await {
            Ok(received) => received,
            Err(response) => return *response,
        };
        if is_modern(headers, &received.message) {
            modern::post(self, headers, received, connection).await
        } else {
            legacy::post(self, headers, received).await
        }
    }
}

impl TurnedAway {
    pub(super) fn response(&self) -> Response<Body> {
        error_response(self.status, None, &ErrorObject::invalid_request(self.reason))
    }
}

impl Endpoint {
    /// What the headers say about how a request came.
    pub(super) fn way(&self, headers: &HeaderMap) -> Way {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        Way { trace_parent: trace_parent(headers), reached_at: host.map(|host| self.reached_at(host)) }
    }

    /// The endpoint as a client reaches it that names this host. In lower case, so that one server has one URL and a
    /// document one tag.
    pub(super) fn reached_at(&self, host: &str) -> Arc<str> {
        match &self.public_url {
            Some(url) => Arc::clone(url),
            None => format!("http://{}{}", host.to_ascii_lowercase(), self.path).into(),
        }
    }
}

/// How a request came.
pub(super) struct Way {
    trace_parent: Option<TraceParent>,
    reached_at: Option<Arc<str>>,
}

impl Way {
    /// The exchange that came this way.
    pub(super) fn of(self, exchange: Exchange) -> Exchange {
        Exchange { trace_parent: self.trace_parent, reached_at: self.reached_at, ..exchange }
    }
}

/// The size of the headers. hyper bounds its buffer, which may hold up to twice as much.
fn header_bytes(request: &Request<Incoming>) -> usize {
    request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
}

/// Whether a request is of the newer era: it says so in the body, or at least in the header.
fn is_modern(headers: &HeaderMap, message: &Message) -> bool {
    let header = headers.get("mcp-protocol-version").and_then(|value| value.to_str().ok());
    Caller::era_of(message) == Era::Modern
        || header.and_then(Version::parse).is_some_and(|version| version.era() == Era::Modern)
}

/// Whether the body is declared as JSON in UTF-8, whatever the case of the letters (HTTP-05).
fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let Some(value) = values.next().and_then(|value| value.to_str().ok()) else { return false };
    let mut parts = value.split(';').map(str::trim);
    let media = parts.next().is_some_and(|media| media.eq_ignore_ascii_case(JSON));
    let parameters = parts.all(|parameter| match parameter.split_once('=') {
        Some((name, charset)) if name.eq_ignore_ascii_case("charset") => {
            charset.trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    });
    media && parameters && values.next().is_none()
}

/// Whether the client takes a media type. One that doesn't say takes everything.
pub(super) fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    let mut ranges = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).peekable();
    if ranges.peek().is_none() {
        return true;
    }
    let family = wanted.split('/').next().unwrap_or_default();
    ranges.flat_map(|value| value.split(',')).any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        let refused = parts.any(|parameter| matches!(parameter, "q=0" | "q=0.0"));
        let matches = media.eq_ignore_ascii_case(wanted)
            || media == "*/*"
            || media.split_once("/*").is_some_and(|(start, rest)| rest.is_empty() && start == family);
        matches && !refused
    })
}

/// The HTTP status that goes with an answer in the newer era.
pub(super) fn status_of(message: &Message) -> StatusCode {
    match message.error_body().map(|error| error.code) {
        Some(code::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        Some(code::HEADER_MISMATCH | code::MISSING_CLIENT_CAPABILITY | code::UNSUPPORTED_VERSION) => {
            StatusCode::BAD_REQUEST
        }
        _ => StatusCode::OK,
    }
}

/// The trace that the HTTP request belongs to. More than one header, or a wrong one, is none.
fn trace_parent(headers: &HeaderMap) -> Option<TraceParent> {
    let mut values = headers.get_all(overt_wire::era::key::TRACE_PARENT).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    TraceParent::parse(value.to_str().ok()?)
}

pub(super) fn status(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

pub(super) fn json_response(status: StatusCode, message: Message) -> Response<Body> {
    let mut response = Response::new(Body::message(message));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

pub(super) fn error_response(
    status: StatusCode,
    id: Option<&overt_wire::Id>,
    error: &ErrorObject,
) -> Response<Body> {
    json_response(status, Message::error(id, error))
}

/// There is too much to do already.
pub(super) fn overloaded(id: Option<&overt_wire::Id>, message: &str) -> Response<Body> {
    let error = ErrorObject::new(code::OVERLOADED, message);
    let mut response = error_response(StatusCode::SERVICE_UNAVAILABLE, id, &error);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

pub(super) fn event_response(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
    headers.insert("cache-control", HeaderValue::from_static("no-cache, no-transform"));
    // Tells proxies such as nginx not to hold events back.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
