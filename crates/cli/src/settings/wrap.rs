//! The settings of `overt wrap`, and types that `overt unwrap` shares.
use std::path::Path;

use overt_clients::files::{ManagedFolders, Wrapper};

use super::client_config::{FoundFile, find};
use super::{ControlPlan, Env, StateDir, TrustFile};
use crate::args::WrapArgs;
use crate::error::CommandError;

/// The variable that names an additional folder with an administrator's lists.
const OVERT_MANAGED_DIR: &str = "OVERT_MANAGED_DIR";

#[derive(Debug)]
pub(crate) struct WrapSettings {
    /// Clients and files as the user named them; empty for all clients.
    pub(crate) named: Vec<String>,
    pub(crate) files: Vec<FoundFile>,
    pub(crate) wrapper: Wrapper,
    pub(crate) which: WhichServers,
    pub(crate) confirm: Confirm,
    /// The folders in which administrators allow and deny servers.
    pub(crate) managed: ManagedFolders,
    pub(crate) state: StateDir,
    /// The file that keeps the answers about servers.
    pub(crate) trust_file: TrustFile,
    /// How decisions are recorded.
    pub(crate) audit: ControlPlan,
}

/// The servers that a command selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WhichServers {
    All,
    Named(Vec<String>),
}

/// Who confirms that a file may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confirm {
    /// Ask a person at the terminal.
    Ask,
    /// The command line confirms it.
    Yes,
    /// Write nothing; only show the changes.
    DryRun,
    /// Write nothing, because no person can be asked.
    NoPerson,
}

impl WhichServers {
    pub(crate) fn new(names: &[String]) -> Self {
        if names.is_empty() { Self::All } else { Self::Named(names.to_vec()) }
    }

    pub(crate) fn includes(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => names.iter().any(|known| known == name),
        }
    }
}

impl Confirm {
    pub(crate) fn new(dry_run: bool, yes: bool, env: &Env) -> Self {
        match (dry_run, yes) {
            (true, _) => Self::DryRun,
            (false, true) => Self::Yes,
            (false, false) if env.can_ask() => Self::Ask,
            (false, false) => Self::NoPerson,
        }
    }
}

impl WrapSettings {
    pub(crate) fn resolve(args: &WrapArgs, env: &Env) -> Result<Self, CommandError> {
        let state = StateDir::resolve(env)?;
        let state_dir = (!state.is_usual(env)).then(|| state.path().to_string_lossy().into_owned());
        let program = Env::program();
        let managed = env.variable(OVERT_MANAGED_DIR).filter(|dir| !dir.is_empty());
        Ok(Self {
            named: args.what.clone(),
            files: find(&args.what, env)?,
            wrapper: Wrapper { program: program.to_string_lossy().into_owned(), state_dir },
            which: WhichServers::new(&args.servers),
            confirm: Confirm::new(args.dry_run, args.yes, env),
            managed: ManagedFolders::with(managed.map(Path::new)),
            trust_file: TrustFile::resolve(env),
            audit: ControlPlan::of_grants(env)?,
            state,
        })
    }
}
