//! How clients connect to one of our servers.
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use overt_state::access_tokens::AccessTokens;
use overt_state::grants::ClientProcess;
use overt_transport::http::{self, Authenticate};
use overt_transport::limits::Limits;
use overt_wire::{BoxFuture, Principal};

use crate::args::ClientsArgs;
use overt_operator::answerer::{ProcFiles, client_of};

/// The transport for clients.
#[derive(Debug)]
pub(crate) enum Clients {
    /// The client started this process. `None` if its process cannot be determined.
    Stdio(Option<ClientProcess>),
    Http(SocketAddr, Box<http::Options>),
}

/// The tokens in the state folder, read again at each request.
#[derive(Debug)]
struct StoredTokens(AccessTokens);

impl Authenticate for StoredTokens {
    fn token_holder<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Option<Principal>> {
        Box::pin(std::future::ready(self.0.holder(token)))
    }
}

impl Clients {
    /// Returns `limits` with the values that the arguments set for clients.
    pub(super) fn limits(args: &ClientsArgs, limits: &Limits) -> Limits {
        Limits {
            drain: args.drain.unwrap_or(limits.drain),
            longest_request: args.max_timeout.unwrap_or(limits.longest_request),
            ..limits.clone()
        }
    }

    /// `limits` apply towards clients. The `state` folder has the clients' tokens.
    pub(super) fn resolve(args: &ClientsArgs, limits: &Limits, state: &Path) -> Self {
        let Some(address) = args.http else {
            return Self::Stdio(client_of(&ProcFiles, std::process::id()));
        };
        let options = http::Options {
            path: format!("/{}", args.path.trim_start_matches('/')),
            allowed_hosts: args.allowed_hosts.clone(),
            allowed_origins: args.allowed_origins.clone(),
            public_url: args.public_url.clone(),
            tokens: Arc::new(StoredTokens(AccessTokens::of(state))),
            limits: limits.clone(),
            ..http::Options::default()
        };
        Self::Http(address, Box::new(options))
    }
}
