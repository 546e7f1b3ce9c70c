//! The flows that obtain tokens. The OAuth client of the official SDK finds the authorization
//! server and talks to it through our guarded HTTP client.
//!
//! The SDK writes codes and some tokens to its debug log and quotes answers in its errors. Callers
//! must run these flows without a log subscriber ([`quietly`]). The SDK's texts don't leave this
//! file.
use std::sync::Arc;

use overt_transport::client::Secret;
use rmcp::transport::auth::{
    AuthError as SdkError, AuthorizationManager, AuthorizationRequest, AuthorizationSession,
    ClientCredentialsConfig, CredentialStore as _, InMemoryCredentialStore, OAuthClientConfig,
    OAuthHttpClient, OAuthTokenResponse, StoredCredentials,
};
use serde::Deserialize;
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;
use url::Url;

use super::browser::{Browser, page};
use super::error::AuthError;
use super::guard::{Guarded, Lookup, Problem};
use super::issued_tokens::{IssuedTokens, now};
use super::oauth_settings::OAuthSettings;
use super::redirect::{self, Redirect};

/// Runs the flows of one authorization.
pub(super) struct Flows<'a> {
    pub(super) settings: &'a OAuthSettings,
    pub(super) lookup: Arc<dyn Lookup>,
}

/// An authorization server that was found, with the SDK's client for it.
struct AuthorizationServer {
    manager: AuthorizationManager,
    http: Arc<Guarded>,
    issuer: Option<String>,
    authorization_endpoint: String,
    /// Whether its metadata says that it supports PKCE with S256.
    has_pkce: bool,
}

/// The parts of a token response that we use.
#[derive(Deserialize)]
struct TokenResponse {
    access_token: String,
    token_type: String,
    expires_in: Option<u64>,
    refresh_token: Option<String>,
    scope: Option<String>,
}

/// Runs `work` without logging anything.
pub(super) async fn quietly<T>(work: impl Future<Output = T>) -> T {
    work.with_subscriber(NoSubscriber::default()).await
}

