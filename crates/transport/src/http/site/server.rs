//! Listens on loopback and serves the page to local browsers.
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::header::HeaderValue;
use hyper::service::service_fn;
use hyper::{Request, StatusCode};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::super::access::Peer;
use super::super::connection::{ConnectionLimits, serve_connection};
use super::super::guard::Guard;
use super::super::server::{BindError, Exposure, listen, serve_connections};
use super::check::{Check, token_digest};
use super::reply::{SiteRefusal, SiteReply, page_policy};
use super::request::{Site, SiteRequest};
use super::sandbox::{self, Sandbox};

/// Two bound addresses that are not serving yet: one for the page, one for the frames in it.
#[derive(Debug)]
pub struct SiteServer {
    listener: TcpListener,
    address: SocketAddr,
    sandbox: Sandbox,
}

/// The state that all connections share.
struct SiteState {
    check: Check,
    policy: HeaderValue,
    site: Arc<dyn Site>,
}

/// A browser opens six connections, and several windows may be open.
const MAX_CONNECTIONS: usize = 64;
const LIMITS: ConnectionLimits = ConnectionLimits {
    header_deadline: Duration::from_secs(10),
    header_bytes: 32 << 10,
    write_deadline: Duration::from_secs(30),
};
const BODY_DEADLINE: Duration = Duration::from_secs(10);
/// A page sends only short bodies: names of questions and their digests.
const MAX_BODY_BYTES: usize = 256 << 10;

impl SiteServer {
    pub async fn bind(address: SocketAddr) -> Result<Self, BindError> {
        let (listener, address) = listen(address, Exposure::LoopbackOnly).await?;
        Ok(Self { listener, address, sandbox: Sandbox::bind(address).await? })
    }

    /// The bound address, with the port that the system chose.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of the document that frames load first. `None` on IPv6, because browser policies
    /// can't name an IPv6 address.
    pub fn sandbox_url(&self) -> Option<String> {
        let address = self.sandbox.address;
        address.is_ipv4().then(|| format!("http://{address}{}", sandbox::PATH))
    }

    /// Serves until `stop` completes. Responses in progress are cut off; a page reads them again.
    /// `sandbox` is the document of the second origin.
    pub async fn serve(
        self,
        token: &str,
        site: Arc<dyn Site>,
        sandbox: &'static str,
        stop: impl Future<Output = ()>,
    ) {
        let check = Check { guard: Guard::new(self.address, &[], &[]), token: token_digest(token) };
        let served = Arc::new(SiteState { check, policy: page_policy(self.sandbox.address), site });
        let serve = |stream| connection(stream, Arc::clone(&served));
        tokio::select! {
            () = serve_connections(&self.listener, MAX_CONNECTIONS, stop, serve) => {}
            () = self.sandbox.serve(self.address, sandbox) => {}
        }
    }
}

async fn connection(stream: TcpStream, served: Arc<SiteState>) {
    let addresses = stream.peer_addr().and_then(|client| Ok((client, stream.local_addr()?)));
    let Ok((client, server)) = addresses else { return };
    let peer = Peer::of(client, server);
    let service = service_fn(move |request| {
        let served = Arc::clone(&served);
        async move {
            let reply = answer(&served, request, peer).await;
            Ok::<_, Infallible>(reply.response(served.policy.clone()))
        }
    });
    serve_connection(stream, service, LIMITS, "page").await;
}

async fn answer(served: &SiteState, request: Request<Incoming>, peer: Peer) -> SiteReply {
    let method = match served.check.method(request.method(), request.uri(), request.headers(), peer) {
        Ok(method) => method,
        Err(refused) => return SiteReply::refused(&refused),
    };
    let path = request.uri().path().to_owned();
    let query = request.uri().query().unwrap_or_default().to_owned();
    match body(request).await {
        Ok(body) => Arc::clone(&served.site).answer(SiteRequest { method, path, query, body }).await,
        Err(refused) => SiteReply::refused(&refused),
    }
}

async fn body(request: Request<Incoming>) -> Result<Bytes, SiteRefusal> {
    let read = Limited::new(request.into_body(), MAX_BODY_BYTES).collect();
    match timeout(BODY_DEADLINE, read).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(_)) => Err(SiteRefusal {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            reason: "the body is too long or can't be read",
        }),
        Err(_) => Err(SiteRefusal {
            status: StatusCode::REQUEST_TIMEOUT,
            reason: "the body took too long to arrive",
        }),
    }
}
