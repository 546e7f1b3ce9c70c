//! The URL under which clients reach an endpoint behind a proxy.
use std::str::FromStr;
use std::sync::Arc;

use url::Url;

/// The URL of the MCP endpoint as its clients use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    url: Url,
}

/// Why a text is not a valid public URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublicUrlError {
    #[error("expected the URL of the endpoint, such as `https://mcp.example.com/mcp`")]
    NotAUrl,
    #[error("the URL must begin with `https://` or `http://`")]
    Scheme,
    #[error("the URL may have a host, a port and a path, and no user, password, query or fragment")]
    Extra,
}

impl PublicUrl {
    pub(super) fn text(&self) -> Arc<str> {
        self.url.as_str().into()
    }

    /// The host in the form of a `Host` header.
    pub(super) fn host(&self) -> Option<String> {
        let host = self.url.host_str()?;
        Some(self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
    }
}

impl FromStr for PublicUrl {
    type Err = PublicUrlError;

    fn from_str(text: &str) -> Result<Self, PublicUrlError> {
        let url = Url::parse(text).map_err(|_| PublicUrlError::NotAUrl)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(PublicUrlError::Scheme);
        }
        let has_user = !url.username().is_empty() || url.password().is_some();
        if has_user || url.query().is_some() || url.fragment().is_some() {
            return Err(PublicUrlError::Extra);
        }
        Ok(Self { url })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g_52_a_public_url_is_the_address_of_an_endpoint() {
        for (text, told, host) in [
            ("https://mcp.example.com/mcp", "https://mcp.example.com/mcp", "mcp.example.com"),
            ("HTTPS://MCP.Example.com:443/a/mcp", "https://mcp.example.com/a/mcp", "mcp.example.com"),
            ("http://10.0.0.1:8080/mcp", "http://10.0.0.1:8080/mcp", "10.0.0.1:8080"),
        ] {
            let url: PublicUrl = text.parse().unwrap();
            assert_eq!((&*url.text(), url.host().unwrap().as_str()), (told, host));
        }
        for (text, error) in [
            ("mcp.example.com", PublicUrlError::NotAUrl),
            ("ftp://mcp.example.com/", PublicUrlError::Scheme),
            ("file:///mcp", PublicUrlError::Scheme),
            ("https://me:secret@mcp.example.com/mcp", PublicUrlError::Extra),
            ("https://mcp.example.com/mcp?key=1", PublicUrlError::Extra),
            ("https://mcp.example.com/mcp#x", PublicUrlError::Extra),
        ] {
            assert_eq!(text.parse::<PublicUrl>(), Err(error), "{text}");
        }
    }
}
