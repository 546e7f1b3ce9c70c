//! What one of our servers declares about itself, in addition to the definitions that it lists.
//! Other crates make documents from it.
use std::collections::BTreeSet;

use overt_policy::Declaration;
use overt_wire::json::JsonBuf;

/// A declaration, together with the server's entries as clients will see them listed.
#[derive(Debug, Clone)]
pub struct DeclaredServer {
    pub declaration: Declaration,
    /// Whether the author declared the server itself. Clients are told about the server only then.
    pub has_server: bool,
    /// Whether the server was started so that no tool can change anything.
    pub only_reads: bool,
    /// The `serverInfo` object.
    pub info: JsonBuf,
    pub instructions: String,
    pub tools: Vec<DeclaredTool>,
    /// The entries of `resources/list` and of `resources/templates/list`.
    pub resources: Vec<JsonBuf>,
    pub prompts: Vec<JsonBuf>,
}

/// An entry of `tools/list`, with the error codes that the tool can answer with.
#[derive(Debug, Clone)]
pub struct DeclaredTool {
    pub definition: JsonBuf,
    pub error_codes: Option<BTreeSet<String>>,
}
