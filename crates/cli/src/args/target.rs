//! The server to talk to, and how to start or reach it.
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use overt_wire::era::Version;

use super::{AuthArgs, value};

/// The options of the target. The target itself is a URL (a positional of each command),
/// `--mcp-json`, or the command after `--`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Target options")]
pub(crate) struct TargetArgs {
    /// Take the server NAME from FILE, a client's file with `mcpServers` or `servers`
    #[arg(long, num_args = 2, value_names = ["FILE", "NAME"])]
    pub(crate) mcp_json: Option<Vec<OsString>>,

    /// Send this header with every request (URL targets). Secrets don't belong here: use
    /// --header-env
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,

    /// Send header NAME with the value of the environment variable VAR, which keeps it out of the
    /// process list
    #[arg(long, value_name = "NAME=VAR")]
    pub(crate) header_env: Vec<String>,

    /// Set a variable of a server that is a command; NAME alone passes on ours (repeatable)
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub(crate) env: Vec<String>,

    /// Set the variables of FILE in the server's environment, `NAME=VALUE` per line (repeatable);
    /// --env wins
    #[arg(long = "env-file", value_name = "FILE")]
    pub(crate) env_files: Vec<PathBuf>,

    /// Give the server our whole environment also with `run --http`, where it sees only a few
    /// variables otherwise
    #[arg(long)]
    pub(crate) inherit_env: bool,

    /// Start the server in this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Tell the server that it may work in DIR (repeatable); without it, it is told of no roots
    #[arg(long = "root", value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,

    /// How long one request may take, such as `500ms`, `30s` or `5m`; a bare number is seconds
    /// [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = value::duration)]
    pub(crate) timeout: Option<Duration>,

    /// The protocol version to speak; `auto` finds out
    #[arg(long, value_name = "VERSION", default_value = "auto", value_parser = value::protocol())]
    pub(crate) protocol: value::Auto<Version>,

    #[command(flatten)]
    pub(crate) auth: AuthArgs,

    /// The command that starts a stdio server, with its arguments
    #[arg(last = true, value_name = "CMD", help_heading = None)]
    pub(crate) command: Vec<OsString>,
}
