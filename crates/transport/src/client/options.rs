//! How we introduce ourselves, and what the server said about itself in the handshake.
use overt_wire::era::{Caller, Version};
use overt_wire::json::{JsonBuf, Object};

use crate::limits::Limits;

/// How to introduce ourselves, and the limits for the server.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    pub name: String,
    pub version: String,
    /// The client capabilities that we declare. The [`Listener`](super::Listener) must be able to
    /// answer the questions that they allow.
    pub capabilities: JsonBuf,
    pub limits: Limits,
    pub protocol: Protocol,
    /// The version that `initialize` offers if `protocol` leaves the choice.
    pub legacy_version: Version,
    /// Sent as `clientInfo` instead of our own name and version, if we speak for another client.
    pub info: Option<JsonBuf>,
}

/// The protocol version to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// Try the modern protocol first and fall back to the legacy one.
    #[default]
    Auto,
    /// Start with `initialize`, for a server that is known to be legacy.
    Legacy,
    /// Only this version.
    Only(Version),
}

/// What the server said about itself in the handshake.
#[derive(Debug, Clone)]
pub struct Server {
    /// The version that both sides have agreed on.
    pub version: Version,
    pub capabilities: JsonBuf,
    /// Its name and version as it reports them; they are not verified.
    pub info: Option<JsonBuf>,
    pub instructions: Option<String>,
    /// The whole result of `initialize` or `server/discover`.
    pub handshake: JsonBuf,
}

impl ClientOptions {
    /// Creates options without capabilities, with default limits, for any protocol version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            capabilities: JsonBuf::empty_object(),
            limits: Limits::default(),
            protocol: Protocol::Auto,
            legacy_version: Version::NEWEST_LEGACY,
            info: None,
        }
    }

    /// Our name and version in the form of the specification.
    pub(super) fn info(&self) -> JsonBuf {
        if let Some(info) = &self.info {
            return info.clone();
        }
        Object::new().string("name", &self.name).string("version", &self.version).finish()
    }

    /// What a modern request says about us.
    pub(super) fn caller(&self, version: Version) -> Caller {
        Caller { version, capabilities: self.capabilities.clone(), info: Some(self.info()) }
    }
}
