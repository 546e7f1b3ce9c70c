//! The addresses of a server, as far as the documents about it need them.
use url::Url;

use crate::description::Description;
use overt_secrets::is_public_host;

/// The current address of the server, and the location of the documents about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerLocation {
    /// The URL of the MCP endpoint; `None` over stdio.
    pub mcp_url: Option<String>,
    pub documents: DocumentLocation,
}

/// How documents refer to each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DocumentLocation {
    /// As files in one directory. The server itself need not serve them.
    #[default]
    Files,
    /// By their address beside the MCP endpoint, where we serve them.
    Served,
}

impl ServerLocation {
    /// The location of a third-party server at this address.
    pub fn at(mcp_url: impl Into<String>) -> Self {
        Self { mcp_url: Some(mcp_url.into()), documents: DocumentLocation::Files }
    }

    /// The location of a third-party server that was reached at this address. Documents contain the
    /// address only if it is public: encrypted, not on a private network, and without user, query
    /// or fragment.
    pub fn reached(url: &str) -> Self {
        let (address, _) = url.split_once(['?', '#']).unwrap_or((url, ""));
        let is_public = Url::parse(address).is_ok_and(|url| {
            let has_user = !url.username().is_empty() || url.password().is_some();
            url.scheme() == "https" && !has_user && url.host_str().is_some_and(is_public_host)
        });
        if is_public { Self::at(address) } else { Self::default() }
    }

    /// The location of a server at this address whose documents we serve too.
    pub fn served(mcp_url: impl Into<String>) -> Self {
        Self { mcp_url: Some(mcp_url.into()), documents: DocumentLocation::Served }
    }

    /// Returns the URL of the MCP endpoint: the declared public one, otherwise the current address.
    pub fn endpoint<'a>(&'a self, description: &'a Description) -> Option<&'a str> {
        description.server.urls.mcp.as_deref().or(self.mcp_url.as_deref())
    }

    /// Returns the address of the document at this absolute path, if documents are served beside
    /// the endpoint.
    pub fn served_address(&self, description: &Description, path: &str) -> Option<String> {
        Some(Url::parse(self.serving(description)?).ok()?.join(path).ok()?.to_string())
    }

    /// Returns the address of the server card below the endpoint, if it is served.
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
