//! The settings of `overt login` and `overt logout`.
use std::sync::Arc;

use overt_auth::{Consent, FileStore, OAuth};
use overt_transport::client::{HttpTarget, Target};

use super::state::StateDir;
use super::target::wrong_option;
use super::{Connection, Env, auth};
use crate::args::{LoginArgs, LogoutArgs};
use crate::error::CommandError;

#[derive(Debug)]
pub(crate) struct LoginSettings {
    pub(crate) connection: Connection,
    pub(crate) target: HttpTarget,
    pub(crate) oauth: OAuth,
    pub(crate) store: FileStore,
}

#[derive(Debug)]
pub(crate) struct LogoutSettings {
    pub(crate) label: String,
    pub(crate) store: FileStore,
}

impl LoginSettings {
    pub(crate) fn resolve(args: &LoginArgs, env: &Env) -> Result<Self, CommandError> {
        let options = &args.target.auth;
        for (option, given) in
            [("--token-env", options.token_env.is_some()), ("--token-file", options.token_file.is_some())]
        {
            if given {
                let needs = "given its token; `overt login` is for those that issue one";
                return Err(wrong_option(option, needs));
            }
        }
        let connection = Connection::resolve(&args.target, args.url.as_deref(), env)?;
        let target = http(&connection.target)?;
        let state = StateDir::resolve(env)?;
        let consent = Consent::Ask(Arc::new(auth::page(options, env)));
        let oauth = auth::oauth(options, &target.url, &state, consent, env)?;
        let store = auth::store(&target.url, &state)?;
        Ok(Self { target, oauth, store, connection })
    }
}

impl LogoutSettings {
    pub(crate) fn resolve(args: &LogoutArgs, env: &Env) -> Result<Self, CommandError> {
        let connection = Connection::resolve(&args.target, args.url.as_deref(), env)?;
        let target = http(&connection.target)?;
        let store = auth::store(&target.url, &StateDir::resolve(env)?)?;
        Ok(Self { label: connection.label, store })
    }
}

fn http(target: &Target) -> Result<HttpTarget, CommandError> {
    match target {
        Target::Http(http) => Ok(HttpTarget { credentials: None, ..http.clone() }),
        Target::Command(_) | Target::Streams(_) => Err(wrong_option("overt login", "reached over HTTP")),
    }
}
