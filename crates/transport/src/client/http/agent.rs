//! Requests and answers in HTTP terms: which headers go out, which status and content types may
//! come back. Redirects are not followed (UP-12).
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, LOCATION,
    PROXY_AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE,
};
use hyper::{Method as HttpMethod, Request, StatusCode, Uri};
use overt_wire::era::{Era, Version};
use overt_wire::{Kind, Message, Method, json};
use percent_encoding::percent_decode_str;
use url::Url;

use super::events::Events;
use super::headers::{self, LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID};
use super::pool::{Answer, Pool, SendError};
use crate::client::credentials::{Credentials, CredentialsError, Refusal, RetryDecision, Secret};
use crate::client::error::ClientError;
use crate::client::shown_url::shown_url;
use crate::client::target::HttpTarget;
use crate::limits::Limits;

/// One endpoint and what every request to it carries.
pub(super) struct Agent {
    pool: Arc<Pool>,
    url: Url,
    /// The address as it stands in a request.
    uri: Uri,
    /// The address without what may be secret, for messages.
    shown: String,
    headers: HeaderMap,
    credentials: Option<Arc<dyn Credentials>>,
    state: RwLock<State>,
    limits: json::Limits,
    write_deadline: Duration,
}

/// An address with all that a request to it needs.
pub(super) struct Address {
    pub(super) url: Url,
    pub(super) uri: Uri,
    pub(super) shown: String,
    pub(super) headers: HeaderMap,
}

#[derive(Default)]
struct State {
    version: Option<Version>,
    session: Option<HeaderValue>,
}

/// What came back for a message.
pub(super) enum HttpReply {
    Message(Message),
    Events(Box<Events>),
    /// Accepted, without a body.
    Nothing,
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON_OR_EVENTS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
/// Bytes of an error page that are read, and characters of it that are shown.
const ERROR_BYTES: usize = 64 << 10;
const EXCERPT_CHARS: usize = 300;

// === impl Agent ===

impl Agent {
    pub(super) fn new(target: &HttpTarget, limits: &Limits) -> Result<Self, ClientError> {
        let Address { url, mut uri, shown, mut headers } = Address::of(&target.url, &target.headers)?;
        let pool = target.connections.of(&url, &target.proxies, limits.connect_deadline)?;
        if let Some(authorization) = pool.forwarding() {
            uri = whole_address(&url).ok_or_else(|| ClientError::Address {
                url: shown.clone(),
                reason: "it can't stand in a request to a proxy".to_owned(),
            })?;
            headers.extend(authorization.map(|value| (PROXY_AUTHORIZATION, value.clone())));
        }
        Ok(Self {
            pool,
            uri,
            headers,
            credentials: target.credentials.clone(),
            url,
            shown,
            state: RwLock::default(),
            limits: limits.json(),
            write_deadline: limits.write_deadline,
        })
    }

