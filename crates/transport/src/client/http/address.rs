//! The address of a server, prepared for requests.
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::Uri;
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::client::error::ClientError;
use crate::client::shown_url::shown_url;

/// The URL of a server and the headers that every request to it carries.
pub(super) struct Address {
    pub(super) url: Url,
    pub(super) uri: Uri,
    pub(super) shown: String,
    pub(super) headers: HeaderMap,
}

impl Address {
    pub(super) fn of(text: &str, headers: &[(String, String)]) -> Result<Self, ClientError> {
        let shown = shown_url(text);
        let address = |reason: &str| ClientError::Address { url: shown.clone(), reason: reason.into() };
        let url = Url::parse(text).map_err(|error| address(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(address("it must begin with `http://` or `https://` and a host"));
        }
        let uri = url[url::Position::BeforePath..url::Position::AfterQuery].parse();
        let uri = uri.map_err(|_| address("its path can't stand in a request"))?;
        let mut headers = own_headers(headers)?;
        let host = url[url::Position::BeforeHost..url::Position::AfterPort].parse();
        headers.insert(HOST, host.map_err(|_| address("its host can't stand in a request"))?);
        if let Some(basic) = password_of(&url) {
            headers.entry(AUTHORIZATION).or_insert(basic);
        }
        Ok(Self { url, uri, shown, headers })
    }
}

/// The URL without user, password and fragment, as a request to a proxy contains it.
pub(super) fn full_address(url: &Url) -> Option<Uri> {
    let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    format!("{}://{host}{path}", url.scheme()).parse().ok()
}

/// The `Authorization` header for a user and a password in the URL.
fn password_of(url: &Url) -> Option<HeaderValue> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let user = percent_decode_str(url.username()).decode_utf8_lossy();
    let password = percent_decode_str(url.password().unwrap_or_default()).decode_utf8_lossy();
    let encoded = STANDARD.encode(format!("{user}:{password}"));
    HeaderValue::from_str(&format!("Basic {encoded}")).ok().map(secret)
}

/// The headers that the caller wants on every request.
fn own_headers(wanted: &[(String, String)]) -> Result<HeaderMap, ClientError> {
    let mut headers = HeaderMap::new();
    for (name, value) in wanted {
        let parsed = (HeaderName::from_bytes(name.as_bytes()).ok())
            .and_then(|name| Some((name, HeaderValue::from_str(value).ok()?)));
        let (name, value) = parsed.ok_or_else(|| ClientError::Header { name: name.clone() })?;
        headers.append(name, secret(value));
    }
    Ok(headers)
}

/// Marks a header value as sensitive, which keeps it out of debug output.
pub(super) fn secret(mut value: HeaderValue) -> HeaderValue {
    value.set_sensitive(true);
    value
}
