//! Start options of a file server.
use std::path::PathBuf;
use std::sync::Arc;

use overt_policy::rate::RateLimit;
use overt_policy::record::Audit;
use overt_settings::SettingValues;

use super::compat::Compat;
use super::granted::WorkerStarter;
use super::sandbox::Sandbox;

/// The name of the server in scopes, grants and the audit log.
pub const NAME: &str = "overt-fs";

/// Start options of a file server. What can differ from call to call is in `settings`.
#[derive(Debug, Clone)]
pub struct Options {
    /// Absolute paths of the served folders. Relative paths begin in the first.
    pub roots: Vec<PathBuf>,
    /// Absolute paths of folders outside the roots in which a person can grant access.
    pub grantable: Vec<PathBuf>,
    /// Starts workers for places outside of the roots that a person grants; `None` if nothing there
    /// can be granted.
    pub workers: Option<Arc<dyn WorkerStarter>>,
    /// Absolute paths that can't be granted, nor anything in them.
    pub protected: Vec<PathBuf>,
    /// Folders in which clients keep what they usually keep elsewhere, with the usual folder, such
    /// as `.codex`.
    pub client_folders: Vec<(PathBuf, String)>,
    /// Whether this server is a worker, whose client knows absolute paths only.
    pub is_worker: bool,
    /// Absolute path of the journal folder, which keeps the content from before each change so that
    /// it can be undone. Clients don't see this folder, even inside a root.
    pub journal: Option<PathBuf>,
    pub settings: SettingValues,
    /// Whether the kernel confines this process.
    pub sandbox: Sandbox,
    /// The server whose tool names are used; `None` for our own names.
    pub compat: Option<Compat>,
    /// The project that the server was started in, if any. Questions to a person show it.
    pub project: Option<String>,
    /// Limits that are enforced around the server, so that it can declare them.
    pub enforced: OperatorLimits,
    /// Whether results have the literal forms of seed 002, which standard clients can't read
    /// (`--compat mcp4h`).
    pub is_literal: bool,
}

impl Options {
    /// Options with no grantable folders, no journal, no sandbox and no project.
    pub fn new(roots: Vec<PathBuf>, settings: SettingValues) -> Self {
        Self {
            roots,
            grantable: Vec::new(),
            workers: None,
            protected: Vec::new(),
            client_folders: Vec::new(),
            is_worker: false,
            journal: None,
            settings,
            sandbox: Sandbox::Off,
            compat: None,
            project: None,
            enforced: OperatorLimits::default(),
            is_literal: false,
        }
    }
}

/// Limits that the operator enforces around the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperatorLimits {
    /// Rate limit over all calls.
    pub rate_limit: Option<RateLimit>,
    /// Rate limit of each caller for each tool.
    pub tool_rate_limit: Option<RateLimit>,
    /// What the audit log keeps; empty without an audit log.
    pub audit: Audit,
}
