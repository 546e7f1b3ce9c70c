//! Opens a connection to a server: TCP, and TLS on top of it for `https`. No proxy is taken from the environment.
use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Url;

use crate::client::error::ClientError;
use crate::tls;

/// Where a server is, and how to get there.
pub(super) struct Dial {
    host: String,
    port: u16,
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

/// A connection with or without TLS.
pub(super) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

// === impl Dial ===

impl Dial {
    pub(super) fn new(url: &Url) -> Result<Self, ClientError> {
        let wrong = |reason: &str| ClientError::Address {
            url: crate::client::target::shown(url.as_str()),
            reason: reason.to_owned(),
        };
        let host = url.host_str().ok_or_else(|| wrong("it has no host"))?;
        // The brackets of an IPv6 address belong to the URL, not to the address.
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = url.port_or_known_default().ok_or_else(|| wrong("it has no port"))?;
        let tls = match url.scheme() {
            "https" => {
                let name = ServerName::try_from(host.clone()).map_err(|_| wrong("its host is no name"))?;
                let trust =
                    tls::trusting_the_system().map_err(|error| ClientError::Tls { source: error.into() })?;
                Some((TlsConnector::from(Arc::new(trust)), name))
            }
            // Looking for the system's roots takes time.
            _ => None,
        };
        Ok(Self { host, port, tls })
    }

    pub(super) async fn connect(&self) -> Result<Stream, Box<dyn Error + Send + Sync>> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        // Without this, a request in two small writes waits for the server's delayed acknowledgement.
        stream.set_nodelay(true)?;
        match &self.tls {
            None => Ok(Stream::Plain(stream)),
            Some((connector, name)) => {
                Ok(Stream::Tls(Box::new(connector.connect(name.clone(), stream).await?)))
            }
        }
    }
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
