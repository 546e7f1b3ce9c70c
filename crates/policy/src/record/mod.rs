//! What an author declares once: who the server is, and what each of its tools and resources does.
//! All documents and lists about a server are made from this and from the running server.
mod server; // the server as a whole
mod tool; // one tool
mod resource; // one resource

use indexmap::IndexMap;

pub use resource::ResourceRecord;
pub use server::{AccessLevel, Audit, Invocation, ServerRecord, ServerRequirements, Trouble, Urls};
pub use tool::{Effect, Example, Hints, KnownError, Operation, PiiExposure, SecretsExposure, ToolRecord};

/// Everything that is declared about a server.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Declaration {
    pub server: ServerRecord,
    /// Records by tool name.
    pub tools: IndexMap<String, ToolRecord>,
    /// Records by URI or URI template.
    pub resources: IndexMap<String, ResourceRecord>,
}
