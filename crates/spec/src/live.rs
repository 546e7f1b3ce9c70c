//! What the running server says about itself: read, never typed.
use std::collections::BTreeSet;

use serde_json::Value;

use crate::record::Hints;

/// A server as it answers now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Live {
    pub info: ServerInfo,
    pub tools: Vec<LiveTool>,
    pub resources: Vec<LiveResource>,
    pub prompts: Vec<LivePrompt>,
}

/// Who it says it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerInfo {
    pub name: String,
    pub version: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub website: Option<String>,
    pub instructions: Option<String>,
}

/// An entry of `tools/list`.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveTool {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub input_schema: Value,
    pub output_schema: Option<Value>,
    pub hints: Hints,
    /// The codes that it can answer with, where they are known: a server written with the Toolbox says so.
    pub error_codes: Option<BTreeSet<String>>,
    /// Its whole definition.
    pub definition: Value,
}

/// An entry of `resources/list` or `resources/templates/list`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveResource {
    /// Its URI, or the pattern of its URIs.
    pub uri: String,
    pub is_template: bool,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: Option<String>,
}

/// An entry of `prompts/list`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LivePrompt {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
}
