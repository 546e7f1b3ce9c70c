//! The server over standard input and output, or over Streamable HTTP.
use std::convert::Infallible;
use std::error::Error;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::ServiceExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::suite::Suite;

type Failure = Box<dyn Error + Send + Sync>;

pub(crate) async fn stdio() -> Result<(), Failure> {
    Suite::new().serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}

pub(crate) async fn http(address: SocketAddr) -> Result<(), Failure> {
    // All sessions share one suite, so that a change by one of them reaches the others.
    let suite = Suite::new();
    let service = StreamableHttpService::new(
        move || Ok(suite.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = TcpListener::bind(address).await?;
    writeln!(std::io::stderr(), "listening on http://{}/mcp", listener.local_addr()?)?;
    loop {
        let (socket, _) = listener.accept().await?;
        // The SDK sends an answer in two small writes. Without this, the second would wait for an
        // acknowledgement.
        socket.set_nodelay(true)?;
        let service = service.clone();
        let answer = service_fn(move |request| {
            let service = service.clone();
            async move { Ok::<_, Infallible>(service.handle(request).await) }
        });
        let mut connection = hyper::server::conn::http1::Builder::new();
        connection.timer(TokioTimer::new());
        tokio::spawn(connection.serve_connection(TokioIo::new(socket), answer));
    }
}
