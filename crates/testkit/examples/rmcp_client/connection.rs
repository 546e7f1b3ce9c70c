//! The connection, and the report at its end.

use std::error::Error;
use std::process::Stdio;

use rmcp::ClientHandler;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::Value;
use tokio::process::{ChildStdin, ChildStdout};

pub(crate) fn lifecycle(era: &str) -> Result<ClientLifecycleMode, Box<dyn Error>> {
    match era {
        "legacy" => Ok(ClientLifecycleMode::Initialize),
        "modern" => {
            Ok(ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] })
        }
        _ => Err(format!("unknown era `{era}`; known are `legacy` and `modern`").into()),
    }
}

/// Connects a client that handles what the server sends with `handler`.
pub(crate) async fn connect<H: ClientHandler>(
    handler: H,
    lifecycle: ClientLifecycleMode,
    target: &[&str],
) -> Result<RunningService<RoleClient, H>, Box<dyn Error>> {
    let [first, rest @ ..] = target else { return Err("no target".into()) };
    if first.starts_with("http:") {
        let transport = StreamableHttpClientTransport::from_uri(*first);
        return Ok(handler.serve_with_lifecycle(transport, lifecycle).await?);
    }
    Ok(handler.serve_with_lifecycle(start(first, rest)?, lifecycle).await?)
}

/// Starts a server. It ends when its input ends, or with this program.
#[expect(clippy::disallowed_methods, reason = "this client uses none of our crates")]
fn start(program: &str, args: &[&str]) -> Result<(ChildStdout, ChildStdin), Box<dyn Error>> {
    let mut command = tokio::process::Command::new(program);
    let mut child =
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let streams = child.stdout.take().zip(child.stdin.take()).ok_or("the streams are piped")?;
    tokio::spawn(async move { child.wait().await });
    Ok(streams)
}

#[expect(clippy::print_stdout, reason = "the report is this program's output")]
pub(crate) fn print(report: &Value) {
    println!("{report}");
}
