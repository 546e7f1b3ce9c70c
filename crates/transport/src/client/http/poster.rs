//! Posts documents to an address, under the rules of all outgoing requests: no redirects, our own
//! TLS. It uses no proxy. It serves telemetry and knows nothing about MCP.
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::{Method, Request, Uri};
use tokio::time::timeout;

use super::address::Address;
use super::pool::{Answer, Connections, Pool, SendError};
use super::proxy::Proxies;
use crate::client::error::ClientError;

/// Posts JSON documents to one address.
#[derive(Clone)]
pub struct Poster {
    pool: Arc<Pool>,
    uri: Uri,
    shown: String,
    headers: HeaderMap,
    deadline: Duration,
}

/// How the receiver answered a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostOutcome {
    Taken,
    /// The receiver may accept it later, and not before this time if it names one.
    Later(Option<Duration>),
    /// The receiver will never accept it. Contains the HTTP status.
    Refused(u16),
}

/// A longer answer, in bytes, is not read to its end, and its connection is not reused.
const MAX_ANSWER: usize = 64 << 10;

impl Poster {
    /// Prepares posting. It connects only when there is a document to post.
    pub fn new(url: &str, headers: &[(String, String)], deadline: Duration) -> Result<Self, ClientError> {
        let Address { url, uri, shown, mut headers } = Address::of(url, headers)?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let pool = Connections::default().of(&url, &Proxies::default(), deadline)?;
        Ok(Self { pool, uri, shown, headers, deadline })
    }

    /// The address without parts that may be secret.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Posts one document. A connection failure counts as [`PostOutcome::Later`].
    pub async fn post(&self, json: String) -> PostOutcome {
        let mut request = Request::new(Full::new(Bytes::from(json)));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        match timeout(self.deadline, self.exchange(request)).await {
            Ok(Ok(posted)) => posted,
            Ok(Err(failed)) => {
                tracing::debug!(?failed, "can't post to {}", self.shown);
                PostOutcome::Later(None)
            }
            Err(_) => PostOutcome::Later(None),
        }
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<PostOutcome, SendError> {
        let Answer { status, headers, mut body } = self.pool.send(request).await?;
        // Reading the rest lets the connection be reused.
        let mut read = 0;
        while read < MAX_ANSWER
            && let Some(chunk) = body.chunk().await.map_err(SendError::Broken)?
        {
            read += chunk.len();
        }
        let retry_after = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = retry_after.and_then(|value| value.trim().parse().ok()).map(Duration::from_secs);
        Ok(match status.as_u16() {
            200..=299 => PostOutcome::Taken,
            429 | 502 | 503 | 504 => PostOutcome::Later(retry_after),
            status => PostOutcome::Refused(status),
        })
    }
}

impl fmt::Debug for Poster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poster").field("url", &self.shown).finish_non_exhaustive()
    }
}
