//! What the user wants of an authorization: which server, which flow, as whom, for what.
use overt_transport::client::Secret;
use url::Url;

use super::guard::{PrivateAddresses, Rule};

/// An authorization as the user wants it.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) url: Url,
    pub flow: Flow,
    /// Who we are to the authorization server. Without it we register ourselves.
    pub client: Option<RegisteredClient>,
    /// An address at which the authorization server can read who we are, instead of a registration.
    pub client_metadata_url: Option<String>,
    /// What to ask for; empty means what the server says it needs.
    pub scopes: Vec<String>,
    pub private: PrivateAddresses,
    /// The port of our own listener, for clients that are registered with one; 0 means any.
    pub redirect_port: u16,
    /// What a user does to log in, for the hints of errors.
    pub how_to_log_in: String,
}

/// How tokens are got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flow {
    /// A person agrees in a browser (authorization code with PKCE).
    #[default]
    Code,
    /// We have a secret of our own and need no consent.
    ClientCredentials,
}

/// A client that was registered with the authorization server beforehand.
#[derive(Debug, Clone)]
pub struct RegisteredClient {
    pub id: String,
    pub secret: Option<Secret>,
}

/// The plan can't be carried out.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("`{0}` is not an address of an MCP server")]
    Address(String),
    #[error("client credentials need the id and the secret of a client")]
    NoSecret,
}

impl Plan {
    /// The usual: a person agrees, we register ourselves, the server says which scopes it needs.
    pub fn new(url: &str) -> Result<Self, PlanError> {
        let parsed = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let mut parsed = parsed.ok_or_else(|| PlanError::Address(url.to_owned()))?;
        // They belong to the connection, not to the resource, and must not reach the authorization server.
        let stripped = parsed.set_username("").and_then(|()| parsed.set_password(None));
        stripped.map_err(|()| PlanError::Address(url.to_owned()))?;
        parsed.set_fragment(None);
        Ok(Self {
            url: parsed,
            flow: Flow::Code,
            client: None,
            client_metadata_url: None,
            scopes: Vec::new(),
            private: PrivateAddresses::Refuse,
            redirect_port: 0,
            how_to_log_in: "log in first".into(),
        })
    }

    /// The server, as the store and the SDK know it.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The server without what may be secret in its address.
    pub fn shown(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        url.into()
    }

    pub(super) fn rule(&self) -> Rule {
        Rule::new(self.url.clone(), self.private)
    }
}
