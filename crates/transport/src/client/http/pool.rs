//! Connections to one HTTP server that stay open between requests. A request is sent a second time
//! only if it is certain that no byte of the first attempt was written.
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1;
use hyper::header::HeaderValue;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::time::{Instant, timeout};
use url::Url;

use super::dial::Dial;
use super::proxy::Proxies;
use crate::client::error::ClientError;

pub(super) type Sender = http1::SendRequest<Full<Bytes>>;

/// The connections to the server of one target. All clones of the target share them.
#[derive(Clone, Default)]
pub struct Connections(Arc<OnceLock<Arc<Pool>>>);

/// The connections to one server.
pub(super) struct Pool {
    dial: Dial,
    deadline: Duration,
    idle: Mutex<Vec<Idle>>,
    /// Whether a task is running that closes connections whose last answer does not end.
    reaping: AtomicBool,
}

struct Idle {
    sender: Sender,
    /// The rest of the last answer, if it has not arrived yet.
    rest: Option<Incoming>,
    since: Instant,
}

/// Why a request got no answer.
#[derive(Debug)]
pub(super) enum SendError {
    /// The connection could not be opened, so nothing was sent.
    Connect(Box<dyn Error + Send + Sync>),
    Broken(hyper::Error),
}

/// An answer whose body has not been read yet.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: hyper::HeaderMap,
    pub(super) body: Body,
}

/// A response body. Reading it to its end returns its connection to the pool; dropping it earlier
/// closes the connection.
pub(super) struct Body {
    incoming: Incoming,
    lease: Option<(Sender, Weak<Pool>)>,
}

/// Many servers close a connection after five seconds without a request. A connection that was idle
/// for longer than this might be closed while we send on it, and then it is unknown whether the
/// request was executed.
const MAX_IDLE: Duration = Duration::from_secs(4);
/// The most pieces that may follow the relevant part of an answer.
const MOST_FRAMES: usize = 8;
/// How long the rest of an answer may take after its relevant part.
const LINGER: Duration = Duration::from_secs(1);
/// The most idle connections that are kept.
const MOST_IDLE: usize = 256;

// === impl Connections ===

impl Connections {
    /// Returns the connections of a target and creates them on first use.
    pub(super) fn of(
        &self,
        url: &Url,
        proxies: &Proxies,
        deadline: Duration,
    ) -> Result<Arc<Pool>, ClientError> {
        if let Some(pool) = self.0.get() {
            return Ok(Arc::clone(pool));
        }
        let pool = Arc::new(Pool {
            dial: Dial::new(url, proxies, deadline)?,
            deadline,
            idle: Mutex::default(),
            reaping: AtomicBool::new(false),
        });
        Ok(Arc::clone(self.0.get_or_init(|| pool)))
    }
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connections")
    }
}

// === impl Pool ===

impl Pool {
    /// Sends a request, on an idle connection if possible.
    pub(super) async fn send(
        self: &Arc<Self>,
        mut request: Request<Full<Bytes>>,
    ) -> Result<Answer, SendError> {
        while let Some(mut sender) = self.take() {
            if sender.ready().await.is_err() {
                continue;
            }
            match sender.try_send_request(request).await {
                Ok(response) => return Ok(self.answer(response, sender)),
                Err(mut error) => match error.take_message() {
                    // The server had closed the connection, and the request was not sent.
                    Some(unsent) => request = unsent,
                    None => return Err(SendError::Broken(error.into_error())),
                },
            }
        }
        let mut sender = self.connect().await.map_err(SendError::Connect)?;
        match sender.try_send_request(request).await {
            Ok(response) => Ok(self.answer(response, sender)),
            // The request comes back if no byte of it was written.
            Err(mut error) => Err(match error.take_message() {
                Some(_) => SendError::Connect(error.into_error().into()),
                None => SendError::Broken(error.into_error()),
            }),
        }
    }

    /// The authorization for a proxy that forwards requests; see [`Dial::forwarding`].
    pub(super) fn forwarding(&self) -> Option<Option<&HeaderValue>> {
        self.dial.forwarding()
    }

