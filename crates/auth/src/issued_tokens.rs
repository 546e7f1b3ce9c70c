//! The tokens that an authorization server issued for one server, and their issuer.
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use overt_transport::client::Secret;
use serde::{Deserialize, Serialize};

/// The result of a login. It is serialized to the store in this form.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssuedTokens {
    /// The server's address, for people who read the store.
    pub server: String,
    pub client_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// The issuer of the tokens. They are renewed at no other authorization server.
    #[serde(default)]
    pub issuer: Option<String>,
    pub access_token: String,
    #[serde(default)]
    pub refresh_token: Option<String>,
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Expiry in seconds since 1970. `None` if the authorization server did not say.
    #[serde(default)]
    pub expires_at: Option<u64>,
}

/// How many seconds before its expiry a token is renewed, so that it does not expire in transit.
const MARGIN: u64 = 30;

impl IssuedTokens {
    /// Returns the value of the `Authorization` header.
    pub(super) fn authorization(&self) -> Secret {
        Secret::new(format!("Bearer {}", self.access_token))
    }

    /// Whether the token has expired or is about to.
    pub(super) fn is_old(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|end| end <= now + MARGIN)
    }

    pub(super) fn is_over(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

impl fmt::Debug for IssuedTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssuedTokens")
            .field("server", &self.server)
            .field("issuer", &self.issuer)
            .field("scopes", &self.scopes)
            .field("expires_at", &self.expires_at)
            .field("refreshable", &self.refresh_token.is_some())
            .finish_non_exhaustive()
    }
}

/// Returns the seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
