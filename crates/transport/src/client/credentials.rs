//! Authorization for an HTTP server: where the `Authorization` of a request comes from, and what
//! happens when the server refuses it. The transport does not know how tokens are obtained.
use std::error::Error;
use std::fmt;

use overt_wire::BoxFuture;

/// Provides the `Authorization` for the requests to one server.
///
/// One value serves all requests of a conversation, and they arrive concurrently. A token is
/// renewed once for all of them. The renewal continues when the request that started it is dropped.
pub trait Credentials: Send + Sync {
    /// Returns the value of `Authorization` for the next request, such as `Bearer …`, or `None` if
    /// there is none so far. It runs for each request, so it must be cheap unless a token has to be
    /// renewed.
    fn authorization(&self) -> BoxFuture<'_, Result<Option<Secret>, CredentialsError>>;

    /// Handles a refusal. The server has not executed the refused request. The request is sent once
    /// more if this returns [`RetryDecision::TryAgain`]; a second refusal is final.
    fn refused<'a>(&'a self, refusal: &'a Refusal) -> BoxFuture<'a, Result<RetryDecision, CredentialsError>>;
}

/// A secret text. It never appears in debug output and can't be printed by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

/// How a server refused a request.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// 401, or 403 if the server says that the token grants too little.
    pub status: u16,
    /// The values of `WWW-Authenticate`, as the server wrote them.
    pub challenges: Vec<String>,
    /// The authorization that was refused. If a newer one exists, another request has renewed it
    /// meanwhile.
    pub sent: Option<Secret>,
}

/// What to do after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryDecision {
    /// New credentials are available now.
    TryAgain,
    /// The server's answer is final.
    GiveUp,
}

/// An authorization could not be obtained. Neither text nor cause may contain a secret.
#[derive(Debug)]
pub struct CredentialsError {
    what: String,
    hint: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// The most challenges of one answer that are read, and the most bytes of each.
const MAX_CHALLENGES: usize = 8;
const MAX_CHALLENGE_BYTES: usize = 4 << 10;

// === impl Secret ===

impl Secret {
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The text itself. The caller must not log, show or forward it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

// === impl Refusal ===

impl Refusal {
    /// Reads an answer. Returns `None` if it is not a refusal that other credentials could change.
    pub(super) fn of<'a>(
        status: u16,
        challenges: impl Iterator<Item = &'a [u8]>,
        sent: Option<Secret>,
    ) -> Option<Self> {
        if !matches!(status, 401 | 403) {
            return None;
        }
        let challenges: Vec<_> = challenges
            .filter(|challenge| challenge.len() <= MAX_CHALLENGE_BYTES)
            .filter_map(|challenge| std::str::from_utf8(challenge).ok())
            .take(MAX_CHALLENGES)
            .map(str::to_owned)
            .collect();
        let too_little = challenges.iter().any(|challenge| challenge.contains("insufficient_scope"));
        (status == 401 || too_little).then_some(Self { status, challenges, sent })
    }

    /// Whether the server is an Overt, which knows its owner's tokens and has no way to log in.
    pub fn is_by_overt(&self) -> bool {
        self.challenges.iter().any(|challenge| challenge.starts_with(r#"Bearer realm="overt""#))
    }
}

// === impl CredentialsError ===

impl CredentialsError {
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), hint: None, source: None }
    }

    /// Adds a hint about what to do next.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    #[must_use]
    pub fn because_of(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for CredentialsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl Error for CredentialsError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_show() {
        let refusal =
            Refusal { status: 401, challenges: Vec::new(), sent: Some(Secret::new("Bearer t0ken")) };
        assert!(!format!("{refusal:?}").contains("t0ken"));
    }

    #[test]
    fn only_what_other_credentials_could_change_is_a_refusal() {
        let of = |status, challenge: &'static str| {
            Refusal::of(status, std::iter::once(challenge.as_bytes()), None)
        };
        assert!(of(401, "").is_some() && of(403, r#"Bearer error="insufficient_scope""#).is_some());
        assert!(of(403, r#"Bearer error="invalid_request""#).is_none() && of(404, "").is_none());
        let long = format!("Bearer {}", "x".repeat(MAX_CHALLENGE_BYTES));
        let many = std::iter::repeat_n("Bearer".as_bytes(), 20).chain([long.as_bytes(), b"\xff"]);
        assert_eq!(Refusal::of(401, many, None).unwrap().challenges.len(), MAX_CHALLENGES);
    }
}
