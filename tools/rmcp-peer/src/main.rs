//! A client and a server written with the official Rust SDK, as peers for the tests.
//!
//! `rmcp-peer serve --stdio`, `rmcp-peer serve --http ADDR`,
//! `rmcp-peer call legacy|modern TOOL ARGUMENTS (URL | CMD ARGS...)`,
//! `rmcp-peer calls legacy|modern ANSWER CALLS (URL | CMD ARGS...)`,
//! `rmcp-peer ask legacy|modern REQUESTS (URL | CMD ARGS...)`.

mod ask; // several requests of any method
mod calls; // several calls, with somebody who answers
mod client; // lists and calls, and prints what it got
mod server; // echoes

use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["serve", "--stdio"] => server::serve_stdio().await,
        ["serve", "--http", address] => server::serve_http(address).await,
        ["call", era, tool, arguments, target @ ..] if !target.is_empty() => {
            client::call(era, tool, arguments, target).await
        }
        ["calls", era, answer, calls, target @ ..] if !target.is_empty() => {
            calls::make(era, answer, calls, target).await
        }
        ["ask", era, requests, target @ ..] if !target.is_empty() => {
            ask::make(era, requests, target).await
        }
        _ => Err("usage: rmcp-peer serve (--stdio | --http ADDR) | call ERA TOOL ARGUMENTS TARGET | calls ERA ANSWER \
                  CALLS TARGET | ask ERA REQUESTS TARGET"
            .into()),
    }
}
