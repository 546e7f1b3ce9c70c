//! JSON-RPC errors: the codes that MCP defines, and an error object that can be built up.
use crate::json::{JsonBuf, Object};

/// Codes of JSON-RPC 2.0, of the MCP specification (per era where they differ), and of Overt.
pub mod code {
    pub const PARSE: i64 = -32700;
    pub const INVALID_REQUEST: i64 = -32600;
    pub const METHOD_NOT_FOUND: i64 = -32601;
    pub const INVALID_PARAMS: i64 = -32602;
    pub const INTERNAL: i64 = -32603;
    /// The general server error of versions up to 2025-11-25. Newer versions discourage the range.
    pub const LEGACY_SERVER: i64 = -32000;
    /// Up to 2025-11-25 only. Later versions use `INVALID_PARAMS` instead.
    pub const LEGACY_RESOURCE_NOT_FOUND: i64 = -32002;
    pub const HEADER_MISMATCH: i64 = -32020;
    pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
    pub const UNSUPPORTED_VERSION: i64 = -32022;
    /// Ours, outside the reserved range: the server is overloaded. Also sent to legacy clients.
    pub const OVERLOADED: i64 = 1_429;
    /// Ours: the call did not finish before its deadline.
    pub const DEADLINE: i64 = 1_408;
    /// Ours: the upstream requires an authorization that we don't have.
    pub const UPSTREAM_REFUSED: i64 = 1_403;
    /// Ours: the upstream's answer can't be used.
    pub const UPSTREAM_FAILED: i64 = 1_500;
    /// Ours: the connection to the upstream was lost during the call.
    pub const UPSTREAM_LOST: i64 = 1_502;
    /// Ours: the upstream can't be reached, so the call was not sent.
    pub const UPSTREAM_DOWN: i64 = 1_503;
}

/// The `error` member of a response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (code {code})")]
pub struct ErrorObject {
    pub code: i64,
    pub message: String,
    pub data: Option<JsonBuf>,
}

impl ErrorObject {
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_REQUEST, message)
    }

    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    pub fn method_not_found(method: &str) -> Self {
        Self::new(code::METHOD_NOT_FOUND, format!("method not found: `{method}`"))
    }

    /// An internal error. Its message must not reveal anything about the internals to the peer.
    pub fn internal() -> Self {
        Self::new(code::INTERNAL, "internal error; the server's log says more")
    }

    #[must_use]
    pub fn with_data(self, data: JsonBuf) -> Self {
        Self { data: Some(data), ..self }
    }

    pub fn to_json(&self) -> JsonBuf {
        let object = Object::new().raw("code", &self.code.to_string()).string("message", &self.message);
        match &self.data {
            Some(data) => object.json("data", data.as_json()),
            None => object,
        }
        .finish()
    }
}
