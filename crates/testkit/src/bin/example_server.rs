//! The example server as a program: `example-server --stdio`, or `--http ADDRESS`.
use std::error::Error;
use std::io::Write as _;
use std::net::SocketAddr;

use overt_transport::http::{Options, Server};
use overt_transport::limits::Limits;
use overt_transport::{signal, stdio};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .init();
    let handler = overt_disclosure::open(overt_testkit::example::toolbox()?)?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--stdio"] => {
            stdio::serve(handler, Limits::default(), signal::stop_requested()?).await?;
        }
        ["--http", address] => {
            let address: SocketAddr = address.parse()?;
            let server = Server::bind(address, Options::default()).await?;
            writeln!(std::io::stderr(), "listening on {}", server.url())?;
            server.serve(handler, signal::stop_requested()?).await;
        }
        _ => return Err("usage: example-server --stdio | --http ADDRESS".into()),
    }
    Ok(())
}
