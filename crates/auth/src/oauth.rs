//! Sends tokens of an authorization server with every request. The tokens are stored, renewed
//! before they expire or when they are refused, and extended when their scopes are insufficient.
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use overt_transport::client::{Credentials, CredentialsError, Refusal, RetryDecision, Secret};
use overt_wire::BoxFuture;
use rmcp::transport::auth::WWWAuthenticateParams;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use super::browser::Consent;
use super::error::AuthError;
use super::flows::{Flows, quietly};
use super::guard::{Lookup, System};
use super::issued_tokens::{IssuedTokens, now};
use super::oauth_settings::{Flow, OAuthSettings};
use super::store::TokenStore;

/// Authorization by OAuth for one server.
#[derive(Clone)]
pub struct OAuth(Arc<Shared>);

struct Shared {
    settings: OAuthSettings,
    consent: Consent,
    store: Arc<dyn TokenStore>,
    lookup: Arc<dyn Lookup>,
    tokens: RwLock<TokenState>,
    /// Held while the tokens are changed. Other tasks wait for it, and then read the tokens again.
    turn: Mutex<RenewalState>,
}

/// The tokens in use.
#[derive(Default)]
struct TokenState {
    /// Whether the store was read.
    is_loaded: bool,
    issued: Option<IssuedTokens>,
}

#[derive(Default)]
struct RenewalState {
    /// The newest token, and when it was obtained. If it is refused at once, another one would be
    /// refused too.
    newest: Option<(Secret, Instant)>,
    /// Scopes that the server required and that we requested. The same scopes are not requested
    /// twice.
    asked: Vec<String>,
}

/// Why new tokens are needed.
enum RenewalReason {
    /// The tokens are about to expire.
    Old,
    /// The server does not accept the tokens, or there are none.
    Refused { challenge: Option<String> },
    /// The server requires more scopes.
    TooLittle { challenge: String, scopes: Vec<String> },
}

/// How a renewal ended.
struct RenewalOutcome {
    next: RetryDecision,
    /// Whether the new tokens were saved for the next start.
    kept: Result<(), AuthError>,
}

/// A token that is refused this soon was not refused because of its age.
const FRESH: Duration = Duration::from_secs(10);
/// How long to wait for another process that holds the lock.
const LOCK_DEADLINE: Duration = Duration::from_secs(60);
const LOCK_PAUSE: Duration = Duration::from_millis(50);

// === impl OAuth ===

impl OAuth {
    /// Uses the tokens of the store, and obtains others as far as the settings and the consent
    /// allow.
    pub fn new(settings: OAuthSettings, consent: Consent, store: Arc<dyn TokenStore>) -> Self {
        Self::with_lookup(settings, consent, store, Arc::new(System))
    }

    pub(super) fn with_lookup(
        settings: OAuthSettings,
        consent: Consent,
        store: Arc<dyn TokenStore>,
        lookup: Arc<dyn Lookup>,
    ) -> Self {
        let (tokens, turn) = (RwLock::default(), Mutex::default());
        Self(Arc::new(Shared { settings, consent, store, lookup, tokens, turn }))
    }

    pub(super) fn settings(&self) -> &OAuthSettings {
        &self.0.settings
    }

    /// Obtains new tokens and saves them, even if there are tokens already.
    pub(super) async fn obtain(&self, challenge: Option<String>) -> Result<IssuedTokens, AuthError> {
        let shared = Arc::clone(&self.0);
        in_task(async move {
            let mut turn = shared.turn.lock().await;
            let issued = shared.ask(challenge.as_deref(), &[]).await?;
            shared.keep(&mut turn, issued.clone())?;
            Ok(issued)
        })
        .await
    }

    async fn renew(
        &self,
        sent: Option<Secret>,
        why: RenewalReason,
    ) -> Result<RetryDecision, CredentialsError> {
        let shared = Arc::clone(&self.0);
        let outcome = in_task(async move { shared.renew(sent, why).await }).await;
        match outcome {
            Ok(RenewalOutcome { next, kept }) => {
                if let Err(error) = kept {
                    tracing::warn!(%error, "new tokens can be used but not kept");
                }
                Ok(next)
            }
            Err(error) => {
                tracing::debug!(%error, "authorization failed");
                Err(error.for_request(&self.0.settings.how_to_log_in))
            }
        }
    }
}

