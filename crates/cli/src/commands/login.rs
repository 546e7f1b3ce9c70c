//! `overt login` and `overt logout`.
use overt_auth::{AuthError, StoreError, TokenStore as _};
use overt_clients::files::Login;
use overt_transport::client::ClientOptions;

use super::session::setup_failed;
use crate::context::CommandContext;
use crate::error::{CommandError, Diagnostic, ErrorKind, Exit};
use crate::output::{one_line, start_log};
use crate::settings::{LogSettings, LoginSettings, LogoutSettings, StateDir, login_store};

impl Diagnostic for AuthError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Settings(_) => ErrorKind::User,
            _ => ErrorKind::Outside,
        }
    }

    fn hint(&self) -> Option<String> {
        self.hint()
    }
}

impl Diagnostic for StoreError {
    fn hint(&self) -> Option<String> {
        self.hint()
    }
}

pub(crate) fn login(settings: LoginSettings, context: &CommandContext) -> Result<Exit, CommandError> {
    let printer = &context.printer;
    start_log(printer, &LogSettings::of_verbosity(context.output.verbosity, &context.env));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(setup_failed("the runtime"))?;
    let options = ClientOptions {
        limits: settings.connection.limits,
        protocol: settings.connection.protocol,
        ..ClientOptions::new("overt", env!("CARGO_PKG_VERSION"))
    };
    let issued = runtime.block_on(Box::pin(overt_auth::login(&settings.oauth, &settings.target, options)))?;
    let scopes = match issued.scopes.as_slice() {
        [] => String::new(),
        scopes => format!(" for {}", one_line(&scopes.join(", "))),
    };
    printer.note(&format!("logged in to {}{scopes}", settings.connection.label));
    printer.note(&format!("the tokens are in {}", settings.store.place()));
    Ok(Exit::Ok)
}

pub(crate) fn logout(settings: &LogoutSettings, context: &CommandContext) -> Result<Exit, CommandError> {
    let printer = &context.printer;
    if settings.store.clear()? {
        printer.note(&format!("logged out of {}", settings.label));
    } else {
        printer.note(&format!("there were no tokens for {}", settings.label));
    }
    Ok(Exit::Ok)
}

/// Says whether there are tokens for the server at `url`.
pub(super) fn login_of(url: &str, state: &StateDir) -> Login {
    let tokens = login_store(url, state).ok().and_then(|store| store.load().ok().flatten());
    if tokens.is_some() { Login::Overt } else { Login::None }
}
