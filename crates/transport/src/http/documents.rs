//! Serves documents outside the MCP endpoint. The handler is asked for every other path, and
//! documents can only be read. They are public, so a page of any origin may read them. A request
//! with a rebound host name is refused, as everywhere else.
use std::fmt::Write as _;
use std::sync::Arc;

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, CACHE_CONTROL, CONTENT_LENGTH,
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, LINK, RETRY_AFTER,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::{Method, Request, Response, StatusCode};
use overt_wire::{Document, DocumentRequest, NoDocument};

use super::body::Body;
use super::clean_path::clean_path;
use super::endpoint::Endpoint;
use super::entity_tag::{entity_tag, is_known};
use super::response::status;
use crate::serve::caught;

/// Names the document to begin with (D-36).
const X_LLMS_TXT: HeaderName = HeaderName::from_static("x-llms-txt");
const READING: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// Answers a request for any path except the endpoint's.
pub(super) async fn answer(endpoint: &Endpoint, request: &Request<Incoming>) -> Response<Body> {
    let host = match endpoint.guard.check_host(request.uri(), request.headers()) {
        Ok(host) => host,
        Err(away) => return away.response(),
    };
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if !is_reading && let Err(away) = endpoint.guard.check(request.uri(), request.headers()) {
        return away.response();
    }
    let document = match find(endpoint, host, request.uri().path()).await {
        Ok(document) => document,
        Err(response) => return *response,
    };
    match *request.method() {
        Method::GET | Method::HEAD => read(&document, request),
        Method::OPTIONS => preflight(),
        _ => {
            let mut response = status(StatusCode::METHOD_NOT_ALLOWED);
            response.headers_mut().insert(ALLOW, READING);
            response
        }
    }
}

async fn find(endpoint: &Endpoint, host: &str, asked: &str) -> Result<Document, Box<Response<Body>>> {
    let refuse = |code| Box::new(status(code));
    let path = clean_path(asked).filter(|path| *path != endpoint.path);
    let path = path.ok_or_else(|| refuse(StatusCode::NOT_FOUND))?;
    let Ok(_place) = endpoint.document_slots.try_acquire() else {
        return Err(later());
    };
    let request = DocumentRequest {
        path,
        mcp_url: endpoint.reached_at(host).to_string(),
        mcp_path: endpoint.path.clone(),
    };
    let work = caught(|| endpoint.handler.document(request));
    let document = match tokio::time::timeout(endpoint.limits.request_deadline, work).await {
        Ok(Ok(Ok(document))) => document,
        Ok(Ok(Err(NoDocument::NotFound))) => return Err(refuse(StatusCode::NOT_FOUND)),
        Ok(Ok(Err(NoDocument::Unavailable))) => return Err(later()),
        Ok(Err(_)) => return Err(refuse(StatusCode::INTERNAL_SERVER_ERROR)),
        Err(_) => return Err(refuse(StatusCode::GATEWAY_TIMEOUT)),
    };
    let (bytes, most) = (document.text.len(), endpoint.limits.max_document_bytes);
    if bytes > most {
        tracing::warn!(bytes, most, "a document is too long to be served");
        return Err(refuse(StatusCode::INTERNAL_SERVER_ERROR));
    }
    Ok(document)
}

fn later() -> Box<Response<Body>> {
    let mut response = status(StatusCode::SERVICE_UNAVAILABLE);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    Box::new(response)
}

/// Sets headers for responses that programs read and that no browser should display, least of all
/// inside another page.
pub(super) fn not_for_display(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    );
}

fn read(document: &Document, request: &Request<Incoming>) -> Response<Body> {
    let tag = entity_tag(document.text.as_bytes());
    let known = is_known(request.headers(), &tag);
    let (Ok(tag), Ok(kept), Ok(media_type)) = (
        HeaderValue::from_str(&tag),
        HeaderValue::from_str(&cache_control(document)),
        HeaderValue::from_str(&content_type(document)),
    ) else {
        return status(StatusCode::INTERNAL_SERVER_ERROR);
    };
    let mut response = if known {
        status(StatusCode::NOT_MODIFIED)
    } else {
        // hyper removes the body of an answer to `HEAD`.
        let mut response = Response::new(Body::bytes(shared(&document.text)));
        response.headers_mut().insert(CONTENT_LENGTH, document.text.len().into());
        response.headers_mut().insert(CONTENT_TYPE, media_type);
        response
    };
    let headers = response.headers_mut();
    headers.insert(ETAG, tag);
    headers.insert(CACHE_CONTROL, kept);
    headers.insert(LINK, HeaderValue::from_static(r#"</llms.txt>; rel="llms-help""#));
    headers.insert(X_LLMS_TXT, HeaderValue::from_static("/llms.txt"));
    for_every_page(headers);
    not_for_display(headers);
    response
}

/// Returns the text without a copy, because one document may be sent to many readers at once.
fn shared(text: &Arc<str>) -> Bytes {
    struct Text(Arc<str>);
    impl AsRef<[u8]> for Text {
        fn as_ref(&self) -> &[u8] {
            self.0.as_bytes()
        }
    }
    Bytes::from_owner(Text(Arc::clone(text)))
}

fn cache_control(document: &Document) -> String {
    match document.max_age.as_secs() {
        0 => "no-cache".into(),
        seconds => format!("public, max-age={seconds}"),
    }
}

/// The content type. JSON is UTF-8 by definition; other text needs a charset, or readers would have
/// to guess (D-36).
fn content_type(document: &Document) -> String {
    let mut media_type = document.media_type.to_string();
    if media_type.starts_with("text/") && !media_type.contains(';') {
        let _ = write!(media_type, "; charset=utf-8");
    }
    media_type
}

fn preflight() -> Response<Body> {
    let mut response = status(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    headers.insert(ALLOW, READING);
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD"));
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("accept, content-type, if-none-match, cache-control, mcp-protocol-version"),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    for_every_page(headers);
    response
}

fn for_every_page(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("etag, link, x-llms-txt"));
}
