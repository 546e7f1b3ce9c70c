//! The settings of the page that `overt ui` and `overt inspect` show.
use std::net::SocketAddr;
use std::path::PathBuf;

use super::audit::logs_folder;
use super::{ConfiguredServers, ControlPlan, Env, StateDir, current_project};
use crate::args::{PageArgs, PassphraseSource};
use crate::error::CommandError;

#[derive(Debug)]
pub(crate) struct UiSettings {
    pub(crate) state: StateDir,
    /// Configured servers, including those that have not run yet.
    pub(crate) configured: ConfiguredServers,
    /// How decisions are recorded.
    pub(crate) audit: ControlPlan,
    /// How undone changes are recorded.
    pub(crate) undo: ControlPlan,
    /// The folder that contains all logs.
    pub(crate) logs: PathBuf,
    /// The folder in which file servers keep their journal.
    pub(crate) files: PathBuf,
    pub(crate) project: Option<String>,
    pub(crate) listen: SocketAddr,
    /// The program that opens the page; `None` if the page is not to be opened.
    pub(crate) browser: Option<PathBuf>,
    pub(crate) passphrase: PassphraseSource,
}

impl UiSettings {
    pub(crate) fn resolve(args: &PageArgs, env: &Env) -> Result<Self, CommandError> {
        let state = StateDir::resolve(env)?;
        Ok(Self {
            audit: ControlPlan::of_grants(env)?,
            undo: ControlPlan::of_undo(env)?,
            logs: logs_folder(env)?,
            files: state.path().join("files"),
            configured: ConfiguredServers::new(env, &state),
            state,
            project: current_project(),
            listen: args.listen,
            browser: args.open.then(|| env.browser()).flatten(),
            passphrase: args.answer.passphrase,
        })
    }
}
