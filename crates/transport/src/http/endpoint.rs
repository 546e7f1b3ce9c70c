//! One HTTP request, nearly always to the MCP endpoint: what it is, whether it may be, and which era answers it.
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW,
    CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, VARY,
};
use hyper::{Method as HttpMethod, Request, Response, StatusCode};
use overt_wire::era::{Caller, Era, Version};
use overt_wire::error::{ErrorObject, code};
use overt_wire::{BoxFuture, Exchange, Handler, Message, Session, TraceParent};
use tokio::time::timeout;

use super::body::{Body, LONG};
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
    pub(super) documents: Documents,
    pub(super) sessions: Arc<Sessions>,
    pub(super) stage: StageWatch,
    /// Bytes of the requests and answers of all clients.
    pub(super) bytes: Arc<ByteBudget>,
    pub(super) limits: Limits,
}

/// A message that was read, and what is held for it until it is answered.
pub(super) struct Received {
    pub(super) message: Message,
    /// Only of a long message.
    pub(super) held: Option<Charge>,
}

/// Why a body was not read.
enum Unread {
    TooLong,
    /// The bodies of all clients together are too long.
    TooMany,
    Broken,
}

pub(super) const EVENT_STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";

/// What a page may always send.
const ALLOWED_HEADERS: &str = "content-type, accept, authorization, mcp-protocol-version, mcp-session-id, mcp-method, \
                               mcp-name, last-event-id";
/// How headers begin that repeat arguments of a call.
const PARAM_HEADER: &str = "mcp-param-";
/// Headers of one HTTP request.
pub(super) const MOST_HEADERS: usize = 100;

impl Endpoint {
    /// Answers one HTTP request. `connection` stands for clients that keep no session.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        connection: &Arc<Session>,
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
        let mut response = self.route(request, connection).await;
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
        let received = match self.read(body).await {
            Ok(received) => received,
            Err(response) => return *response,
        };
        if is_modern(headers, &received.message) {
            modern::post(self, headers, received, connection).await
        } else {
            legacy::post(self, headers, received).await
        }
    }

    /// Reads the body under the limits for size and time, and parses it.
    async fn read(&self, body: Incoming) -> Result<Received, Box<Response<Body>>> {
        let refuse = |status, error: &ErrorObject| Box::new(error_response(status, None, error));
        let mut held = self.bytes.charge(0);
        let most = self.limits.max_message_bytes;
        let bytes = match timeout(self.limits.body_deadline, collect(body, most, &mut held)).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(Unread::TooLong)) => {
                let error = ErrorObject::invalid_request(format!("a message may have at most {most} bytes"));
                return Err(refuse(StatusCode::PAYLOAD_TOO_LARGE, &error));
            }
            Ok(Err(Unread::TooMany)) => {
                let error = "the messages of all clients together are too long; send it again later";
                return Err(Box::new(overloaded(None, error)));
            }
            Ok(Err(Unread::Broken)) => {
                let error = ErrorObject::new(code::PARSE, "the body could not be read");
                return Err(refuse(StatusCode::BAD_REQUEST, &error));
            }
            Err(_) => {
                let error = ErrorObject::invalid_request("the body took too long to arrive");
                return Err(refuse(StatusCode::REQUEST_TIMEOUT, &error));
            }
        };
        let held = (bytes.len() >= LONG).then_some(held);
        match Message::parse(bytes.into(), &self.limits.json()) {
            Ok(message) => Ok(Received { message, held }),
            Err(reject) => {
                Err(Box::new(error_response(StatusCode::BAD_REQUEST, reject.id.as_ref(), &reject.error)))
            }
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

async fn collect(mut body: Incoming, most: usize, held: &mut Charge) -> Result<Bytes, Unread> {
    // A body in one piece, as nearly all are, is not copied.
    let mut first = Bytes::new();
    let mut joined = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(piece) = frame.map_err(|_| Unread::Broken)?.into_data() else { continue };
        if first.len().max(joined.len()).saturating_add(piece.len()) > most {
            return Err(Unread::TooLong);
        }
        if !held.grow(piece.len()) {
            return Err(Unread::TooMany);
        }
        if first.is_empty() && joined.is_empty() {
            first = piece;
            continue;
        }
        joined.extend_from_slice(&std::mem::take(&mut first));
        joined.extend_from_slice(&piece);
    }
    Ok(if joined.is_empty() { first } else { joined.into() })
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

fn preflight(asked: &HeaderMap) -> Response<Body> {
    let mut response = status(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST, GET, DELETE"));
    if let Ok(allowed) = HeaderValue::from_str(&allowed_headers(asked)) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    }
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    headers.append(VARY, HeaderValue::from_static("access-control-request-headers"));
    response
}

/// The headers that a page may send. Which headers repeat arguments depends on the tool, so those are allowed that are
/// asked for (G-52).
fn allowed_headers(asked: &HeaderMap) -> String {
    let asked = asked.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter().filter_map(|names| names.to_str().ok());
    let mut allowed = ALLOWED_HEADERS.to_owned();
    let names = asked.flat_map(|names| names.split(',')).map(|name| name.trim().to_ascii_lowercase());
    let is_param = |name: &String| name.starts_with(PARAM_HEADER) && HeaderName::try_from(name).is_ok();
    for name in names.filter(is_param).take(MOST_HEADERS) {
        allowed.push_str(", ");
        allowed.push_str(&name);
    }
    allowed
}

fn allow_origin(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id"));
    headers.append(VARY, HeaderValue::from_static("origin"));
}
