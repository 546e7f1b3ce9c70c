//! Documents about a server that are read without MCP, where a transport has paths (HTTP). This
//! module does not know their contents.
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// A request for the document at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentRequest {
    /// The absolute, decoded path. Its segments mean nothing to a file system: no `.`, `..`, empty
    /// segments, separators or control characters.
    pub path: String,
    /// The URL of the MCP endpoint as this reader can reach it.
    pub mcp_url: String,
    /// The path of that URL.
    pub mcp_path: String,
}

/// Why a document is not available.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoDocument {
    /// No document exists at this path.
    NotFound,
    /// A document may exist, but its source can't be reached at the moment.
    Unavailable,
}

/// A public document, which every client that reaches the server may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The media type without a charset. The text is always UTF-8, and the transport adds the
    /// charset where the type needs one.
    pub media_type: Cow<'static, str>,
    pub text: Arc<str>,
    /// How long a reader may keep it without asking again. Zero: it must always ask.
    pub max_age: Duration,
}