    pub(super) fn settle(&self, version: Version) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).version = Some(version);
    }

    pub(super) fn is_legacy(&self) -> bool {
        self.version().is_some_and(|version| version.era() == Era::Legacy)
    }

    pub(super) fn json_limits(&self) -> &json::Limits {
        &self.limits
    }

    /// Sends a message and looks at what comes back.
    pub(super) async fn post(
        &self,
        message: &Message,
        mirrored: HeaderMap,
    ) -> Result<HttpReply, ClientError> {
        let method = message.method().map_or("an answer", Method::name);
        let body = Bytes::copy_from_slice(message.text().as_bytes());
        let mut request = self.request(HttpMethod::POST, body);
        let own = request.headers_mut();
        own.insert(ACCEPT, JSON_OR_EVENTS);
        own.insert(CONTENT_TYPE, JSON);
        headers::put_all(own, message, self.version());
        own.extend(mirrored);
        let response = self.send(request, method).await?;
        if message.method() == Some(Method::Initialize) && response.status.is_success() {
            let session = response.headers.get(SESSION_ID).cloned().map(secret);
            self.state.write().unwrap_or_else(PoisonError::into_inner).session = session;
        }
        self.receive(response, message, method).await
    }

    /// Sends a message to which no answer is expected.
    pub(super) async fn tell(&self, message: &Message) -> Result<(), ClientError> {
        let posting = self.post(message, HeaderMap::new());
        match tokio::time::timeout(self.write_deadline, posting).await {
            Ok(Ok(HttpReply::Message(error))) if error.kind() == Kind::Error => {
                Err(error.error_body().map_or(ClientError::SessionLost, ClientError::Refused))
            }
            Ok(outcome) => outcome.map(drop),
            Err(_) => Err(ClientError::TimedOut {
                method: message.method().map_or("an answer", Method::name).to_owned(),
                after: self.write_deadline,
                dropped: None,
            }),
        }
    }

    /// Opens a stream for what the server sends on its own, or goes on with one that broke.
    pub(super) async fn get(&self, last_event_id: Option<&str>) -> Result<Events, ClientError> {
        let mut request = self.request(HttpMethod::GET, Bytes::new());
        request.headers_mut().insert(ACCEPT, EVENTS);
        request.headers_mut().extend(self.version_header());
        if let Some(id) = last_event_id.and_then(|id| HeaderValue::from_str(id).ok()) {
            request.headers_mut().insert(LAST_EVENT_ID, id);
        }
        let response = self.send(request, "GET").await?;
        if !response.status.is_success() {
            return Err(self.status_error(response).await);
        }
        match content_type(&response).as_str() {
            "text/event-stream" => Ok(Events::of(response, self.limits.max_bytes)),
            other => Err(ClientError::Protocol {
                what: format!("the event stream has the content type `{other}`"),
            }),
        }
    }

    /// Ends the session, if there is one. The server may refuse; there is nothing to do about that.
    pub(super) async fn delete(&self) {
        if !self.has_session() {
            return;
        }
        let mut request = self.request(HttpMethod::DELETE, Bytes::new());
        request.headers_mut().extend(self.version_header());
        let outcome = tokio::time::timeout(self.write_deadline, self.send(request, "DELETE")).await;
        tracing::debug!(ok = matches!(outcome, Ok(Ok(_))), "session ended");
    }

    /// A request with what every request of the session carries.
    fn request(&self, method: HttpMethod, body: Bytes) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = &state.session {
            request.headers_mut().insert(SESSION_ID, session.clone());
        }
        request
    }

    async fn send(&self, request: Request<Full<Bytes>>, method: &str) -> Result<Answer, ClientError> {
        match &self.credentials {
            None => self.send_once(request, method).await,
            Some(credentials) => Box::pin(self.send_authorized(credentials.as_ref(), request, method)).await,
        }
    }

    /// Sends a request with what the credentials give it, and once more if they have something else
    /// to try.
    async fn send_authorized(
        &self,
        credentials: &dyn Credentials,
        request: Request<Full<Bytes>>,
        method: &str,
    ) -> Result<Answer, ClientError> {
        let failed = |source| ClientError::Unauthorized { url: self.shown.clone(), source };
        let again = request.clone();
        let sent = credentials.authorization().await.map_err(failed)?;
        let request = authorized(request, sent.as_ref()).map_err(failed)?;
        let response = self.send_once(request, method).await?;
        let challenges = response.headers.get_all(WWW_AUTHENTICATE).into_iter().map(HeaderValue::as_bytes);
        let Some(refusal) = Refusal::of(response.status.as_u16(), challenges, sent) else {
            return Ok(response);
        };
        match credentials.refused(&refusal).await.map_err(failed)? {
            RetryDecision::TryAgain => {
                tracing::debug!(method, status = refusal.status, "refused; trying with other credentials");
                let renewed = credentials.authorization().await.map_err(failed)?;
                self.send_once(authorized(again, renewed.as_ref()).map_err(failed)?, method).await
            }
            RetryDecision::GiveUp => Ok(response),
        }
    }

    async fn send_once(&self, request: Request<Full<Bytes>>, method: &str) -> Result<Answer, ClientError> {
        self.pool.send(request).await.map_err(|failed| match failed {
            SendError::Connect(source) => ClientError::Connect { url: self.shown.clone(), source },
            SendError::Broken(error) => self.broken(error, method),
        })
    }

    /// The connection failed after something was sent on it.
    pub(super) fn broken(&self, error: hyper::Error, method: &str) -> ClientError {
        ClientError::Broken { url: self.shown.clone(), method: method.to_owned(), source: error.into() }
    }

    async fn receive(
        &self,
        response: Answer,
        message: &Message,
        method: &str,
    ) -> Result<HttpReply, ClientError> {
        let status = response.status;
        if !status.is_success() {
            return Box::pin(self.refusal(response, message)).await.map(HttpReply::Message);
        }
        if message.kind() != Kind::Request || status == StatusCode::ACCEPTED {
            return Ok(HttpReply::Nothing);
        }
        match content_type(&response).as_str() {
            "application/json" => {
                let limit = self.limits.max_bytes;
                let body = self.body(response, limit, method).await?;
                let body = body.ok_or_else(|| ClientError::TooLarge {
                    what: format!("the answer to `{method}`"),
                    limit,
                })?;
                let message = Message::parse(body, &self.limits)
                    .map_err(|reject| ClientError::Protocol { what: reject.error.message })?;
                Ok(HttpReply::Message(message))
            }
            "text/event-stream" => {
                Ok(HttpReply::Events(Box::new(Events::of(response, self.limits.max_bytes))))
            }
            other => Err(ClientError::Protocol {
                what: format!(
                    "the answer to `{method}` has the content type `{other}`, not `application/json` or \
                     `text/event-stream`"
                ),
            }),
        }
    }

    /// An answer with an error status: a JSON-RPC error in its body says more than the status.
    async fn refusal(&self, response: Answer, message: &Message) -> Result<Message, ClientError> {
        let status = response.status;
        let lost = status == StatusCode::NOT_FOUND && self.has_session();
        if lost && message.method() != Some(Method::Initialize) {
            return Err(ClientError::SessionLost);
        }
        let denied = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        // Busy: when to come back is in the header.
        let busy = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        if denied
            || (busy && retry_after(&response).is_some())
            || status.is_redirection()
            || content_type(&response) != "application/json"
        {
            return Err(self.status_error(response).await);
        }
        let retry_after = retry_after(&response);
        let body = self.body(response, ERROR_BYTES, "an error").await?.unwrap_or_default();
        match Message::parse(body.clone(), &self.limits) {
            Ok(error)
                if error.kind() == Kind::Error && (error.id().is_none() || error.id() == message.id()) =>
            {
                Ok(error)
            }
            _ => Err(self.status(status, &body, retry_after)),
        }
    }

    async fn status_error(&self, response: Answer) -> ClientError {
        let status = response.status;
        if status.is_redirection() {
            let location = response.headers.get(LOCATION).and_then(|value| value.to_str().ok());
            // A relative one is made whole, so that it can be used as the address.
            let location = location.and_then(|location| self.url.join(location).ok());
            let location =
                location.map_or_else(|| "nowhere".to_owned(), |location| shown_url(location.as_str()));
            return ClientError::Redirected { url: self.shown.clone(), location };
        }
        let retry_after = retry_after(&response);
        let body = self.body(response, ERROR_BYTES, "an error").await.ok().flatten().unwrap_or_default();
        self.status(status, &body, retry_after)
    }

    fn status(&self, status: StatusCode, body: &[u8], retry_after: Option<Duration>) -> ClientError {
        let text = String::from_utf8_lossy(body);
        let words: Vec<_> = text.split_whitespace().collect();
        let body = words.join(" ").chars().take(EXCERPT_CHARS).collect();
        ClientError::Status { url: self.shown.clone(), status: status.as_u16(), body, retry_after }
    }

    /// The whole body, or nothing if it is over the limit; then the connection is closed, not read
    /// on.
    async fn body(
        &self,
        mut response: Answer,
        limit: usize,
        method: &str,
    ) -> Result<Option<Vec<u8>>, ClientError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.body.chunk().await.map_err(|error| self.broken(error, method))? {
            if body.len() + chunk.len() > limit {
                return Ok(None);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Some(body))
    }

    /// Whether there is a legacy session.
    fn has_session(&self) -> bool {
        self.state.read().unwrap_or_else(PoisonError::into_inner).session.is_some()
    }

    fn version_header(&self) -> HeaderMap {
        let version = self.version().map(|version| HeaderValue::from_static(version.as_str()));
        version.into_iter().map(|version| (PROTOCOL_VERSION, version)).collect()
    }

    fn version(&self) -> Option<Version> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).version
    }
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

/// The address without user, password and fragment, as it stands in a request to a proxy.
fn whole_address(url: &Url) -> Option<Uri> {
    let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    format!("{}://{host}{path}", url.scheme()).parse().ok()
}

/// A user and a password in the address, as the header that they mean.
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

/// Puts the authorization on a request.
fn authorized(
    mut request: Request<Full<Bytes>>,
    authorization: Option<&Secret>,
) -> Result<Request<Full<Bytes>>, CredentialsError> {
    let Some(authorization) = authorization else { return Ok(request) };
    let value = HeaderValue::from_str(authorization.expose())
        .map_err(|_| CredentialsError::new("the token has characters that can't stand in a header"))?;
    request.headers_mut().insert(AUTHORIZATION, secret(value));
    Ok(request)
}

/// Keeps a value out of debug output.
fn secret(mut value: HeaderValue) -> HeaderValue {
    value.set_sensitive(true);
    value
}

fn content_type(response: &Answer) -> String {
    let value = response.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn retry_after(response: &Answer) -> Option<Duration> {
    let value = response.headers.get(RETRY_AFTER)?.to_str().ok()?;
    value.trim().parse().ok().map(Duration::from_secs)
}
