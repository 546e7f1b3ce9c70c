//! Responses of the endpoint: a status, a JSON-RPC message, or an event stream.
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use overt_wire::Message;
use overt_wire::error::{ErrorObject, code};

use super::body::Body;
use super::guard::GuardRefusal;
use super::request_headers::{EVENT_STREAM, JSON};

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

/// The response when the server is overloaded.
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
    // Tells proxies such as nginx not to buffer events.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// The HTTP status for an answer in the modern era.
pub(super) fn status_of(message: &Message) -> StatusCode {
    match message.error_body().map(|error| error.code) {
        Some(code::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        Some(code::HEADER_MISMATCH | code::MISSING_CLIENT_CAPABILITY | code::UNSUPPORTED_VERSION) => {
            StatusCode::BAD_REQUEST
        }
        _ => StatusCode::OK,
    }
}

impl GuardRefusal {
    pub(super) fn response(&self) -> Response<Body> {
        error_response(self.status, None, &ErrorObject::invalid_request(self.reason))
    }
}
