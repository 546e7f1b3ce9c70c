//! How a skills server is started.
use std::path::PathBuf;

use super::served::Serve;
use crate::files::{OperatorLimits, Sandbox};

/// The name of the server in scopes, grants and the audit log.
pub const NAME: &str = "overt-skills";
/// How a skills server is started.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub roots: Vec<Root>,
    /// Which form of each SKILL.md is served.
    pub serve: Serve,
    /// Tools for clients that read no resources.
    pub tools: bool,
    /// A prompt for people who choose a skill.
    pub prompts: bool,
    /// A folder with Markdown documents beside the skills.
    pub docs: Option<Root>,
    /// Whether the kernel holds this process.
    pub sandbox: Sandbox,
    /// The project that the server was started in.
    pub project: Option<String>,
    /// What is enforced around the server, so that it can be told.
    pub enforced: OperatorLimits,
}

/// A folder with skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Absolute.
    pub path: PathBuf,
    /// As the operator wrote it; findings use this name.
    pub shown: String,
}
