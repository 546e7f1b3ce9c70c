//! A second server with the names that the conformance suite expects, on the official Rust SDK, so
//! that `overt run` is not only tested with our own server. `rmcp_server --stdio`, or
//! `--http ADDRESS`.
mod serve; // standard input and output, or HTTP
mod suite; // what the tools share
mod server; // the server as the SDK requires it
mod catalogue; // the tools, their descriptions and schemas
mod plain; // tools that only answer
mod asking; // tools that ask a client of the older era
mod rounds; // tools that ask a client of the newer era
mod tasks; // tools that take long
mod things; // resources and prompts

use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--stdio"] => serve::stdio().await,
        ["--http", address] => serve::http(address.parse()?).await,
        _ => Err("usage: rmcp_server --stdio | --http ADDRESS".into()),
    }
}
