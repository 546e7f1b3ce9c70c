//! The tokens that an authorization server issued for one server, and for whom.
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use overt_transport::client::Secret;
use serde::{Deserialize, Serialize};

/// What is remembered of a login. It is written to the store as it stands here.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The server, for people who look into the store.
    pub server: String,
    pub client_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// Who issued the tokens. They are sent to no other server.
    #[serde(default)]
    pub issuer: Option<String>,
    pub access_token: String,
    #[serde(default)]
    pub refresh_token: Option<String>,
    #[serde(default)]
    pub scopes: Vec<String>,
    /// In seconds since 1970; nothing if the server did not say.
    #[serde(default)]
    pub expires_at: Option<u64>,
}

/// Seconds before its end at which a token is renewed, so that it does not end on the way.
const MARGIN: u64 = 30;

impl Grant {
    /// The value of `Authorization`.
    pub(super) fn authorization(&self) -> Secret {
        Secret::new(format!("Bearer {}", self.access_token))
    }

    /// Whether the token has ended or is about to.
    pub(super) fn is_old(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|end| end <= now + MARGIN)
    }

    pub(super) fn is_over(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant")
            .field("server", &self.server)
            .field("issuer", &self.issuer)
            .field("scopes", &self.scopes)
            .field("expires_at", &self.expires_at)
            .field("refreshable", &self.refresh_token.is_some())
            .finish_non_exhaustive()
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
