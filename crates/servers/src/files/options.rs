//! How a file server is started.
use std::path::PathBuf;

use overt_policy::rate::RateLimit;
use overt_policy::record::Audit;
use overt_policy::setting::SettingValues;

use super::compat::Compat;
use super::sandbox::Sandbox;

/// The name of the server in scopes, grants and the audit log.
pub const NAME: &str = "overt-fs";

/// How a file server is started. Everything that may differ from call to call is in the settings.
#[derive(Debug, Clone)]
pub struct Options {
    /// Absolute; the first is where relative paths begin.
    pub roots: Vec<PathBuf>,
    /// Absolute: what a person can grant beside the roots.
    pub grantable: Vec<PathBuf>,
    /// Absolute: where what was there before each change is kept, so that it can be undone. Clients
    /// don't see it, although it may be in a root.
    pub journal: Option<PathBuf>,
    pub settings: SettingValues,
    /// Whether the kernel holds this process.
    pub sandbox: Sandbox,
    /// Whose names the tools have, if not our own.
    pub compat: Option<Compat>,
    /// The project that the server was started in, where there is one: people are told when they
    /// are asked.
    pub project: Option<String>,
    /// What is enforced around the server, so that it can be told.
    pub enforced: OperatorLimits,
    /// The literal forms of seed 002, which standard clients can't read (`--compat mcp4h`).
    pub is_literal: bool,
}

impl Options {
    /// Nothing beside the roots, no journal, no sandbox and no project.
    pub fn new(roots: Vec<PathBuf>, settings: SettingValues) -> Self {
        Self {
            roots,
            grantable: Vec::new(),
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

/// What the operator enforces around the server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperatorLimits {
    /// How many calls there may be in all.
    pub rate_limit: Option<RateLimit>,
    /// How many calls of one tool each caller may make.
    pub tool_rate_limit: Option<RateLimit>,
    /// What the audit log keeps; empty where there is none.
    pub audit: Audit,
}
