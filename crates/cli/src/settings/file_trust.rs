//! What the user's file decides about the server that is about to run.
use std::path::{Path, PathBuf};

use overt_layers::grants::SeenTool;
use overt_policy::Trust;

use super::Env;
use super::server_trust::{ServerLaunch, TrustFile};
use super::shown_tools::ShownTools;
use crate::args::RunArgs;

/// A decision of the user's file that matches the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileTrust {
    pub(crate) trust: Trust,
    /// The definitions that the person was shown for it.
    pub(crate) shown: Vec<SeenTool>,
    /// The server with its id, and its project, as the grant store names them.
    pub(crate) server: String,
    pub(crate) project: Option<String>,
    /// The state folder.
    pub(crate) state: PathBuf,
}

impl FileTrust {
    /// Returns the decision about a server of this name that is started like this. `server` is its
    /// name with its id. A file that can't be used decides nothing and is reported in the log.
    pub(super) fn find(
        (name, started): (&str, &ServerLaunch),
        server: String,
        project: Option<String>,
        state: &Path,
        env: &Env,
    ) -> Option<Self> {
        let decisions = TrustFile::resolve(env).decisions().unwrap_or_else(|error| {
            tracing::warn!("{error}; you are asked how far you trust the server");
            Vec::new()
        });
        // If several decisions match, one for this project takes precedence.
        let fits = || decisions.iter().filter(|one| one.is_about(name, started, project.as_deref()));
        let found = fits().find(|one| one.project.is_some()).or_else(|| fits().next())?;
        let shown = ShownTools::of(state).read(found);
        Some(Self { trust: found.trust, shown, server, project, state: state.to_owned() })
    }
}

/// Returns how the server of an `overt run` was named and started in the client's file.
pub(super) fn launch_of_run(args: &RunArgs) -> Option<(&str, ServerLaunch)> {
    let started = match &args.url {
        Some(url) => ServerLaunch::Url(url.clone()),
        None => ServerLaunch::of_words(&args.target.command)?,
    };
    Some((args.name.as_deref()?, started))
}
