//! The bytes of a request.

use std::net::{SocketAddr, ToSocketAddrs};

use crate::calls::{self, Era, Nonce};

/// The endpoint that gets the requests.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) address: SocketAddr,
    host: String,
    path: String,
    pub(crate) era: Era,
    tool: String,
}

impl Endpoint {
    pub(crate) fn new(url: &str, era: Era, tool: &str) -> Result<Self, String> {
        let bad = || format!("`{url}` is not a URL like `http://127.0.0.1:8080/mcp`");
        let (host, path) =
            url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).ok_or_else(bad)?;
        let address = host.to_socket_addrs().ok().and_then(|mut found| found.next()).ok_or_else(bad)?;
        Ok(Self { address, host: host.to_owned(), path: format!("/{path}"), era, tool: tool.to_owned() })
    }

    pub(crate) fn initialize(&self) -> Vec<u8> {
        self.post(calls::INITIALIZE, "", None)
    }

    pub(crate) fn initialized(&self, session: Option<&str>) -> Vec<u8> {
        self.post(calls::INITIALIZED, &self.version_header(), session)
    }

    pub(crate) fn call(&self, nonce: Nonce, session: Option<&str>) -> Vec<u8> {
        self.post(&self.era.call(&self.tool, nonce), &self.version_header(), session)
    }

    /// Returns the request that ends a session, so that the next measurement starts as this one
    /// did.
    pub(crate) fn delete(&self, session: &str) -> Vec<u8> {
        let Self { path, host, .. } = self;
        let version = self.era.version();
        format!(
            "DELETE {path} HTTP/1.1\r\nHost: {host}\r\nMCP-Protocol-Version: {version}\r\n\
             Mcp-Session-Id: {session}\r\nConnection: close\r\n\r\n"
        )
        .into_bytes()
    }

    fn version_header(&self) -> String {
        let version = format!("MCP-Protocol-Version: {}\r\n", self.era.version());
        match self.era {
            Era::Initialized => version,
            Era::Stateless => format!("{version}Mcp-Method: tools/call\r\nMcp-Name: {}\r\n", self.tool),
        }
    }

    fn post(&self, body: &str, headers: &str, session: Option<&str>) -> Vec<u8> {
        let Self { path, host, .. } = self;
        let session = session.map_or(String::new(), |session| format!("Mcp-Session-Id: {session}\r\n"));
        format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{headers}{session}\r\n{body}",
            body.len()
        )
        .into_bytes()
    }
}