impl Credentials for OAuth {
    fn authorization(&self) -> BoxFuture<'_, Result<Option<Secret>, CredentialsError>> {
        Box::pin(async {
            let shared = &self.0;
            // A failing store must not affect a server that needs no token. A server that needs one
            // will refuse us, and then the failure is reported.
            let Ok(Some(issued)) = shared.issued() else { return Ok(None) };
            let renewable = issued.refresh_token.is_some() || shared.settings.flow == Flow::ClientCredentials;
            if !issued.is_old(now()) || !renewable {
                return Ok(Some(issued.authorization()));
            }
            match self.renew(Some(issued.authorization()), RenewalReason::Old).await {
                // The old token may still be valid until renewing succeeds.
                Err(_) if !issued.is_over(now()) => Ok(Some(issued.authorization())),
                outcome => {
                    outcome?;
                    Ok(shared.issued().ok().flatten().map(|issued| issued.authorization()))
                }
            }
        })
    }

    fn refused<'a>(&'a self, refusal: &'a Refusal) -> BoxFuture<'a, Result<RetryDecision, CredentialsError>> {
        if refusal.is_by_overt() {
            let settings = &self.0.settings;
            let error = AuthError::NoLogin(settings.shown()).for_request(&settings.how_to_log_in);
            return Box::pin(async { Err(error) });
        }
        let why = why(refusal, &self.0.settings);
        Box::pin(self.renew(refusal.sent.clone(), why))
    }
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth").field("server", &self.0.settings.shown()).finish_non_exhaustive()
    }
}

// === impl Shared ===

impl Shared {
    /// Returns the tokens in use. Reads the store only if it was not read before.
    fn issued(&self) -> Result<Option<IssuedTokens>, AuthError> {
        {
            let tokens = self.tokens.read().unwrap_or_else(PoisonError::into_inner);
            if tokens.is_loaded {
                return Ok(tokens.issued.clone());
            }
        }
        self.load()
    }

    fn load(&self) -> Result<Option<IssuedTokens>, AuthError> {
        let issued = self.store.load()?;
        let mut tokens = self.tokens.write().unwrap_or_else(PoisonError::into_inner);
        *tokens = TokenState { is_loaded: true, issued: issued.clone() };
        Ok(issued)
    }

    async fn renew(&self, sent: Option<Secret>, why: RenewalReason) -> Result<RenewalOutcome, AuthError> {
        let mut turn = self.turn.lock().await;
        let is_other = |issued: &Option<IssuedTokens>| {
            issued
                .as_ref()
                .is_some_and(|issued| Some(issued.authorization()) != sent && !issued.is_old(now()))
        };
        // Another request or another process may have renewed the tokens while we waited.
        if is_other(&self.issued()?) {
            return Ok(RenewalOutcome::without_change(RetryDecision::TryAgain));
        }
        // Don't create a lock file for a server without a login.
        if self.store.load()?.is_none() && !self.can_ask() {
            return Err(AuthError::NotLoggedIn(self.settings.shown()));
        }
        let _lock = self.lock().await?;
        let issued = self.load()?;
        if is_other(&issued) {
            return Ok(RenewalOutcome::without_change(RetryDecision::TryAgain));
        }
        let is_fresh =
            |(newest, at): &(Secret, Instant)| sent.as_ref() == Some(newest) && at.elapsed() < FRESH;
        let issued = match why {
            RenewalReason::TooLittle { challenge, scopes } => {
                if scopes.iter().all(|scope| turn.asked.contains(scope)) {
                    return Ok(RenewalOutcome::without_change(RetryDecision::GiveUp));
                }
                let wanted = scopes.join(" ");
                let mut all = issued.map(|issued| issued.scopes).unwrap_or_default();
                all.extend(scopes.iter().filter(|scope| !all.contains(scope)).cloned().collect::<Vec<_>>());
                turn.asked.extend(scopes);
                let asked = self.ask(Some(&challenge), &all).await;
                asked.map_err(|error| match error {
                    AuthError::NotLoggedIn(_) => AuthError::TooLittle(wanted),
                    other => other,
                })?
            }
            RenewalReason::Refused { .. } if turn.newest.as_ref().is_some_and(is_fresh) => {
                return Ok(RenewalOutcome::without_change(RetryDecision::GiveUp));
            }
            RenewalReason::Old => self.refresh_or_ask(issued.as_ref(), None).await?,
            RenewalReason::Refused { challenge } => {
                self.refresh_or_ask(issued.as_ref(), challenge.as_deref()).await?
            }
        };
        Ok(RenewalOutcome { next: RetryDecision::TryAgain, kept: self.keep(&mut turn, issued) })
    }

