//! The user's choices for an authorization: server, flow, client and scopes.
use overt_transport::client::Secret;
use url::Url;

use super::guard::{PrivateAddresses, Rule};

/// The user's choices for an authorization.
#[derive(Debug, Clone)]
pub struct OAuthSettings {
    pub(super) url: Url,
    pub flow: Flow,
    /// Our client at the authorization server. `None` to register ourselves.
    pub client: Option<RegisteredClient>,
    /// A URL at which the authorization server can read our client metadata, instead of a
    /// registration.
    pub client_metadata_url: Option<String>,
    /// The scopes to request. Empty for those that the server says it needs.
    pub scopes: Vec<String>,
    pub private: PrivateAddresses,
    /// The port of our listener, for clients that are registered with a fixed one. 0 for any port.
    pub redirect_port: u16,
    /// How a user logs in, for the hints of errors.
    pub how_to_log_in: String,
}

/// How tokens are obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flow {
    /// A person agrees in a browser (authorization code with PKCE).
    #[default]
    Code,
    /// We have our own secret and need no consent.
    ClientCredentials,
}

/// A client that was registered with the authorization server beforehand.
#[derive(Debug, Clone)]
pub struct RegisteredClient {
    pub id: String,
    pub secret: Option<Secret>,
}

/// Why the settings can't be used.
#[derive(Debug, thiserror::Error)]
pub enum OAuthSettingsError {
    #[error("`{0}` is not an address of an MCP server")]
    Address(String),
    #[error("client credentials need the id and the secret of a client")]
    NoSecret,
}

impl OAuthSettings {
    /// The default: a person consents, we register ourselves, the server says which scopes it
    /// needs.
    pub fn new(url: &str) -> Result<Self, OAuthSettingsError> {
        let parsed = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let mut parsed = parsed.ok_or_else(|| OAuthSettingsError::Address(url.to_owned()))?;
        // User and password belong to the connection, not to the resource. They must not reach the
        // authorization server.
        let stripped = parsed.set_username("").and_then(|()| parsed.set_password(None));
        stripped.map_err(|()| OAuthSettingsError::Address(url.to_owned()))?;
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

    /// Returns the server's address as the store and the SDK use it.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the server's address without parts that may be secret.
    pub fn shown(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        url.into()
    }

    pub(super) fn rule(&self) -> Rule {
        Rule::new(self.url.clone(), self.private)
    }
}
