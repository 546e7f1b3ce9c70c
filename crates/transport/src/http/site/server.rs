//! Listens on loopback and serves the page to browsers of this machine.
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::super::access::Peer;
use super::super::guard::Guard;
use super::super::server::{BindError, Exposure, listen, serve_connections};
use super::super::write_deadline::WriteDeadline;
use super::check::{Check, Refused, token_digest};
use super::reply::{SiteBody, SiteReply};
use super::request::{Site, SiteRequest};

/// A bound address that serves nothing yet.
#[derive(Debug)]
pub struct SiteServer {
    listener: TcpListener,
    address: SocketAddr,
}

/// A browser opens six; several windows may be open.
const MAX_CONNECTIONS: usize = 64;
const HEADER_DEADLINE: Duration = Duration::from_secs(10);
const BODY_DEADLINE: Duration = Duration::from_secs(10);
const WRITE_DEADLINE: Duration = Duration::from_secs(30);
const MAX_HEADER_BYTES: usize = 32 << 10;
/// What a page sends is short: names of questions and their digests.
const MAX_BODY_BYTES: usize = 256 << 10;

impl SiteServer {
    pub async fn bind(address: SocketAddr) -> Result<Self, BindError> {
        let (listener, address) = listen(address, Exposure::LoopbackOnly).await?;
        Ok(Self { listener, address })
    }

    /// The address that was bound, with the port that the system chose.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` completes. What is being read then is cut off: a page reads it again.
    pub async fn serve(self, token: &str, site: Arc<dyn Site>, stop: impl Future<Output = ()>) {
        let check = Arc::new(Check { guard: Guard::new(self.address, &[], &[]), token: token_digest(token) });
        let serve = |stream| connection(stream, Arc::clone(&check), Arc::clone(&site));
        serve_connections(&self.listener, MAX_CONNECTIONS, stop, serve).await;
    }
}

async fn connection(stream: TcpStream, check: Arc<Check>, site: Arc<dyn Site>) {
    let addresses = stream.peer_addr().and_then(|client| Ok((client, stream.local_addr()?)));
    let Ok((client, server)) = addresses else { return };
    let peer = Peer::of(client, server);
    let io = TokioIo::new(WriteDeadline::new(stream, WRITE_DEADLINE));
    let service = service_fn(move |request| {
        let (check, site) = (Arc::clone(&check), Arc::clone(&site));
        async move { Ok::<_, Infallible>(answer(&check, site, request, peer).await) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_DEADLINE)
        .max_buf_size(MAX_HEADER_BYTES)
        .max_headers(100)
        .serve_connection(io, service);
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a connection of the page broke");
    }
}

async fn answer(
    check: &Check,
    site: Arc<dyn Site>,
    request: Request<Incoming>,
    peer: Peer,
) -> Response<SiteBody> {
    let method = match check.method(request.method(), request.uri(), request.headers(), peer) {
        Ok(method) => method,
        Err(refused) => return SiteReply::refused(&refused).response(),
    };
    let path = request.uri().path().to_owned();
    let query = request.uri().query().unwrap_or_default().to_owned();
    let body = match body(request).await {
        Ok(body) => body,
        Err(refused) => return SiteReply::refused(&refused).response(),
    };
    site.answer(SiteRequest { method, path, query, body }).await.response()
}

async fn body(request: Request<Incoming>) -> Result<Bytes, Refused> {
    let read = Limited::new(request.into_body(), MAX_BODY_BYTES).collect();
    match timeout(BODY_DEADLINE, read).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(_)) => Err(Refused {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            reason: "the body is too long or can't be read",
        }),
        Err(_) => {
            Err(Refused { status: StatusCode::REQUEST_TIMEOUT, reason: "the body took too long to arrive" })
        }
    }
}