    async fn refresh_or_ask(
        &self,
        old: Option<&IssuedTokens>,
        challenge: Option<&str>,
    ) -> Result<IssuedTokens, AuthError> {
        let renewable = old.filter(|issued| issued.refresh_token.is_some());
        if let Some(old) = renewable
            && let Some(new) = self.flows().refresh(old).await?
        {
            return Ok(new);
        }
        let asked = self.ask(challenge, &[]).await;
        asked.map_err(|error| match error {
            AuthError::NotLoggedIn(server) if old.is_some() => AuthError::Ended(server),
            other => other,
        })
    }

    /// Obtains tokens with a new login.
    async fn ask(&self, challenge: Option<&str>, scopes: &[String]) -> Result<IssuedTokens, AuthError> {
        match (self.settings.flow, &self.consent) {
            (Flow::ClientCredentials, _) => self.flows().client_credentials(challenge, scopes).await,
            (Flow::Code, Consent::Ask(browser)) => {
                self.flows().code(browser.as_ref(), challenge, scopes).await
            }
            (Flow::Code, Consent::Never) => Err(AuthError::NotLoggedIn(self.settings.shown())),
        }
    }

    fn can_ask(&self) -> bool {
        self.settings.flow == Flow::ClientCredentials || matches!(self.consent, Consent::Ask(_))
    }

    fn keep(&self, turn: &mut RenewalState, issued: IssuedTokens) -> Result<(), AuthError> {
        turn.newest = Some((issued.authorization(), Instant::now()));
        let saved = self.store.save(&issued);
        // Use the tokens even if they can't be saved.
        *self.tokens.write().unwrap_or_else(PoisonError::into_inner) =
            TokenState { is_loaded: true, issued: Some(issued) };
        saved.map_err(AuthError::from)
    }

    async fn lock(&self) -> Result<Box<dyn Send>, AuthError> {
        let until = Instant::now() + LOCK_DEADLINE;
        loop {
            match self.store.try_lock()? {
                Some(lock) => return Ok(lock),
                None if Instant::now() > until => return Err(AuthError::Locked),
                None => sleep(LOCK_PAUSE).await,
            }
        }
    }

    fn flows(&self) -> Flows<'_> {
        Flows { settings: &self.settings, lookup: Arc::clone(&self.lookup) }
    }
}

// === impl RenewalOutcome ===

impl RenewalOutcome {
    fn without_change(next: RetryDecision) -> Self {
        Self { next, kept: Ok(()) }
    }
}

/// Runs the work in its own task, so that a dropped request does not lose tokens that were just
/// issued.
async fn in_task<T: Send + 'static>(
    work: impl Future<Output = Result<T, AuthError>> + Send + 'static,
) -> Result<T, AuthError> {
    tokio::spawn(quietly(work)).await.unwrap_or(Err(AuthError::Internal))
}

/// Returns the reason in a refusal, based on its most informative challenge.
fn why(refusal: &Refusal, settings: &OAuthSettings) -> RenewalReason {
    let parsed = |challenge: &String| WWWAuthenticateParams::parse(challenge, &settings.url);
    if refusal.status == 403 {
        for challenge in &refusal.challenges {
            let parameters = parsed(challenge);
            if parameters.is_insufficient_scope() {
                let scopes = parameters.scope.unwrap_or_default();
                let scopes = scopes.split_whitespace().map(str::to_owned).collect();
                return RenewalReason::TooLittle { challenge: challenge.clone(), scopes };
            }
        }
    }
    let pointing =
        refusal.challenges.iter().find(|challenge| parsed(challenge).resource_metadata_url.is_some());
    RenewalReason::Refused { challenge: pointing.or(refusal.challenges.first()).cloned() }
}