impl Flows<'_> {
    /// Obtains tokens with a person's consent. `scopes`, if any, replace those of the settings.
    pub(super) async fn code(
        &self,
        browser: &dyn Browser,
        challenge: Option<&str>,
        scopes: &[String],
    ) -> Result<IssuedTokens, AuthError> {
        let AuthorizationServer { manager, http, issuer, authorization_endpoint, has_pkce } =
            self.find(challenge).await?;
        // The SDK goes on if the metadata says nothing about it; the specification forbids that.
        if !has_pkce {
            return Err(AuthError::NoPkce);
        }
        page(&self.settings.rule(), &authorization_endpoint)?;
        let redirect = Redirect::listen(self.settings.redirect_port).await?;
        let request = self.request(redirect.uri(), scopes);
        let session = AuthorizationSession::new(manager, request).await;
        let session = session.map_err(|(_, error)| self.failed(&error, &http))?;
        let address = page(&self.settings.rule(), session.get_authorization_url())?;
        let parameter = |name: &str| {
            address.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
        };
        let (Some(state), Some(client_id)) = (parameter("state"), parameter("client_id")) else {
            return Err(AuthError::Internal);
        };
        let asked: Vec<String> = words(parameter("scope").as_deref());
        browser.show(address.as_str()).await.map_err(AuthError::Browser)?;
        let answer = redirect.answer(&state, redirect::DEADLINE).await?;
        let tokens = session
            .handle_callback_with_issuer(&answer.code, &state, answer.issuer.as_deref())
            .await
            .map_err(|error| self.failed(&error, &http))?;
        // Keep a secret that we received at registration, but not one that the user provided.
        let secret = http.take_registered().filter(|_| self.settings.client.is_none());
        self.issued(&tokens, client_id, secret.as_ref().map(Secret::expose), issuer, &asked)
    }

    /// Obtains tokens with our own client secret.
    pub(super) async fn client_credentials(
        &self,
        challenge: Option<&str>,
        scopes: &[String],
    ) -> Result<IssuedTokens, AuthError> {
        let client = self.settings.client.as_ref();
        let (Some(client), Some(secret)) = (client, client.and_then(|client| client.secret.as_ref())) else {
            return Err(super::oauth_settings::OAuthSettingsError::NoSecret.into());
        };
        let AuthorizationServer { mut manager, http, issuer, .. } = self.find(challenge).await?;
        let scopes = match (scopes, self.settings.scopes.as_slice()) {
            ([], []) => manager.select_initial_scopes(&[]).await,
            ([], configured) => configured.to_vec(),
            (wanted, _) => wanted.to_vec(),
        };
        let mut config = ClientCredentialsConfig::ClientSecret {
            client_id: client.id.clone(),
            client_secret: secret.expose().to_owned(),
            scopes: scopes.clone(),
            resource: None,
        };
        manager.configure_client_credentials(&config).map_err(|error| self.failed(&error, &http))?;
        if let ClientCredentialsConfig::ClientSecret { resource, .. } = &mut config {
            *resource = Some(self.resource(&manager).await);
        }
        let tokens = manager.exchange_client_credentials(&config).await;
        let tokens = tokens.map_err(|error| self.failed(&error, &http))?;
        // The secret is the user's, so don't keep it.
        self.issued(&tokens, client.id.clone(), None, issuer, &scopes)
    }

    /// Renews the tokens. Returns `None` if the authorization server no longer accepts them.
    pub(super) async fn refresh(&self, old: &IssuedTokens) -> Result<Option<IssuedTokens>, AuthError> {
        let AuthorizationServer { mut manager, http, issuer, .. } = self.find(None).await?;
        if issuer != old.issuer {
            return Err(AuthError::OtherIssuer);
        }
        let failed = |error: &SdkError| self.failed(error, &http);
        let mut client = OAuthClientConfig::new(&old.client_id, self.settings.url.as_str());
        let given = self.settings.client.as_ref().filter(|client| client.id == old.client_id);
        let given = given.and_then(|client| client.secret.as_ref()).map(Secret::expose);
        if let Some(secret) = given.or(old.client_secret.as_deref()) {
            client = client.with_client_secret(secret);
        }
        manager.configure_client(client).map_err(|error| failed(&error))?;
        let store = InMemoryCredentialStore::new();
        let stored = StoredCredentials::new(
            old.client_id.clone(),
            Some(old.to_sdk().ok_or(AuthError::Internal)?),
            old.scopes.clone(),
            Some(now()),
        );
        store.save(stored.with_issuer(issuer.clone())).await.map_err(|error| failed(&error))?;
        manager.set_credential_store(store);
        match manager.refresh_token().await {
            Ok(tokens) => {
                let client_secret = old.client_secret.as_deref();
                let new = self.issued(&tokens, old.client_id.clone(), client_secret, issuer, &old.scopes)?;
                Ok(Some(new))
            }
            Err(SdkError::TokenRefreshRejected(_) | SdkError::AuthorizationRequired) => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Finds the authorization server, starting from the challenge in the server's refusal.
    async fn find(&self, challenge: Option<&str>) -> Result<AuthorizationServer, AuthError> {
        let http = Arc::new(
            Guarded::new(self.settings.rule(), Arc::clone(&self.lookup)).map_err(AuthError::Request)?,
        );
        let client: Arc<dyn OAuthHttpClient> = Arc::<Guarded>::clone(&http);
        let url = self.settings.url.as_str();
        let made = AuthorizationManager::new_with_oauth_http_client(url, client).await;
        let mut manager = made.map_err(|error| self.failed(&error, &http))?;
        let resolved = manager.resolve_metadata_from_challenge(challenge).await;
        let metadata = resolved.map_err(|error| self.failed(&error, &http))?.metadata;
        let issuer = metadata.issuer.clone();
        let authorization_endpoint = metadata.authorization_endpoint.clone();
        let methods = metadata.code_challenge_methods_supported.as_deref();
        let has_pkce = methods.is_some_and(|methods| methods.iter().any(|method| method == "S256"));
        manager.set_metadata(metadata);
        Ok(AuthorizationServer { manager, http, issuer, authorization_endpoint, has_pkce })
    }

    fn request(&self, redirect_uri: String, scopes: &[String]) -> AuthorizationRequest {
        let mut request = AuthorizationRequest::new(redirect_uri).with_client_name("Overt");
        request = match (scopes, self.settings.scopes.as_slice()) {
            ([], []) => request.with_initial_scope_selection(),
            ([], configured) => request.with_scopes(configured),
            (wanted, _) => request.with_scopes(wanted),
        };
        if let Some(url) = &self.settings.client_metadata_url {
            request = request.with_client_metadata_url(url);
        }
        if let Some(client) = &self.settings.client {
            request = request.with_preregistered_client(&client.id);
            if let Some(secret) = &client.secret {
                request = request.with_client_secret(secret.expose());
            }
        }
        request
    }

    /// Returns the resource as its metadata names it. The SDK reveals it only as part of a URL.
    async fn resource(&self, manager: &AuthorizationManager) -> String {
        let address = manager.get_authorization_url(&[]).await.ok().and_then(|text| Url::parse(&text).ok());
        let resource = address.as_ref().and_then(|address| {
            address.query_pairs().find(|(key, _)| key == "resource").map(|(_, value)| value.into_owned())
        });
        resource.unwrap_or_else(|| self.settings.url.to_string())
    }

    fn issued(
        &self,
        tokens: &OAuthTokenResponse,
        client_id: String,
        client_secret: Option<&str>,
        issuer: Option<String>,
        asked: &[String],
    ) -> Result<IssuedTokens, AuthError> {
        let tokens = serde_json::to_value(tokens).and_then(TokenResponse::deserialize);
        let tokens = tokens.ok().filter(|tokens| tokens.token_type.eq_ignore_ascii_case("bearer"));
        let tokens = tokens.ok_or(AuthError::NoToken)?;
        Ok(IssuedTokens {
            server: self.settings.shown(),
            client_id,
            client_secret: client_secret.map(str::to_owned),
            issuer,
            access_token: tokens.access_token,
            refresh_token: tokens.refresh_token,
            // A response without scopes grants those that were asked for.
            scopes: tokens.scope.map_or_else(|| asked.to_vec(), |scope| words(Some(&scope))),
            expires_at: tokens.expires_in.map(|seconds| now().saturating_add(seconds)),
        })
    }

    /// Interprets an error of the SDK. Its text is not passed on as it is, because it may quote
    /// messages.
    fn failed(&self, error: &SdkError, http: &Guarded) -> AuthError {
        if let Some(problem) = http.take_problem() {
            let registering = matches!(&problem, Problem::Status { .. })
                && matches!(error, SdkError::MetadataError(_) | SdkError::AuthorizationServerMismatch { .. });
            if !registering {
                return AuthError::Request(problem);
            }
        }
        match error {
            SdkError::RegistrationFailed(_) => AuthError::NoRegistration,
            SdkError::PkceUnsupported => AuthError::NoPkce,
            SdkError::AuthorizationServerMismatch { .. }
            | SdkError::AuthorizationServerMissingIssuer { .. } => AuthError::WrongIssuer,
            SdkError::MetadataError(text) => AuthError::Discovery(self.without_secrets(text)),
            SdkError::NoAuthorizationSupport => {
                AuthError::Discovery("the server names no authorization server".into())
            }
            SdkError::TokenExchangeFailed(_) | SdkError::ClientCredentialsError(_) => AuthError::NoToken,
            _ => AuthError::Internal,
        }
    }

    /// Removes secrets: texts about metadata contain URLs, including our own with its query.
    fn without_secrets(&self, text: &str) -> String {
        let text = text.replace(self.settings.url.as_str(), &self.settings.shown());
        text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
    }
}

impl IssuedTokens {
    /// Converts the tokens to the form of the SDK.
    fn to_sdk(&self) -> Option<OAuthTokenResponse> {
        let value = serde_json::json!({
            "access_token": self.access_token,
            "token_type": "bearer",
            "refresh_token": self.refresh_token,
        });
        OAuthTokenResponse::deserialize(value).ok()
    }
}

fn words(scope: Option<&str>) -> Vec<String> {
    scope.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}
