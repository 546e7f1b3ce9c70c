//! How clients reach a server of ours.
use std::net::SocketAddr;

use overt_transport::http;
use overt_transport::limits::Limits;

use crate::args::ClientsArgs;

/// How clients reach us.
#[derive(Debug)]
pub(crate) enum Clients {
    Stdio,
    Http(SocketAddr, Box<http::Options>),
}

impl Clients {
    /// `limits` with what the arguments say about clients.
    pub(super) fn limits(args: &ClientsArgs, limits: &Limits) -> Limits {
        Limits {
            drain: args.drain.unwrap_or(limits.drain),
            longest_request: args.max_timeout.unwrap_or(limits.longest_request),
            ..limits.clone()
        }
    }

    /// `limits` are those towards the clients.
    pub(super) fn resolve(args: &ClientsArgs, limits: &Limits) -> Self {
        let Some(address) = args.http else { return Self::Stdio };
        let options = http::Options {
            path: format!("/{}", args.path.trim_start_matches('/')),
            allowed_hosts: args.allowed_hosts.clone(),
            allowed_origins: args.allowed_origins.clone(),
            public_url: args.public_url.clone(),
            limits: limits.clone(),
            ..http::Options::default()
        };
        Self::Http(address, Box::new(options))
    }
}
