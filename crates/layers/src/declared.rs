//! What a server of ours declares about itself, beside the definitions that it lists. Documents are
//! made of it elsewhere.
use std::collections::BTreeSet;

use overt_policy::Declaration;
use overt_wire::json::JsonBuf;

/// A declaration, and the server that it is about as it will be listed.
#[derive(Debug, Clone)]
pub struct DeclaredServer {
    pub declaration: Declaration,
    /// Whether the author declared who the server is: only then are clients told about it.
    pub has_server: bool,
    /// The `serverInfo` object.
    pub info: JsonBuf,
    pub instructions: String,
    pub tools: Vec<DeclaredTool>,
    /// The entries of `resources/list` and of `resources/templates/list`.
    pub resources: Vec<JsonBuf>,
    pub prompts: Vec<JsonBuf>,
}

/// An entry of `tools/list`, with the codes that the tool answers with when it fails.
#[derive(Debug, Clone)]
pub struct DeclaredTool {
    pub definition: JsonBuf,
    pub error_codes: Option<BTreeSet<String>>,
}
