//! Where a server is reached, as far as the documents about it must know.
use url::Url;

use crate::description::Description;
use overt_policy::secrets::is_public_host;

/// Where the server is reached now, and the documents about it with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerLocation {
    /// The address of the MCP endpoint; none over stdio.
    pub mcp_url: Option<String>,
    pub documents: DocumentLocation,
}

/// Where one document finds another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DocumentLocation {
    /// In files of one directory. The server itself need not serve them.
    #[default]
    Files,
    /// Served beside the MCP endpoint, by us.
    Served,
}

impl ServerLocation {
    /// A third-party server at this address.
    pub fn at(mcp_url: impl Into<String>) -> Self {
        Self { mcp_url: Some(mcp_url.into()), documents: DocumentLocation::Files }
    }

    /// A third-party server that was reached at this address. Documents have the address only if it
    /// is public: encrypted, on no private network, and without user, query or fragment.
    pub fn reached(url: &str) -> Self {
        let (address, _) = url.split_once(['?', '#']).unwrap_or((url, ""));
        let is_public = Url::parse(address).is_ok_and(|url| {
            let has_user = !url.username().is_empty() || url.password().is_some();
            url.scheme() == "https" && !has_user && url.host_str().is_some_and(is_public_host)
        });
        if is_public { Self::at(address) } else { Self::default() }
    }

    /// A server at this address that we serve with its documents.
    pub fn served(mcp_url: impl Into<String>) -> Self {
        Self { mcp_url: Some(mcp_url.into()), documents: DocumentLocation::Served }
    }

    /// The MCP endpoint: the public one that is declared, or the one where the server is reached
    /// now.
    pub fn endpoint<'a>(&'a self, description: &'a Description) -> Option<&'a str> {
        description.server.urls.mcp.as_deref().or(self.mcp_url.as_deref())
    }

    /// The address of a document by its path from the root, if it is served beside the endpoint.
    pub fn beside(&self, description: &Description, path: &str) -> Option<String> {
        Some(Url::parse(self.serving(description)?).ok()?.join(path).ok()?.to_string())
    }

    /// The address of the server card, if it is served: below the endpoint.
    pub fn server_card(&self, description: &Description) -> Option<String> {
        Some(format!("{}/server-card", self.serving(description)?.trim_end_matches('/')))
    }

    fn serving<'a>(&'a self, description: &'a Description) -> Option<&'a str> {
        self.endpoint(description).filter(|_| self.documents == DocumentLocation::Served)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D-30.
    #[test]
    fn d_30_only_a_public_address_is_told() {
        for (url, told) in [
            ("https://mcp.acme.com/mcp", Some("https://mcp.acme.com/mcp")),
            ("HTTPS://mcp.acme.com:8443/mcp?key=x#y", Some("HTTPS://mcp.acme.com:8443/mcp")),
            ("https://8.8.8.8/mcp", Some("https://8.8.8.8/mcp")),
            ("http://mcp.acme.com/mcp", None),
            ("https://ada:pass@mcp.acme.com/mcp", None),
            ("https://ada@mcp.acme.com/mcp", None),
            ("https://10.1.2.3/mcp", None),
            ("https://167838211/mcp", None),
            ("https://192.168.0.1:8443/mcp", None),
            ("https://100.64.0.1/mcp", None),
            ("https://169.254.169.254/mcp", None),
            ("https://127.0.0.1/mcp", None),
            ("https://0.0.0.0/mcp", None),
            ("https://[::1]/mcp", None),
            ("https://[fd12::1]/mcp", None),
            ("https://[fe80::1]/mcp", None),
            ("https://[::ffff:10.0.0.1]/mcp", None),
            ("https://[2606:4700::1]/mcp", Some("https://[2606:4700::1]/mcp")),
            ("https://localhost/mcp", None),
            ("https://app.localhost/mcp", None),
            ("https://build/mcp", None),
            ("https://tools.acme.corp/mcp", None),
            ("https://Tools.Acme.Internal./mcp", None),
            ("https://host.docker.internal/mcp", None),
            ("https://nas.home.arpa/mcp", None),
            ("no address", None),
        ] {
            assert_eq!(ServerLocation::reached(url).mcp_url.as_deref(), told, "{url}");
        }
    }
}
