//! Telemetry: options of the commands that serve clients.
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::value::address;

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Observability options")]
pub(crate) struct TelemetryArgs {
    /// What to log on standard error: `off`, `error`, `warn`, `info` (one line per request),
    /// `debug`, `trace`, or a filter such as `warn,overt_gateway=debug`. Never what the messages
    /// hold [env: OVERT_LOG] [default: warn]
    #[arg(long, value_name = "LEVEL|FILTER")]
    pub(crate) log: Option<String>,

    /// How log lines are written
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,

    /// Append the conversation to FILE, one JSON object per line, with secrets taken out
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Send a span per request to this OpenTelemetry collector (OTLP over HTTP, JSON), such as
    /// `http://localhost:4318` [env: OTEL_EXPORTER_OTLP_ENDPOINT]
    #[arg(long, value_name = "URL")]
    pub(crate) otlp: Option<String>,

    /// Serve `/healthz`, `/readyz` and `/metrics` (Prometheus) on this address, such as
    /// `127.0.0.1:9090`
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub(crate) status: Option<SocketAddr>,

    /// Let --status listen on an address that other machines reach; nothing asks them who they are
    #[arg(long, requires = "status")]
    pub(crate) status_anywhere: bool,

    /// Also answer on the status address when it is asked for under this name, such as
    /// `status.example.com:9090` (repeatable)
    #[arg(long = "status-host", value_name = "HOST", requires = "status")]
    pub(crate) status_hosts: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// A line for people
    #[default]
    Text,
    /// A JSON object per line
    Json,
}
