//! Listens, serves connections within the limits, and drains them on shutdown.
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use overt_wire::{BoxFuture, Handler};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Duration, timeout};

use super::access::{Authenticate, NoTokens, Peer};
use super::connection_spreader::ConnectionSpreader;
use super::endpoint::Endpoint;
use super::guard::Guard;
use super::public_url::PublicUrl;
use super::request_headers::MOST_HEADERS;
use super::session::{ConnectionSession, Sessions};
use super::write_deadline::WriteDeadline;
use crate::limits::Limits;
use crate::serve::{ByteBudget, Stage, Stages};

/// How clients reach the server.
#[derive(Debug, Clone)]
pub struct Options {
    /// The path of the MCP endpoint.
    pub path: String,
    pub exposure: Exposure,
    /// Additional `Host` values that are allowed, for names that a proxy or the network gives this
    /// machine.
    pub allowed_hosts: Vec<String>,
    /// Additional `Origin` values that are allowed, for web pages that may use this server.
    pub allowed_origins: Vec<String>,
    /// The URL of the endpoint for its clients, if it is behind a proxy. Documents contain it, and
    /// requests may use its host. Headers about a proxy (`Forwarded`, `X-Forwarded-Host`) are never
    /// trusted.
    pub public_url: Option<PublicUrl>,
    /// Identifies clients that are not programs of our own user.
    pub tokens: Arc<dyn Authenticate>,
    /// Additional runtimes that serve connections. They must live as long as the server.
    pub workers: Vec<Handle>,
    pub limits: Limits,
}

/// Which addresses may be bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Exposure {
    /// Only this machine can connect.
    #[default]
    LoopbackOnly,
    /// Every host that can reach the address can connect. The caller must provide authentication.
    Anywhere,
}

/// Why the server can't listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    #[error(
        "`{0}` can be reached from other machines, and what is sent is not encrypted; use 127.0.0.1 or [::1]"
    )]
    NotLoopback(SocketAddr),
    #[error("can't listen on `{address}`")]
    Listen { address: SocketAddr, source: io::Error },
}

/// A bound server that is not serving yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    options: Options,
}

/// The shortest and the longest interval between searches for idle sessions.
const SOONEST_SWEEP: Duration = Duration::from_millis(50);
const LATEST_SWEEP: Duration = Duration::from_secs(30);

/// How long clients may take to read the last answers after the drain time.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// hyper accepts no smaller buffer.
const SMALLEST_BUFFER: usize = 8 << 10;

// === impl Server ===

impl Server {
    pub async fn bind(address: SocketAddr, options: Options) -> Result<Self, BindError> {
        let (listener, address) = listen(address, options.exposure).await?;
        Ok(Self { listener, address, options })
    }

    /// The bound address, with the port that the system chose.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.options.path)
    }

    fn guard(&self) -> Guard {
        let mut hosts = self.options.allowed_hosts.clone();
        hosts.extend(self.options.public_url.as_ref().and_then(PublicUrl::host));
        Guard::new(self.address, &hosts, &self.options.allowed_origins)
    }

    /// Serves until `stop` completes, then lets requests in flight finish within [`Limits::drain`].
    /// The rest are answered with an error.
    pub async fn serve(self, handler: Arc<dyn Handler>, stop: impl Future<Output = ()>) {
        let limits = self.options.limits.clone();
        let stages = Stages::new();
        let guard = self.guard();
        let endpoint = Arc::new(Endpoint {
            guard,
            tokens: self.options.tokens,
            path: self.options.path,
            public_url: self.options.public_url.map(|url| url.text()),
            document_slots: Semaphore::new(limits.max_document_requests),
            sessions: Arc::new(Sessions::new(limits.clone(), Arc::clone(&handler))),
            stage: stages.watch(),
            bytes: ByteBudget::new(limits.max_total_http_bytes),
            handler: Arc::clone(&handler),
            limits: limits.clone(),
        });
        let (stopping, stopped) = watch::channel(false);
        let mut connections = JoinSet::new();
        let spread = ConnectionSpreader::new(&self.options.workers);
        let free = Arc::new(Semaphore::new(limits.max_connections));
        // No session outlives its idle time by more than half.
        let mut sweep = tokio::time::interval((limits.session_idle / 2).clamp(SOONEST_SWEEP, LATEST_SWEEP));
        let mut stop = std::pin::pin!(stop);
        loop {
            tokio::select! {
                accepted = accept(&self.listener, &free) => if let Some((stream, place)) = accepted {
                    let (endpoint, stopped) = (Arc::clone(&endpoint), stopped.clone());
                    let assignment = spread.assign();
                    let Ok(stream) = assignment.release(stream) else { continue };
                    let runtime = assignment.runtime.clone();
                    connections.spawn_on(async move {
                        if let Ok(stream) = stream.adopt() {
                            connection(stream, endpoint, stopped).await;
                        }
                        drop((place, assignment));
                    }, &runtime);
                },
                Some(_) = connections.join_next() => {}
                _ = sweep.tick() => endpoint.sessions.sweep(),
                () = &mut stop => break,
            }
        }
        drop(self.listener);
        // Open-ended requests end first, so that their connections can drain.
        handler.shutdown();
        let _ = stopping.send(true);
        endpoint.sessions.disconnect_standalone();
        let mut all_ended = async || while connections.join_next().await.is_some() {};
        if timeout(limits.drain, all_ended()).await.is_err() {
            // All remaining requests are answered with an error.
            stages.advance(Stage::Over);
            if timeout(LAST_ANSWERS, all_ended()).await.is_err() {
                tracing::warn!(left = connections.len(), "connections did not end in time; cutting them off");
                connections.shutdown().await;
            }
        }
        endpoint.sessions.close_all();
    }
}

