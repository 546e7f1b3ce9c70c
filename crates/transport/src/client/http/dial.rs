//! Opens a connection to a server: directly or through a proxy, with TLS for `https`.
use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper::header::HeaderValue;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tower_service::Service;
use url::Url;

use super::proxy::{Proxies, Route};
use crate::client::error::ClientError;
use crate::client::shown_url::shown_url;
use crate::tls;

/// The address of a server and the route to it.
pub(super) struct Dial {
    /// Scheme, host and port.
    target: Uri,
    connector: HttpConnector,
    route: Route,
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

/// A connection with or without TLS.
pub(super) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

type Failure = Box<dyn Error + Send + Sync>;

/// After this time without traffic, the system tests the connection.
const KEEPALIVE: Duration = Duration::from_secs(60);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);
const KEEPALIVE_RETRIES: u32 = 3;

// === impl Dial ===

impl Dial {
    /// Prepares connections. `deadline` applies to each attempt to connect.
    pub(super) fn new(url: &Url, proxies: &Proxies, deadline: Duration) -> Result<Self, ClientError> {
        let shown = || shown_url(url.as_str());
        let wrong = |reason: &str| ClientError::Address { url: shown(), reason: reason.to_owned() };
        let host = url.host_str().ok_or_else(|| wrong("it has no host"))?;
        let port = url.port_or_known_default().ok_or_else(|| wrong("it has no port"))?;
        let target = format!("{}://{host}:{port}/", url.scheme()).parse::<Uri>();
        let target = target.map_err(|_| wrong("its host can't stand in a request"))?;
        let tls = match url.scheme() {
            "https" => {
                // The brackets of an IPv6 address belong to the URL, not to the address.
                let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
                let name = ServerName::try_from(host).map_err(|_| wrong("its host is not a name"))?;
                let trust =
                    tls::trusting_the_system().map_err(|error| ClientError::Tls { source: error.into() })?;
                Some((TlsConnector::from(Arc::new(trust)), name))
            }
            // No TLS setup without `https`, because loading the system's roots takes time.
            _ => None,
        };
        let connector = configured(HttpConnector::new(), deadline);
        let route = proxies
            .route(&target, &connector)
            .map_err(|error| ClientError::Connect { url: shown(), source: error.into() })?;
        Ok(Self { target, connector, route, tls })
    }

    /// The authorization for a proxy that forwards requests; `None` if there is no such proxy.
    /// Forwarded requests contain the complete URL.
    pub(super) fn forwarding(&self) -> Option<Option<&HeaderValue>> {
        match &self.route {
            Route::Forward { authorization, .. } => Some(authorization.as_ref()),
            _ => None,
        }
    }

    pub(super) async fn connect(&self) -> Result<Stream, Failure> {
        let target = self.target.clone();
        let stream = match &self.route {
            Route::Direct => call(self.connector.clone(), target).await?,
            Route::Forward { proxy, .. } => call(self.connector.clone(), proxy.clone()).await?,
            Route::Tunnel(tunnel) => call(tunnel.clone(), target).await?,
            Route::Socks(socks) => call(socks.clone(), target).await?,
        };
        match &self.tls {
            None => Ok(Stream::Plain(stream)),
            Some((connector, name)) => {
                Ok(Stream::Tls(Box::new(connector.connect(name.clone(), stream).await?)))
            }
        }
    }
}

/// Configures a connector. It tries both address families, the second one shortly after the first.
/// Several addresses of one family share the deadline.
fn configured<R>(mut connector: HttpConnector<R>, deadline: Duration) -> HttpConnector<R> {
    connector.enforce_http(false);
    connector.set_connect_timeout(Some(deadline));
    connector.set_keepalive(Some(KEEPALIVE));
    connector.set_keepalive_interval(Some(KEEPALIVE_INTERVAL));
    connector.set_keepalive_retries(Some(KEEPALIVE_RETRIES));
    // Without this, a request in two small writes waits for the server's delayed acknowledgement.
    connector.set_nodelay(true);
    connector
}

async fn call<S>(mut connector: S, to: Uri) -> Result<TcpStream, Failure>
where
    S: Service<Uri, Response = TokioIo<TcpStream>>,
    S::Error: Into<Failure>,
{
    std::future::poll_fn(|context| connector.poll_ready(context)).await.map_err(Into::into)?;
    connector.call(to).await.map(TokioIo::into_inner).map_err(Into::into)
}

// === impl Stream ===

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write_vectored(context, parts),
            Self::Tls(stream) => Pin::new(stream).poll_write_vectored(context, parts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{Ready, ready};
    use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
    use std::time::Instant;

    use hyper_util::client::legacy::connect::dns::Name;
    use tokio::net::{TcpListener, TcpSocket};

    use super::*;

    /// Resolves a name to these addresses.
    #[derive(Clone)]
    struct Addresses(Vec<SocketAddr>);

    impl Service<Name> for Addresses {
        type Response = std::vec::IntoIter<SocketAddr>;
        type Error = io::Error;
        type Future = Ready<io::Result<Self::Response>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Name) -> Self::Future {
            ready(Ok(self.0.clone().into_iter()))
        }
    }

    /// Returns an address that does not answer attempts to connect, because its queue is full. The
    /// connections and the listener keep it full.
    async fn black_hole(address: SocketAddr) -> (SocketAddr, Vec<TcpStream>, TcpListener) {
        let socket = if address.is_ipv6() { TcpSocket::new_v6() } else { TcpSocket::new_v4() }.unwrap();
        socket.bind(address).unwrap();
        let listener = socket.listen(0).unwrap();
        let address = listener.local_addr().unwrap();
        let mut filling = Vec::new();
        while let Ok(Ok(stream)) =
            tokio::time::timeout(Duration::from_millis(200), TcpStream::connect(address)).await
        {
            filling.push(stream);
        }
        (address, filling, listener)
    }

    #[tokio::test]
    async fn g_50_a_black_holed_address_does_not_hide_the_other_ones() {
        let good = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let good = (good.local_addr().unwrap(), good);
        let six = SocketAddr::from((Ipv6Addr::LOCALHOST, 0));
        let four = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        for address in [six, four] {
            let Ok(probe) = std::net::TcpListener::bind(address) else {
                // This machine has no IPv6.
                continue;
            };
            drop(probe);
            let (hole, ..) = &black_hole(address).await;
            let resolver = Addresses(vec![*hole, good.0]);
            let connector = configured(HttpConnector::new_with_resolver(resolver), Duration::from_secs(4));
            let began = Instant::now();
            // The URL has no port, so the resolver's ports are used.
            let stream = call(connector, "http://example.test/".parse().unwrap()).await.unwrap();
            assert_eq!(stream.peer_addr().unwrap(), good.0);
            assert!(stream.nodelay().unwrap());
            let limit = if address.is_ipv6() { 1500 } else { 3500 };
            assert!(began.elapsed() < Duration::from_millis(limit), "{:?} for {address}", began.elapsed());
        }
    }
}
