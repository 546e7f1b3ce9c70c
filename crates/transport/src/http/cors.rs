//! What web pages of other origins may send and read (CORS).
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, HeaderMap,
    HeaderName, HeaderValue, VARY,
};
use hyper::{Response, StatusCode};

use super::body::Body;
use super::request_headers::MOST_HEADERS;
use super::response::status;

/// The headers that a page may always send.
const ALLOWED_HEADERS: &str = "content-type, accept, authorization, mcp-protocol-version, mcp-session-id, mcp-method, \
                               mcp-name, last-event-id";
/// The prefix of headers that repeat arguments of a call.
const PARAM_HEADER: &str = "mcp-param-";

/// Answers the preflight request of a browser.
pub(super) fn preflight(asked: &HeaderMap) -> Response<Body> {
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

/// Returns the headers that a page may send. Which headers repeat arguments depends on the tool, so
/// all `Mcp-Param-*` headers that the browser asks for are allowed (G-52).
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

/// Lets the requesting page read the response.
pub(super) fn allow_origin(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id"));
    headers.append(VARY, HeaderValue::from_static("origin"));
}
