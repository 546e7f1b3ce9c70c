//! Requests and answers in HTTP terms: which headers go out, which status and content types may come back.
//! Redirects are not followed and no proxy is taken from the environment (UP-12).
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use overt_wire::era::{Era, Version};
use overt_wire::{Kind, Message, Method, json};
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER,
    WWW_AUTHENTICATE,
};
use reqwest::{RequestBuilder, Response, StatusCode, Url, redirect};
use rustls_platform_verifier::BuilderVerifierExt as _;

use super::events::Events;
use super::headers::{self, LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID};
use crate::client::credentials::{Credentials, CredentialsError, Next, Refusal, Secret};
use crate::client::error::ClientError;
use crate::client::target::{HttpTarget, shown};
use crate::limits::Limits;

/// One endpoint and what every request to it carries.
pub(super) struct Agent {
    http: reqwest::Client,
    url: Url,
    /// The address without what may be secret, for messages.
    shown: String,
    headers: HeaderMap,
    credentials: Option<Arc<dyn Credentials>>,
    state: RwLock<State>,
    limits: json::Limits,
    write_deadline: Duration,
}

#[derive(Default)]
struct State {
    version: Option<Version>,
    session: Option<HeaderValue>,
}

/// What came back for a message.
pub(super) enum Received {
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
        let shown = shown(&target.url);
        let address = |reason: &str| ClientError::Address { url: shown.clone(), reason: reason.into() };
        let url = Url::parse(&target.url).map_err(|error| address(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(address("it must begin with `http://` or `https://` and a host"));
        }
        let builder = reqwest::Client::builder()
            .redirect(redirect::Policy::none())
            .no_proxy()
            .tcp_nodelay(true)
            .connect_timeout(limits.connect_deadline)
            .tls_backend_preconfigured(tls(url.scheme())?);
        let http = builder.build().map_err(|error| ClientError::Tls { source: error.into() })?;
        Ok(Self {
            http,
            url,
            headers: own_headers(&target.headers)?,
            credentials: target.credentials.clone(),
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
    pub(super) async fn post(&self, message: &Message, mirrored: HeaderMap) -> Result<Received, ClientError> {
        let method = message.method().map_or("an answer", Method::name);
        let request = self
            .http
            .post(self.url.clone())
            .headers(self.headers.clone())
            .header(ACCEPT, JSON_OR_EVENTS)
            .header(CONTENT_TYPE, JSON)
            .headers(self.session_headers())
            .headers(headers::of(message, self.version()))
            .headers(mirrored)
            .body(message.text().to_owned());
        let response = self.send(request, method).await?;
        if message.method() == Some(Method::Initialize) && response.status().is_success() {
            let session = response.headers().get(SESSION_ID).cloned().map(secret);
            self.state.write().unwrap_or_else(PoisonError::into_inner).session = session;
        }
        self.receive(response, message, method).await
    }

    /// Sends a message to which no answer is expected.
    pub(super) async fn tell(&self, message: &Message) -> Result<(), ClientError> {
        let posting = self.post(message, HeaderMap::new());
        match tokio::time::timeout(self.write_deadline, posting).await {
            Ok(Ok(Received::Message(error))) if error.kind() == Kind::Error => {
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
        let mut request = self
            .http
            .get(self.url.clone())
            .headers(self.headers.clone())
            .header(ACCEPT, EVENTS)
            .headers(self.session_headers())
            .headers(self.version_header());
        if let Some(id) = last_event_id.and_then(|id| HeaderValue::from_str(id).ok()) {
            request = request.header(LAST_EVENT_ID, id);
        }
        let response = self.send(request, "GET").await?;
        if !response.status().is_success() {
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
        let session = self.session_headers();
        if session.is_empty() {
            return;
        }
        let request = self.http.delete(self.url.clone()).headers(self.headers.clone());
        let request = request.headers(session).headers(self.version_header());
        let outcome = tokio::time::timeout(self.write_deadline, self.send(request, "DELETE")).await;
        tracing::debug!(ok = matches!(outcome, Ok(Ok(_))), "session ended");
    }

    async fn send(&self, request: RequestBuilder, method: &str) -> Result<Response, ClientError> {
        match &self.credentials {
            None => self.send_once(request, method).await,
            Some(credentials) => self.send_authorized(credentials.as_ref(), request, method).await,
        }
    }

    /// Sends a request with what the credentials give it, and once more if they have something else to try.
    async fn send_authorized(
        &self,
        credentials: &dyn Credentials,
        request: RequestBuilder,
        method: &str,
    ) -> Result<Response, ClientError> {
        let failed = |source| ClientError::Unauthorized { url: self.shown.clone(), source };
        let again = request.try_clone();
        let sent = credentials.authorization().await.map_err(failed)?;
        let request = authorized(request, sent.as_ref()).map_err(failed)?;
        let response = self.send_once(request, method).await?;
        let challenges = response.headers().get_all(WWW_AUTHENTICATE).into_iter().map(HeaderValue::as_bytes);
        let Some(refusal) = Refusal::of(response.status().as_u16(), challenges, sent) else {
            return Ok(response);
        };
        match (again, credentials.refused(&refusal).await.map_err(failed)?) {
            (Some(again), Next::TryAgain) => {
                tracing::debug!(method, status = refusal.status, "refused; trying with other credentials");
                let renewed = credentials.authorization().await.map_err(failed)?;
                self.send_once(authorized(again, renewed.as_ref()).map_err(failed)?, method).await
            }
            _ => Ok(response),
        }
    }

    async fn send_once(&self, request: RequestBuilder, method: &str) -> Result<Response, ClientError> {
        request.send().await.map_err(|error| self.broken(error, method))
    }

    /// Maps a failure of the connection.
    pub(super) fn broken(&self, error: reqwest::Error, method: &str) -> ClientError {
        let connecting = error.is_connect();
        // The URL may carry a key.
        let source = error.without_url().into();
        let url = self.shown.clone();
        if connecting {
            return ClientError::Connect { url, source };
        }
        ClientError::Broken { url, method: method.to_owned(), source }
    }

    async fn receive(
        &self,
        response: Response,
        message: &Message,
        method: &str,
    ) -> Result<Received, ClientError> {
        let status = response.status();
        if !status.is_success() {
            return self.refusal(response, message).await.map(Received::Message);
        }
        if message.kind() != Kind::Request || status == StatusCode::ACCEPTED {
            return Ok(Received::Nothing);
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
                Ok(Received::Message(message))
            }
            "text/event-stream" => {
                Ok(Received::Events(Box::new(Events::of(response, self.limits.max_bytes))))
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
    async fn refusal(&self, response: Response, message: &Message) -> Result<Message, ClientError> {
        let status = response.status();
        let lost = status == StatusCode::NOT_FOUND && !self.session_headers().is_empty();
        if lost && message.method() != Some(Method::Initialize) {
            return Err(ClientError::SessionLost);
        }
        let denied = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if denied || status.is_redirection() || content_type(&response) != "application/json" {
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

    async fn status_error(&self, response: Response) -> ClientError {
        let status = response.status();
        if status.is_redirection() {
            let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            // A relative one is made whole, so that it can be used as the address.
            let location = location.and_then(|location| self.url.join(location).ok());
            let location = location.map_or_else(|| "nowhere".to_owned(), |location| shown(location.as_str()));
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

    /// The whole body, or nothing if it is over the limit; then the connection is closed, not read on.
    async fn body(
        &self,
        mut response: Response,
        limit: usize,
        method: &str,
    ) -> Result<Option<Vec<u8>>, ClientError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.broken(error, method))? {
            if body.len() + chunk.len() > limit {
                return Ok(None);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Some(body))
    }

    /// The header of a legacy session, if there is one.
    fn session_headers(&self) -> HeaderMap {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.session.iter().map(|session| (SESSION_ID, session.clone())).collect()
    }

    fn version_header(&self) -> HeaderMap {
        let version = self.version().map(|version| HeaderValue::from_static(version.as_str()));
        version.into_iter().map(|version| (PROTOCOL_VERSION, version)).collect()
    }

    fn version(&self) -> Option<Version> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).version
    }
}

/// TLS with our own choice of provider, and the roots that the system trusts; plain `http` needs none, and
/// looking for them takes time.
fn tls(scheme: &str) -> Result<rustls::ClientConfig, ClientError> {
    let failed = |source: rustls::Error| ClientError::Tls { source: source.into() };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().map_err(failed)?;
    let builder = if scheme == "https" {
        builder.with_platform_verifier().map_err(failed)?
    } else {
        builder.with_root_certificates(rustls::RootCertStore::empty())
    };
    Ok(builder.with_no_client_auth())
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
    request: RequestBuilder,
    authorization: Option<&Secret>,
) -> Result<RequestBuilder, CredentialsError> {
    let Some(authorization) = authorization else { return Ok(request) };
    let value = HeaderValue::from_str(authorization.expose())
        .map_err(|_| CredentialsError::new("the token has characters that can't stand in a header"))?;
    Ok(request.header(AUTHORIZATION, secret(value)))
}

/// Keeps a value out of debug output.
fn secret(mut value: HeaderValue) -> HeaderValue {
    value.set_sensitive(true);
    value
}

fn content_type(response: &Response) -> String {
    let value =
        response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn retry_after(response: &Response) -> Option<Duration> {
    let value = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    value.trim().parse().ok().map(Duration::from_secs)
}
