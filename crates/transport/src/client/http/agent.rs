//! Sends HTTP requests with their headers and credentials. Redirects are not followed (UP-12).
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, PROXY_AUTHORIZATION, WWW_AUTHENTICATE,
};
use hyper::{Method as HttpMethod, Request, Uri};
use overt_wire::era::{Era, Version};
use overt_wire::{Kind, Message, Method, json};
use url::Url;

use super::address::{Address, full_address, secret};
use super::events::Events;
use super::headers::{self, LAST_EVENT_ID, PROTOCOL_VERSION, SESSION_ID};
use super::pool::{Answer, Pool, SendError};
use crate::client::credentials::{Credentials, CredentialsError, Refusal, RetryDecision, Secret};
use crate::client::error::ClientError;
use crate::client::target::HttpTarget;
use crate::limits::Limits;

/// One endpoint, and what every request to it carries.
pub(super) struct Agent {
    pool: Arc<Pool>,
    pub(super) url: Url,
    /// The request target, as it appears in the request line.
    uri: Uri,
    /// The URL without parts that may be secret, for messages.
    pub(super) shown: String,
    headers: HeaderMap,
    credentials: Option<Arc<dyn Credentials>>,
    state: RwLock<State>,
    pub(super) limits: json::Limits,
    write_deadline: Duration,
}

#[derive(Default)]
struct State {
    version: Option<Version>,
    session: Option<HeaderValue>,
}

/// The reply to a message.
pub(super) enum HttpReply {
    Message(Message),
    Events(Box<Events>),
    /// The message was accepted; the reply has no body.
    Nothing,
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON_OR_EVENTS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
// === impl Agent ===

impl Agent {
    pub(super) fn new(target: &HttpTarget, limits: &Limits) -> Result<Self, ClientError> {
        let Address { url, mut uri, shown, mut headers } = Address::of(&target.url, &target.headers)?;
        let pool = target.connections.of(&url, &target.proxies, limits.connect_deadline)?;
        if let Some(authorization) = pool.forwarding() {
            uri = full_address(&url).ok_or_else(|| ClientError::Address {
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

    /// Sends a message and reads the reply.
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

    /// Sends a message that expects no answer.
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

    /// Opens a stream for messages that the server sends on its own, or resumes a broken stream.
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
        self.events(response)
    }

    /// Ends the session, if there is one. The server may refuse; that is ignored.
    pub(super) async fn delete(&self) {
        if !self.has_session() {
            return;
        }
        let mut request = self.request(HttpMethod::DELETE, Bytes::new());
        request.headers_mut().extend(self.version_header());
        let outcome = tokio::time::timeout(self.write_deadline, self.send(request, "DELETE")).await;
        tracing::debug!(ok = matches!(outcome, Ok(Ok(_))), "session ended");
    }

    /// Builds a request with everything that all requests of the session carry.
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

    /// Sends a request with an authorization from the credentials. Sends it once more if they have
    /// another one after a refusal.
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

    /// The error for a connection that failed after something was sent on it.
    pub(super) fn broken(&self, error: hyper::Error, method: &str) -> ClientError {
        ClientError::Broken { url: self.shown.clone(), method: method.to_owned(), source: error.into() }
    }

    /// Whether there is a legacy session.
    pub(super) fn has_session(&self) -> bool {
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

/// Adds the authorization to a request.
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
