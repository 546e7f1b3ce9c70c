//! Reads the headers of a request: its era, its media types, its size.
use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use overt_wire::Message;
use overt_wire::era::{Caller, Era, Version};

pub(super) const JSON: &str = "application/json";
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// The most headers of one HTTP request.
pub(super) const MOST_HEADERS: usize = 100;

/// The size of the headers in bytes. hyper limits its buffer, which may hold up to twice as much.
pub(super) fn header_bytes(request: &Request<Incoming>) -> usize {
    request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
}

/// Whether a request is modern: the body says so, or at least the header does.
pub(super) fn is_modern(headers: &HeaderMap, message: &Message) -> bool {
    let header = headers.get("mcp-protocol-version").and_then(|value| value.to_str().ok());
    Caller::era_of(message) == Era::Modern
        || header.and_then(Version::parse).is_some_and(|version| version.era() == Era::Modern)
}

/// Whether the body is declared as JSON in UTF-8, ignoring case (HTTP-05).
pub(super) fn is_json(headers: &HeaderMap) -> bool {
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

/// Whether the client accepts a media type. A client without an `Accept` header accepts everything.
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