    async fn connect(&self) -> Result<Sender, Box<dyn Error + Send + Sync>> {
        let dialing = async {
            let stream = self.dial.connect().await?;
            let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "a connection to the server broke");
                }
            });
            Ok(sender)
        };
        timeout(self.deadline, dialing).await.unwrap_or_else(|_| Err("the connection took too long".into()))
    }

    fn answer(self: &Arc<Self>, response: Response<Incoming>, sender: Sender) -> Answer {
        let (head, incoming) = response.into_parts();
        let mut body = Body { incoming, lease: Some((sender, Arc::downgrade(self))) };
        body.give_back_if_done();
        Answer { status: head.status, headers: head.headers, body }
    }

    /// Takes the most recently used connection, because it is the least likely to be closed. A
    /// connection whose last answer has not ended yet stays in the pool.
    fn take(&self) -> Option<Sender> {
        let mut idle = self.lock();
        let now = Instant::now();
        let mut at = idle.len();
        while at > 0 {
            at -= 1;
            let age = now.duration_since(idle[at].since);
            if age > MAX_IDLE {
                // All connections before it are older.
                idle.drain(..=at);
                return None;
            }
            match idle[at].is_free() {
                ConnectionState::Yes => return Some(idle.remove(at).sender),
                ConnectionState::NotYet if age <= LINGER => {}
                ConnectionState::NotYet | ConnectionState::Never => drop(idle.remove(at)),
            }
        }
        None
    }

    fn keep(&self, sender: Sender, rest: Option<Incoming>) {
        let mut idle = self.lock();
        let now = Instant::now();
        // The oldest connection is first, and is used last.
        if idle.first().is_some_and(|oldest| now.duration_since(oldest.since) > MAX_IDLE) {
            idle.retain(|one| now.duration_since(one.since) <= MAX_IDLE);
        }
        if !sender.is_closed() && idle.len() < MOST_IDLE {
            idle.push(Idle { sender, rest, since: now });
        }
    }

    /// Starts a task that closes connections whose last answer does not end. The task stops when
    /// all answers have ended.
    fn reap(self: &Arc<Self>) {
        if self.reaping.swap(true, Ordering::AcqRel) {
            return;
        }
        let pool = Arc::downgrade(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LINGER).await;
                let Some(pool) = pool.upgrade() else { return };
                let mut idle = pool.lock();
                let now = Instant::now();
                idle.retain_mut(|one| {
                    one.is_free() == ConnectionState::Yes || now.duration_since(one.since) <= LINGER
                });
                if idle.iter().all(|one| one.rest.is_none()) {
                    pool.reaping.store(false, Ordering::Release);
                    return;
                }
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Idle ===

/// Whether a kept connection can be used.
#[derive(Debug, PartialEq, Eq)]
enum ConnectionState {
    Yes,
    NotYet,
    Never,
}

impl Idle {
    fn is_free(&mut self) -> ConnectionState {
        let Some(rest) = &mut self.rest else { return ConnectionState::Yes };
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..MOST_FRAMES {
            match Pin::new(&mut *rest).poll_frame(&mut context) {
                Poll::Ready(None) => {
                    self.rest = None;
                    return ConnectionState::Yes;
                }
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(Some(Err(_))) => return ConnectionState::Never,
                Poll::Pending => return ConnectionState::NotYet,
            }
        }
        ConnectionState::Never
    }
}

// === impl Body ===

impl Body {
    /// The next piece; `None` at the end. Cancel-safe: dropping the future loses nothing.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, hyper::Error> {
        loop {
            let Some(frame) = self.incoming.frame().await else {
                self.give_back();
                return Ok(None);
            };
            if let Ok(data) = frame?.into_data() {
                self.give_back_if_done();
                return Ok(Some(data));
            }
        }
    }

    /// Called when the relevant part was read. Returns the connection to the pool; it is reused
    /// once the rest of the body has arrived. If the server keeps sending, the connection is
    /// closed.
    pub(super) fn finish(mut self) {
        let Some((sender, pool)) = self.lease.take() else { return };
        if let Some(pool) = pool.upgrade() {
            // Polled once, so that the connection continues to read.
            let mut idle = Idle { sender, rest: Some(self.incoming), since: Instant::now() };
            let free = idle.is_free();
            if free != ConnectionState::Never {
                let lingers = idle.rest.is_some();
                pool.keep(idle.sender, idle.rest);
                if lingers {
                    pool.reap();
                }
            }
        }
    }

    fn give_back_if_done(&mut self) {
        if self.incoming.is_end_stream() {
            self.give_back();
        }
    }

    fn give_back(&mut self) {
        if let Some((sender, pool)) = self.lease.take()
            && let Some(pool) = pool.upgrade()
        {
            pool.keep(sender, None);
        }
    }
}
