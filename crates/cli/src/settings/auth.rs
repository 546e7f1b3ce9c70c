//! Credentials for a server that requires a token.
use std::sync::Arc;

use overt_auth::{
    Bearer, Consent, FileStore, Flow, OAuth, OAuthSettings, OAuthSettingsError, PrivateAddresses,
    RegisteredClient,
};
use overt_transport::client::{Credentials, CredentialsError, HttpTarget, Secret};

use super::Env;
use super::state::{StateDir, StateError};
use crate::args::{AuthArgs, OAuthFlow};
use crate::error::{CommandError, Diagnostic, user_error};
use crate::output::{Opener, Page};

impl Diagnostic for OAuthSettingsError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::NoSecret => {
                Some("name them with `--oauth-client-id` and `--oauth-client-secret-env`".to_owned())
            }
            Self::Address(_) => None,
        }
    }
}

/// The credentials for requests to this server, from options, files and earlier logins. `None` if
/// there are none, or if a header has them.
pub(super) fn credentials(
    args: &AuthArgs,
    http: &HttpTarget,
    env: &Env,
) -> Result<Option<Arc<dyn Credentials>>, CommandError> {
    if http.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization")) {
        return match args.first_option() {
            Some(option) => {
                Err(user_error(format!("`{option}` and a header `Authorization` can't be used together"))
                    .hinted("give one of them"))
            }
            None => Ok(None),
        };
    }
    if let Some(variable) = &args.token_env {
        let token = variable_of("--token-env", variable, env)?;
        let bearer = Bearer::fixed(&token);
        return wrap(bearer.map_err(|source| unusable_token("--token-env", source))?);
    }
    if let Some(path) = &args.token_file {
        let bearer = Bearer::file(path);
        return wrap(bearer.map_err(|source| unusable_token("--token-file", source))?);
    }
    let state = match StateDir::resolve(env) {
        Ok(state) => state,
        // A user without a home folder cannot have logged in.
        Err(StateError::Nowhere) if args.first_option().is_none() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let consent = if args.oauth { Consent::Ask(Arc::new(page(args, env))) } else { Consent::Never };
    wrap(oauth(args, &http.url, &state, consent, env)?)
}

fn unusable_token(option: &str, source: CredentialsError) -> CommandError {
    user_error(format!("the token of `{option}` can't be used")).caused_by(source)
}

/// OAuth authorization, set up from the options.
pub(super) fn oauth(
    args: &AuthArgs,
    url: &str,
    state: &StateDir,
    consent: Consent,
    env: &Env,
) -> Result<OAuth, CommandError> {
    let settings = settings(args, url, env)?;
    let store = FileStore::new(state.path(), settings.url());
    Ok(OAuth::new(settings, consent, Arc::new(store)))
}

/// The store for the tokens of a server.
pub(crate) fn store(url: &str, state: &StateDir) -> Result<FileStore, OAuthSettingsError> {
    Ok(FileStore::new(state.path(), OAuthSettings::new(url)?.url()))
}

/// The page on which a person gives consent.
pub(super) fn page(args: &AuthArgs, env: &Env) -> Page {
    let program = env.browser().filter(|_| !args.no_browser);
    Page::new(Opener { program }, env)
}

fn settings(args: &AuthArgs, url: &str, env: &Env) -> Result<OAuthSettings, CommandError> {
    let mut settings = OAuthSettings::new(url)?;
    if let Some(id) = &args.oauth_client_id {
        let variable = args.oauth_client_secret_env.as_ref();
        let secret = variable.map(|variable| variable_of("--oauth-client-secret-env", variable, env));
        settings.client =
            Some(RegisteredClient { id: id.clone(), secret: secret.transpose()?.map(Secret::new) });
    }
    if args.oauth_flow == Some(OAuthFlow::ClientCredentials) {
        settings.flow = Flow::ClientCredentials;
        if settings.client.as_ref().is_none_or(|client| client.secret.is_none()) {
            return Err(OAuthSettingsError::NoSecret.into());
        }
    }
    let scopes = args.oauth_scopes.iter().flat_map(|scopes| scopes.split_whitespace());
    settings.scopes = scopes.map(str::to_owned).collect();
    settings.redirect_port = args.oauth_port.unwrap_or(0);
    if args.allow_private_auth {
        settings.private = PrivateAddresses::Allow;
    }
    settings.how_to_log_in = how_to_log_in(&settings);
    Ok(settings)
}

fn how_to_log_in(settings: &OAuthSettings) -> String {
    let target = match settings.url().query() {
        // The query may contain a key.
        Some(_) => "`overt login` with the same target".to_owned(),
        None => format!("`overt login {}`", settings.shown()),
    };
    format!(
        "{target} logs in; a token that you have already goes into `--token-env VAR` or `--token-file FILE`"
    )
}

fn variable_of(option: &'static str, variable: &str, env: &Env) -> Result<String, CommandError> {
    let unset = || {
        user_error(format!("the environment variable `{variable}` of `{option}` is not set"))
            .hinted(format!("export it first: `export {variable}=…`"))
    };
    env.get(variable).map(str::to_owned).ok_or_else(unset)
}

fn wrap(credentials: impl Credentials + 'static) -> Result<Option<Arc<dyn Credentials>>, CommandError> {
    Ok(Some(Arc::new(credentials)))
}
