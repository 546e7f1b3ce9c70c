//! A declaration joined with what the running server says: what every document is made from.
mod join; // both together, and what contradicts
mod server; // faults in the declaration of the server
mod emoji; // what is one emoji
mod tool; // faults in the declaration of a tool
mod effect; // a declared effect beside the server's own hints
mod placeholder; // `{parameter}` in commands and templates

use crate::card::Performance;
use crate::live::{LivePrompt, LiveResource, LiveTool, ServerInfo};
use crate::text_source::TextSource;
use overt_policy::record::{AccessLevel, ResourceRecord, ServerRecord, ToolRecord};

pub use effect::check_hints;
pub use server::{is_canonical_name, is_registry_name};

/// A server as it is described.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The canonical name: `[a-z0-9-]`, at most 64 characters.
    pub name: String,
    pub access_level: AccessLevel,
    /// Who wrote the declaration.
    pub source: TextSource,
    pub server: ServerRecord,
    /// The name that the running server gives itself, and what goes with it.
    pub info: ServerInfo,
    /// In the order in which the server lists them.
    pub tools: Vec<DescribedTool>,
    pub resources: Vec<DescribedResource>,
    pub prompts: Vec<LivePrompt>,
}

/// A tool, and what is declared about it.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribedTool {
    pub live: LiveTool,
    pub record: Option<ToolRecord>,
    /// How fast it was, if it was measured.
    pub measured: Option<Performance>,
}

/// A resource, and what is declared about it.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribedResource {
    pub live: LiveResource,
    pub record: Option<ResourceRecord>,
}
