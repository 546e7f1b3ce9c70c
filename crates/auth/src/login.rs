//! Logs in before there is a conversation: asks the server for its authorization server, then asks
//! a person for consent.
use std::sync::{Arc, Mutex, PoisonError};

use overt_transport::client::{
    Client, ClientError, ClientOptions, Credentials, CredentialsError, HttpTarget, Refusal, RetryDecision,
    Secret, SilentListener, Target,
};
use overt_wire::BoxFuture;

use super::error::AuthError;
use super::issued_tokens::IssuedTokens;
use super::oauth::OAuth;

/// Obtains new tokens for the server and saves them, even if there are tokens already. `target`
/// says how to reach the server; its own credentials are not used.
pub async fn login(
    oauth: &OAuth,
    target: &HttpTarget,
    options: ClientOptions,
) -> Result<IssuedTokens, AuthError> {
    let probe = Arc::new(ChallengeProbe::default());
    let credentials: Arc<dyn Credentials> = Arc::<ChallengeProbe>::clone(&probe);
    let target = HttpTarget { credentials: Some(credentials), ..target.clone() };
    match Client::connect(&Target::Http(target), options, Arc::new(SilentListener)).await {
        // Some servers require a token only for later requests.
        Ok(client) => client.close().await,
        Err(ClientError::Status { status: 401 | 403, .. }) => {}
        Err(error) => return Err(AuthError::Server(Box::new(error))),
    }
    let refusal = probe.refusal();
    if refusal.as_ref().is_some_and(Refusal::is_by_overt) {
        return Err(AuthError::NoLogin(oauth.settings().shown()));
    }
    tracing::debug!(server = oauth.settings().shown(), "logging in");
    oauth.obtain(refusal.as_ref().and_then(challenge)).await
}

/// Sends no token, to receive the server's challenge.
#[derive(Default)]
struct ChallengeProbe(Mutex<Option<Refusal>>);

/// Returns the most informative challenge.
fn challenge(refusal: &Refusal) -> Option<String> {
    let pointing = refusal.challenges.iter().find(|challenge| challenge.contains("resource_metadata"));
    pointing.or(refusal.challenges.first()).cloned()
}

impl ChallengeProbe {
    fn refusal(&self) -> Option<Refusal> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Credentials for ChallengeProbe {
    fn authorization(&self) -> BoxFuture<'_, Result<Option<Secret>, CredentialsError>> {
        Box::pin(async { Ok(None) })
    }

    fn refused<'a>(&'a self, refusal: &'a Refusal) -> BoxFuture<'a, Result<RetryDecision, CredentialsError>> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal.clone());
        Box::pin(async { Ok(RetryDecision::GiveUp) })
    }
}
