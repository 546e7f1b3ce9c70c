//! Errors of an authorization: their texts contain no secret, and their hints say what to do.
use overt_transport::client::{ClientError, CredentialsError};

use super::guard::{AddressError, Problem};
use super::oauth_settings::OAuthSettingsError;
use super::redirect::RedirectError;
use super::store::StoreError;

/// An authorization that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    #[error(transparent)]
    Settings(#[from] OAuthSettingsError),
    #[error("nobody has logged in to `{0}` yet")]
    NotLoggedIn(String),
    #[error("`{0}` has no login: it accepts the tokens that its owner makes")]
    NoLogin(String),
    #[error("the authorization for `{0}` is no longer valid")]
    Ended(String),
    #[error("the authorization does not cover what was asked for: the server wants the scopes `{0}`")]
    TooLittle(String),
    #[error("could not find out how to log in: {0}")]
    Discovery(String),
    #[error("a request of the authorization failed")]
    Request(#[source] Problem),
    #[error("the authorization server is not the one that issued the tokens")]
    OtherIssuer,
    #[error("the answer does not come from the authorization server that was asked")]
    WrongIssuer,
    #[error("the authorization server does not say that it supports PKCE with S256")]
    NoPkce,
    #[error("the authorization server registers no clients by itself")]
    NoRegistration,
    #[error("the authorization server issued no bearer token")]
    NoToken,
    #[error("the address of the authorization page is refused")]
    Page(#[source] AddressError),
    #[error("the browser could not be opened: {0}")]
    Browser(String),
    #[error("the browser did not come back with an authorization")]
    Redirect(#[from] RedirectError),
    #[error("the tokens can't be kept")]
    Store(#[from] StoreError),
    #[error("another process has been renewing the tokens for too long")]
    Locked,
    #[error("the server can't be asked how to log in")]
    Server(#[source] Box<ClientError>),
    #[error("the authorization broke off")]
    Internal,
}

impl AuthError {
    /// Returns what to do next, if there is something useful to say.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Page(AddressError::Private { .. })
            | Self::Request(Problem::Address(AddressError::Private { .. })) => {
                "a server may not send us to private addresses; if the authorization server is on your own \
                 network, allow it with `--allow-private-auth`"
                    .into()
            }
            Self::NoRegistration => {
                "register a client there by hand and name it with `--oauth-client-id`".into()
            }
            Self::NoPkce => "ask its owner to list `S256` in `code_challenge_methods_supported` of its metadata; without it, \
                 a login could be intercepted"
                .into(),
            Self::NoLogin(_) => {
                "ask the owner of the server for a token (`overt token create`), and pass it with `--token-env VAR` or \
                 `--token-file FILE`"
                    .into()
            }
            Self::Store(error) => return error.hint(),
            Self::Server(error) => return error.hint(),
            _ => return None,
        })
    }

    /// Returns the error for a request that waits for the authorization, with `how_to_log_in` as a
    /// hint if logging in would help.
    pub(super) fn for_request(self, how_to_log_in: &str) -> CredentialsError {
        let hint = match &self {
            Self::NotLoggedIn(_) | Self::Ended(_) | Self::TooLittle(_) | Self::OtherIssuer => {
                Some(how_to_log_in.to_owned())
            }
            other => other.hint(),
        };
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(&self);
        while let Some(error) = cause {
            text += &format!(": {error}");
            cause = error.source();
        }
        let error = CredentialsError::new(text);
        match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}
