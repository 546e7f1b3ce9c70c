//! The options with which a skills server is started.
use std::path::PathBuf;

use super::served::Serve;
use crate::files::{OperatorLimits, Sandbox};

/// The name of the server in scopes, grants and the audit log.
pub const NAME: &str = "overt-skills";
/// The options of a skills server.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub roots: Vec<Root>,
    /// Which form of each SKILL.md is served.
    pub serve: Serve,
    /// Whether to offer tools, for clients that cannot read resources.
    pub tools: bool,
    /// Whether to offer a prompt, for people who choose a skill.
    pub prompts: bool,
    /// A folder with Markdown documents, served beside the skills.
    pub docs: Option<Root>,
    /// Whether the kernel confines this process to its folders.
    pub sandbox: Sandbox,
    /// The project that the server was started in.
    pub project: Option<String>,
    /// The limits that are enforced around the server, so that its description can state them.
    pub enforced: OperatorLimits,
}

/// A folder with skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The absolute path.
    pub path: PathBuf,
    /// The path as the operator wrote it; findings show this form.
    pub shown: String,
}
