//! What is declared about the server as a whole (D-01 to D-14).
use indexmap::IndexMap;

use super::tool::KnownError;
use crate::prose::first_sentence;
use crate::rate::RateLimit;
use crate::word::string_enum;

string_enum! {
    /// How much the server lets a client do. Documentation only: it decides nothing (D-07).
    pub enum AccessLevel {
        Read = "read",
        Interact = "interact",
        Full = "full",
    }
}

/// Who the server is, and what an agent must know before it uses it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServerRecord {
    /// `[a-z0-9-]`, at most 64 characters. `None` for the name that the running server gives.
    pub name: Option<String>,
    /// A name for people.
    pub title: Option<String>,
    /// What the server does and when to use it; contains a phrase such as "Use when" (D-04).
    pub description: String,
    /// One line. `None` for the first sentence of the description.
    pub summary: Option<String>,
    pub emoji: Option<String>,
    /// `None` for the level that follows from the effects of the tools.
    pub access_level: Option<AccessLevel>,
    /// Requests of users for which this is the right server: each completes "use this server when
    /// the user asks to".
    pub when_to_use: Vec<String>,
    /// What the server is not for, and what to use instead.
    pub not_for: Vec<String>,
    pub urls: Urls,
    /// Package names by package manager.
    pub install: IndexMap<String, String>,
    /// The arguments that a client passes when it starts the package.
    pub args: Vec<String>,
    pub requires: ServerRequirements,
    pub invocation: Option<Invocation>,
    pub rate_limit: Option<RateLimit>,
    pub homepage: Option<String>,
    pub repository: Option<String>,
    pub status_page: Option<String>,
    pub content_version: Option<String>,
    /// An ISO 8601 date.
    pub last_updated: Option<String>,
    /// How to authenticate, in Markdown.
    pub authentication: Option<String>,
    pub best_practices: Vec<String>,
    pub troubleshooting: Vec<Trouble>,
    /// Errors that every tool may return, listed once instead of for each tool.
    pub errors: Vec<KnownError>,
    pub categories: Vec<String>,
    pub license: Option<String>,
    /// The name in the official registry, such as `io.github.someone/server`.
    pub registry_name: Option<String>,
    /// Where calls are recorded, for Tool Cards.
    pub audit: Audit,
}

/// Other interfaces to the same service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Urls {
    /// Documentation of a command line program.
    pub cli: Option<String>,
    /// Documentation of an HTTP API.
    pub api: Option<String>,
    /// A web interface.
    pub web: Option<String>,
    /// The MCP endpoint, if it is public.
    pub mcp: Option<String>,
}

/// What the server needs to run: names only, never values (D-10).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerRequirements {
    /// Kinds of authentication, such as `api-key` or `oauth2`.
    pub auth: Vec<String>,
    /// Names of environment variables.
    pub env: Vec<String>,
    pub scopes: Vec<String>,
}

/// Who may invoke it (D-11).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    pub model_invocable: Option<bool>,
    pub user_invocable: Option<bool>,
    pub allowed_tools: Vec<String>,
}

/// A problem, its cause and its solution.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trouble {
    pub problem: String,
    pub cause: String,
    pub solution: String,
}

/// Where calls are recorded (C-09).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    pub log_uri: Option<String>,
    pub retention_days: Option<u32>,
    pub signed_by: Option<String>,
    pub incident_response_uri: Option<String>,
}

impl ServerRecord {
    /// `description` says what the server does and when to use it.
    pub fn new(description: &str) -> Self {
        Self { description: description.to_owned(), ..Self::default() }
    }

    /// Returns one line that says what the server is.
    pub fn summary(&self) -> &str {
        match &self.summary {
            Some(summary) => summary,
            None => first_sentence(&self.description),
        }
    }
}

impl ServerRequirements {
    pub fn is_empty(&self) -> bool {
        self.auth.is_empty() && self.env.is_empty() && self.scopes.is_empty()
    }
}
