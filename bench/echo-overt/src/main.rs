//! An echo server written with the Toolbox, as an author would write it: nothing is tuned for the
//! measurement.
//!
//! `echo-overt --stdio`, or `echo-overt --http ADDR`, which announces its URL on standard error.
//! `--tools N` before these adds N more tools that do the same.

use std::error::Error;

use overt_toolbox::{Content, Context, Server, Tool, ToolError, Toolbox};
use overt_transport::{http, limits::Limits, signal, stdio};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    message: String,
}

async fn echo(input: Echo, _context: Context) -> Result<Vec<Content>, ToolError> {
    Ok(vec![Content::text(&input.message)])
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let more: usize = match args.as_slice() {
        [option, number, ..] if option == "--tools" => number.parse()?,
        _ => 0,
    };
    args.drain(..if more > 0 { 2 } else { 0 });
    let tool = Tool::content("echo", "Returns the message", echo);
    let mut toolbox =
        Toolbox::new(Server::new("echo-overt", "0.1.0", "Use `echo` to get a message back.")).tool(tool);
    for number in 0..more {
        let description = format!("Returns the message, as `echo` does; this is copy {number}");
        toolbox = toolbox.tool(Tool::content(&format!("echo_{number}"), &description, echo));
    }
    let handler = overt_layers::open(toolbox.build()?);
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--stdio"] => {
            stdio::serve(handler, Limits::default(), signal::stop_requested()?).await?;
        }
        ["--http", address] => {
            let server = http::Server::bind(address.parse()?, http::Options::default()).await?;
            announce(&server.url());
            server.serve(handler, signal::stop_requested()?).await;
        }
        _ => return Err("usage: echo-overt [--tools N] (--stdio | --http ADDR)".into()),
    }
    Ok(())
}

#[expect(clippy::print_stderr, reason = "whoever starts it has to learn the port")]
fn announce(url: &str) {
    eprintln!("listening on {url}");
}
