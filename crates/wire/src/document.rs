//! Documents about a server that are read without speaking MCP, where a transport has paths (HTTP). What they say is
//! not known here.
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// A request for the document at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRequest {
    /// Absolute and decoded. Its segments are text that means nothing to a file system: no `.`, `..`, empty ones,
    /// separators or control characters.
    pub path: String,
    /// The MCP endpoint as this reader can reach it.
    pub mcp_url: String,
    /// The path in that URL.
    pub mcp_path: String,
}

/// Why there is no document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoDocument {
    /// There is none at this path.
    NotFound,
    /// There may be one, but what it is made from can't be reached now.
    Unavailable,
}

/// A public document: every client that reaches the server may read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Without a charset: it is always UTF-8, and the transport says so where the type leaves it open.
    pub media_type: Cow<'static, str>,
    pub text: Arc<str>,
    /// For how long a reader may keep it without asking again. Zero: it must always ask.
    pub max_age: Duration,
}
