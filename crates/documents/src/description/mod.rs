//! A declaration joined with what the running server says: the source of every document.
mod join; // the join of both, and their contradictions
mod server; // faults in the declaration of the server
mod emoji; // the test for a single emoji
mod tool; // faults in the declaration of a tool
mod effect; // a declared effect compared with the server's own hints
mod placeholder; // `{parameter}` in commands and templates

use crate::card::Performance;
use crate::live::{LivePrompt, LiveResource, LiveTool, ServerInfo};
use crate::text_source::TextSource;
use overt_policy::record::{AccessLevel, KnownError, ResourceRecord, ServerRecord, ToolRecord};

pub use effect::check_hints;
pub use server::{is_canonical_name, is_registry_name};

/// A server with everything that is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// The canonical name: `[a-z0-9-]`, at most 64 characters.
    pub name: String,
    pub access_level: AccessLevel,
    /// The author of the declaration.
    pub source: TextSource,
    pub server: ServerRecord,
    /// Errors that Overt answers with in place of the server that it runs in front of.
    pub errors_of_overt: Vec<KnownError>,
    /// The server's name for itself, and the related facts.
    pub info: ServerInfo,
    /// The tools, in the order in which the server lists them.
    pub tools: Vec<DescribedTool>,
    pub resources: Vec<DescribedResource>,
    pub prompts: Vec<LivePrompt>,
}

/// A tool and its declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribedTool {
    pub live: LiveTool,
    pub record: Option<ToolRecord>,
    /// Its measured performance; `None` if it was not measured.
    pub measured: Option<Performance>,
}

/// A resource and its declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct DescribedResource {
    pub live: LiveResource,
    pub record: Option<ResourceRecord>,
}
