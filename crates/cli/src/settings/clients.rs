//! How clients reach a server of ours.
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use overt_state::access_tokens::AccessTokens;
use overt_state::grants::ClientProcess;
use overt_transport::http::{self, TokenCheck};
use overt_transport::limits::Limits;

use crate::answerer::{ProcFiles, client_of};
use crate::args::ClientsArgs;

/// How clients reach us.
#[derive(Debug)]
pub(crate) enum Clients {
    /// The client started us. It is known by its process, where processes can be seen.
    Stdio(Option<ClientProcess>),
    Http(SocketAddr, Box<http::Options>),
}

/// The tokens of the state folder, as they are at each request.
#[derive(Debug)]
struct StoredTokens(AccessTokens);

impl TokenCheck for StoredTokens {
    fn is_valid(&self, token: &str) -> bool {
        self.0.is_valid(token)
    }
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

    /// `limits` are those towards the clients. The tokens of clients are in the `state` folder.
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
