//! The second origin of a page: one document that shows untrusted pages in it. It has no API and
//! needs no token.
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use tokio::net::{TcpListener, TcpStream};

use super::super::access::Peer;
use super::super::connection::{ConnectionLimits, serve_connection};
use super::super::guard::Guard;
use super::super::server::{BindError, Exposure, listen, serve_connections};

/// The bound address of the second origin.
#[derive(Debug)]
pub(super) struct Sandbox {
    listener: TcpListener,
    pub(super) address: SocketAddr,
}

/// The path of the document.
pub(super) const PATH: &str = "/sandbox.html";
/// A browser opens one connection for each page that is shown.
const MAX_CONNECTIONS: usize = 32;
const LIMITS: ConnectionLimits = ConnectionLimits {
    header_deadline: Duration::from_secs(10),
    header_bytes: 16 << 10,
    write_deadline: Duration::from_secs(10),
};

const HEADERS: [(HeaderName, &str); 3] =
    [(CACHE_CONTROL, "no-store"), (REFERRER_POLICY, "no-referrer"), (X_CONTENT_TYPE_OPTIONS, "nosniff")];

/// The state that all connections share.
struct SandboxState {
    guard: Guard,
    document: &'static str,
    /// Only our page may frame the document. Every page that is shown in the document inherits this
    /// policy, so it contains nothing else.
    policy: HeaderValue,
}

impl Sandbox {
    /// Listens on the page's IP address, on a separate port.
    pub(super) async fn bind(page: SocketAddr) -> Result<Self, BindError> {
        let (listener, address) = listen(SocketAddr::new(page.ip(), 0), Exposure::LoopbackOnly).await?;
        Ok(Self { listener, address })
    }

    /// Serves the document to frames of `page` while this is polled.
    pub(super) async fn serve(self, page: SocketAddr, document: &'static str) {
        let ancestors = HeaderValue::try_from(format!("frame-ancestors http://{page}"));
        let policy = ancestors.unwrap_or(HeaderValue::from_static("frame-ancestors 'none'"));
        let served = Arc::new(SandboxState { guard: Guard::new(self.address, &[], &[]), document, policy });
        let serve = |stream| connection(stream, Arc::clone(&served));
        serve_connections(&self.listener, MAX_CONNECTIONS, std::future::pending(), serve).await;
    }
}

async fn connection(stream: TcpStream, served: Arc<SandboxState>) {
    let addresses = stream.peer_addr().and_then(|client| Ok((client, stream.local_addr()?)));
    let Ok((client, server)) = addresses else { return };
    let peer = Peer::of(client, server);
    let service =
        service_fn(move |request| std::future::ready(Ok::<_, Infallible>(answer(&served, peer, &request))));
    serve_connection(stream, service, LIMITS, "frame").await;
}

fn answer(served: &SandboxState, peer: Peer, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let plain = |status, text: &'static str| respond(served, status, "text/plain; charset=utf-8", text);
    if let Err(away) = served.guard.check(request.uri(), request.headers()) {
        return plain(away.status, away.reason);
    }
    if cfg!(target_os = "linux") && peer != Peer::OwnUser {
        return plain(StatusCode::FORBIDDEN, "this page is for the user who started it");
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response = plain(StatusCode::METHOD_NOT_ALLOWED, "this page can only be read");
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    if request.uri().path() != PATH {
        return plain(StatusCode::NOT_FOUND, "no such page");
    }
    respond(served, StatusCode::OK, "text/html; charset=utf-8", served.document)
}

fn respond(
    served: &SandboxState,
    status: StatusCode,
    content_type: &'static str,
    text: &'static str,
) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CONTENT_SECURITY_POLICY, served.policy.clone());
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
