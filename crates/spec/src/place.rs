//! Where a server is reached, as far as the documents about it must know.
use url::Url;

use crate::description::Description;

/// Where the server is reached now; nothing over stdio.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The address of the MCP endpoint.
    pub mcp_url: Option<String>,
}

impl Place {
    /// The MCP endpoint: the public one that is declared, or the one where the server is reached now.
    pub fn endpoint<'a>(&'a self, description: &'a Description) -> Option<&'a str> {
        description.server.urls.mcp.as_deref().or(self.mcp_url.as_deref())
    }

    /// The address of a document that is served beside the endpoint, by its path from the root.
    pub fn beside(&self, description: &Description, path: &str) -> Option<String> {
        Some(Url::parse(self.endpoint(description)?).ok()?.join(path).ok()?.to_string())
    }

    /// The address of the server card: below the endpoint.
    pub fn server_card(&self, description: &Description) -> Option<String> {
        Some(format!("{}/server-card", self.endpoint(description)?.trim_end_matches('/')))
    }
}
