//! A client on the official Rust SDK, as a peer for the tests:
//!
//! `rmcp_client call legacy|modern TOOL ARGUMENTS (URL | CMD ARGS...)`,
//! `rmcp_client calls legacy|modern ANSWER CALLS (URL | CMD ARGS...)`,
//! `rmcp_client ask legacy|modern REQUESTS (URL | CMD ARGS...)`.
mod connection; // connecting to a program or a URL
mod call; // lists and one call
mod calls; // several calls, with answers for the person
mod ask; // several requests of any method

use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The SDK's HTTP client needs a TLS provider even if it does not use TLS.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["call", era, tool, arguments, target @ ..] => call::make(era, tool, arguments, target).await,
        ["calls", era, answer, calls, target @ ..] => calls::make(era, answer, calls, target).await,
        ["ask", era, requests, target @ ..] => ask::make(era, requests, target).await,
        _ => Err(
            "usage: rmcp_client call ERA TOOL ARGUMENTS TARGET | calls ERA ANSWER CALLS TARGET | ask ERA \
                  REQUESTS TARGET"
                .into(),
        ),
    }
}
