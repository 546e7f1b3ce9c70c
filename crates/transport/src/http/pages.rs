//! Small pages for machines (health, metrics) on a separate address, apart from the MCP endpoint
//! (HTTP-16). They are read-only: no request changes anything.
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use tokio::net::{TcpListener, TcpStream};

use super::connection::{ConnectionLimits, serve_connection};
use super::documents::not_for_display;
use super::guard::Guard;
use super::server::{BindError, Exposure, listen, serve_connections};

/// The pages of a server.
pub trait Pages: Send + Sync + 'static {
    /// Returns the page at a path, or `None`. It runs for each request, so it must be fast.
    fn page(&self, path: &str) -> Option<Page>;
}

/// One page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub status: u16,
    pub content_type: &'static str,
    pub text: String,
}

/// A bound address that is not serving yet.
#[derive(Debug)]
pub struct PageServer {
    listener: TcpListener,
    address: SocketAddr,
    guard: Guard,
}

/// Health and metrics are answered at once, so a few connections are enough.
const MAX_CONNECTIONS: usize = 16;
const LIMITS: ConnectionLimits = ConnectionLimits {
    header_deadline: Duration::from_secs(10),
    header_bytes: 16 << 10,
    write_deadline: Duration::from_secs(10),
};

impl PageServer {
    /// Listens on loopback, or where the exposure allows. `hosts` are additional names that are
    /// allowed. Where every host may connect, every IP address is allowed too, because DNS
    /// rebinding needs a name.
    pub async fn bind(address: SocketAddr, exposure: Exposure, hosts: &[String]) -> Result<Self, BindError> {
        let (listener, address) = listen(address, exposure).await?;
        let guard = Guard::new(address, hosts, &[]);
        let guard = if exposure == Exposure::Anywhere { guard.with_any_address() } else { guard };
        Ok(Self { listener, address, guard })
    }

    /// The bound address, with the port that the system chose.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` completes. Open connections are not drained, because pages are short.
    pub async fn serve(self, pages: Arc<dyn Pages>, stop: impl Future<Output = ()>) {
        let guard = Arc::new(self.guard);
        let serve = |stream| connection(stream, Arc::clone(&guard), Arc::clone(&pages));
        serve_connections(&self.listener, MAX_CONNECTIONS, stop, serve).await;
    }
}

async fn connection(stream: TcpStream, guard: Arc<Guard>, pages: Arc<dyn Pages>) {
    let service = service_fn(move |request| {
        let response = answer(&guard, pages.as_ref(), &request);
        std::future::ready(Ok::<_, Infallible>(response))
    });
    serve_connection(stream, service, LIMITS, "status address").await;
}

fn answer(guard: &Guard, pages: &dyn Pages, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    if let Err(away) = guard.check(request.uri(), request.headers()) {
        return response(&plain(away.status, away.reason));
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response = response(&plain(StatusCode::METHOD_NOT_ALLOWED, "this page can only be read"));
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    let page = pages.page(request.uri().path());
    // hyper removes the body of an answer to `HEAD`.
    response(&page.unwrap_or_else(|| plain(StatusCode::NOT_FOUND, "no such page")))
}

fn plain(status: StatusCode, text: &str) -> Page {
    Page { status: status.as_u16(), content_type: "text/plain; charset=utf-8", text: format!("{text}\n") }
}

fn response(page: &Page) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::copy_from_slice(page.text.as_bytes())));
    *response.status_mut() = StatusCode::from_u16(page.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(page.content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    not_for_display(headers);
    response
}
