//! Who we say we are, and what the server said about itself when the conversation began.
use overt_wire::era::{Caller, Version};
use overt_wire::json::{JsonBuf, Object};

use crate::limits::Limits;

/// How to introduce ourselves, and what the server may cost us.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    pub name: String,
    pub version: String,
    /// The client capabilities that we declare. A [`Listener`](super::Listener) must be able to
    /// answer what they promise.
    pub capabilities: JsonBuf,
    pub limits: Limits,
    pub protocol: Protocol,
    /// The version that `initialize` offers where `protocol` leaves the choice.
    pub legacy_version: Version,
    /// What is sent as `clientInfo` instead of our own name and version, if we speak for another
    /// client.
    pub info: Option<JsonBuf>,
}

/// Which protocol version to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// Ask with the modern protocol first and fall back to the legacy one.
    #[default]
    Auto,
    /// Greet with `initialize` at once, for a server that is known to be a legacy one.
    Legacy,
    /// This version and no other.
    Only(Version),
}

/// What the server said about itself.
#[derive(Debug, Clone)]
pub struct Server {
    /// The version that both sides speak from here on.
    pub version: Version,
    pub capabilities: JsonBuf,
    /// Its name and version, as it reports them; nothing checks that they are true.
    pub info: Option<JsonBuf>,
    pub instructions: Option<String>,
    /// The whole result of `initialize` or `server/discover`.
    pub handshake: JsonBuf,
}

impl ClientOptions {
    /// No capabilities, default limits, any protocol version.
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

    /// Our name and version as the specification writes them.
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
