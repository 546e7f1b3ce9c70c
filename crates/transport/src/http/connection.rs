//! One connection to a server outside the MCP endpoint: it serves requests one after the other,
//! within limits.
use std::convert::Infallible;
use std::error::Error;
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::service::Service;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;

use super::write_deadline::WriteDeadline;

/// The limits of one connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionLimits {
    /// How long a client may take for the headers of a request.
    pub(super) header_deadline: Duration,
    pub(super) header_bytes: usize,
    /// How long a client may read nothing of an answer.
    pub(super) write_deadline: Duration,
}

const MOST_HEADERS: usize = 100;

/// Serves requests until the connection ends. `whose` names the connection in the log if it breaks.
pub(super) async fn serve_connection<S, B>(
    stream: TcpStream,
    service: S,
    limits: ConnectionLimits,
    whose: &'static str,
) where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
    B: Body + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let io = TokioIo::new(WriteDeadline::new(stream, limits.write_deadline));
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_deadline)
        .max_buf_size(limits.header_bytes)
        .max_headers(MOST_HEADERS)
        .serve_connection(io, service);
    if let Err(error) = connection.await {
        tracing::debug!(%error, whose, "a connection broke");
    }
}