/// Listens on the address if the exposure allows it.
pub(super) async fn listen(
    address: SocketAddr,
    exposure: Exposure,
) -> Result<(TcpListener, SocketAddr), BindError> {
    if exposure == Exposure::LoopbackOnly && !address.ip().is_loopback() {
        return Err(BindError::NotLoopback(address));
    }
    let failed = |source| BindError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

async fn accept(
    listener: &TcpListener,
    free: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(free).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => {
            // Without this, an answer in two small writes waits for the client's delayed
            // acknowledgement.
            let _ = stream.set_nodelay(true);
            Some((stream, place))
        }
        Err(error) => {
            tracing::warn!(%error, "can't accept a connection");
            // Most likely there are no free descriptors, and trying again at once would spin.
            tokio::time::sleep(Duration::from_millis(50)).await;
            None
        }
    }
}

/// Serves each connection in its own task until `stop` completes. Connections that are still open
/// are not drained.
pub(super) async fn serve_connections<F: Future<Output = ()> + Send + 'static>(
    listener: &TcpListener,
    most: usize,
    stop: impl Future<Output = ()>,
    serve: impl Fn(TcpStream) -> F,
) {
    let free = Arc::new(Semaphore::new(most));
    let mut connections = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        tokio::select! {
            accepted = accept(listener, &free) => if let Some((stream, place)) = accepted {
                let served = serve(stream);
                connections.spawn(async move {
                    served.await;
                    drop(place);
                });
            },
            Some(_) = connections.join_next() => {}
            () = &mut stop => break,
        }
    }
}

/// The future is boxed here, so that it is compiled with the options of this crate and not with
/// those of the crate that serves.
fn connection(
    stream: TcpStream,
    endpoint: Arc<Endpoint>,
    stopped: watch::Receiver<bool>,
) -> BoxFuture<'static, ()> {
    Box::pin(answer_connection(stream, endpoint, stopped))
}

async fn answer_connection(stream: TcpStream, endpoint: Arc<Endpoint>, mut stopped: watch::Receiver<bool>) {
    let limits = endpoint.limits.clone();
    let addresses = stream.peer_addr().and_then(|client| Ok((client, stream.local_addr()?)));
    // A client that has already disconnected gets no answer.
    let Ok((client, server)) = addresses else { return };
    let peer = Peer::of(client, server);
    let session = Arc::new(ConnectionSession::default());
    let io = TokioIo::new(WriteDeadline::new(stream, limits.write_deadline));
    let service = service_fn(move |request| {
        let (endpoint, session) = (Arc::clone(&endpoint), Arc::clone(&session));
        async move { Ok::<_, Infallible>(endpoint.answer(request, &session, peer).await) }
    });
    let mut connection = std::pin::pin!(
        hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.header_deadline)
            .max_buf_size(limits.max_header_bytes.max(SMALLEST_BUFFER))
            .max_headers(MOST_HEADERS)
            .serve_connection(io, service)
    );
    let told_to_stop = async { drop(stopped.wait_for(|stopped| *stopped).await) };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = told_to_stop => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke");
    }
}

// === impl Options ===

impl Default for Options {
    fn default() -> Self {
        Self {
            path: "/mcp".into(),
            exposure: Exposure::default(),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            public_url: None,
            tokens: Arc::new(NoTokens),
            workers: Vec::new(),
            limits: Limits::default(),
        }
    }
}
