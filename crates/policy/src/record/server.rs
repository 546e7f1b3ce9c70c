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
    /// `[a-z0-9-]`, at most 64 characters. What the running server calls itself, if nothing is
    /// declared.
    pub name: Option<String>,
    /// A name for people.
    pub title: Option<String>,
    /// What it does and when to use it; has a phrase such as "Use when" (D-04).
    pub description: String,
    /// One line; the first sentence of the description, if nothing is declared.
    pub summary: Option<String>,
    pub emoji: Option<String>,
    /// What follows from the tools' effects, if nothing is declared.
    pub access_level: Option<AccessLevel>,
    /// What users ask for when this server is the right one: completes "use this server when the
    /// user asks to".
    pub when_to_use: Vec<String>,
    /// What it is not for, and what is better for that.
    pub not_for: Vec<String>,
    pub urls: Urls,
    /// From the name of a package manager to the name of the package there.
    pub install: IndexMap<String, String>,
    /// What a client that starts the package gives it: the arguments after its name.
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
    /// How to get in, in Markdown.
    pub authentication: Option<String>,
    pub best_practices: Vec<String>,
    pub troubleshooting: Vec<Trouble>,
    /// Errors that every tool may answer with, told once instead of with each of them.
    pub errors: Vec<KnownError>,
    pub categories: Vec<String>,
    pub license: Option<String>,
    /// The name in the official registry, such as `io.github.someone/server`.
    pub registry_name: Option<String>,
    /// Where calls are recorded, for Tool Cards.
    pub audit: Audit,
}

/// Where else the same thing is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Urls {
    /// Documentation of a command line program.
    pub cli: Option<String>,
    /// Documentation of an HTTP API.
    pub api: Option<String>,
    /// A web interface.
    pub web: Option<String>,
    /// The MCP endpoint, where it is public.
    pub mcp: Option<String>,
}

/// What the server needs to run: names only, never values (D-10).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerRequirements {
    /// Such as `api-key` or `oauth2`.
    pub auth: Vec<String>,
    /// Names of environment variables.
    pub env: Vec<String>,
    pub scopes: Vec<String>,
}

/// Who may start it (D-11).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Invocation {
    pub model_invocable: Option<bool>,
    pub user_invocable: Option<bool>,
    pub allowed_tools: Vec<String>,
}

/// What may go wrong, and what helps.
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

    /// One line that says what it is.
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
