//! What the user's file decides about the server that is about to run.
use std::path::PathBuf;

use overt_policy::Trust;

use super::Env;
use super::server_trust::{ServerLaunch, TrustFile};
use crate::args::RunArgs;

/// A decision of the user's file that matches the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileTrust {
    pub(crate) trust: Trust,
    /// The server with its id, and its project, as the grant store names them.
    pub(crate) server: String,
    pub(crate) project: Option<String>,
    /// The state folder.
    pub(crate) state: PathBuf,
}

/// The trust level for the server of an `overt run`.
pub(super) fn level_of_run(args: &RunArgs, project: Option<&str>, env: &Env) -> Option<Trust> {
    let started = match &args.url {
        Some(url) => ServerLaunch::Url(url.clone()),
        None => ServerLaunch::of_words(&args.target.command)?,
    };
    level(args.name.as_deref()?, &started, project, env)
}

/// The trust level for a server of this name. A file that cannot be used decides nothing and is
/// reported in the log.
pub(super) fn level(name: &str, started: &ServerLaunch, project: Option<&str>, env: &Env) -> Option<Trust> {
    let decisions = TrustFile::resolve(env).decisions().unwrap_or_else(|error| {
        tracing::warn!("{error}; you are asked how far you trust the server");
        Vec::new()
    });
    // If several decisions match, one for this project takes precedence.
    let fits = || decisions.iter().filter(|one| one.is_about(name, started, project));
    let found = fits().find(|one| one.project.is_some()).or_else(|| fits().next());
    found.map(|one| one.trust)
}
