//! How clients connect to one of our servers: options of the commands that serve.
use std::net::SocketAddr;
use std::time::Duration;

use clap::{Args, builder::NonEmptyStringValueParser};
use overt_transport::http::PublicUrl;

use super::value;

#[derive(Debug, Args)]
pub(crate) struct ClientsArgs {
    /// Serve clients over Streamable HTTP on this address, such as 127.0.0.1:8080; port 0 takes a
    /// free one
    #[arg(long, value_name = "ADDR", value_parser = value::address)]
    pub(crate) http: Option<SocketAddr>,

    /// The path of the endpoint
    #[arg(long, value_name = "PATH", default_value = "/mcp", requires = "http", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) path: String,

    /// A further `Host` that requests may name, for a name that this machine has (repeatable)
    #[arg(long = "allow-host", value_name = "HOST", requires = "http")]
    pub(crate) allowed_hosts: Vec<String>,

    /// A further `Origin` that requests may come from, for web pages that may use the server
    /// (repeatable)
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http")]
    pub(crate) allowed_origins: Vec<String>,

    /// The URL of the endpoint behind a proxy, for documents and as a further `Host`
    #[arg(long, value_name = "URL", requires = "http")]
    pub(crate) public_url: Option<PublicUrl>,

    /// How long a request may take that reports progress again and again [default: 30m]
    #[arg(long, value_name = "TIME", value_parser = value::duration)]
    pub(crate) max_timeout: Option<Duration>,

    /// How long requests may take after Ctrl-C or SIGTERM; then they get an error [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = value::duration)]
    pub(crate) drain: Option<Duration>,
}
