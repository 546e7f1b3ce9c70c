//! Which clients share a session with the upstream, and how they are described to it.
use std::borrow::Cow;
use std::sync::Arc;

use overt_wire::era::{Caller, Era, Version};
use overt_wire::json::{JsonBuf, Object};

/// The client or clients that a session is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum SessionKey {
    /// One client that has a session with us, or is at the other end of a pipe.
    Session(String),
    /// A client that came back with the handle it was given.
    Handle(String),
    /// Clients that keep no session and report the same name, version and capabilities.
    Client { name: String, version: String, capabilities: String },
    /// All clients: the upstream keeps no state between requests, or the operator wants a single
    /// session.
    Everyone,
}

impl SessionKey {
    pub(crate) fn of_client(caller: &Arc<Caller>) -> Self {
        let text = |name: &str| {
            let info = caller.info.as_ref().map(JsonBuf::as_json);
            info.and_then(|info| info.get(name).string()).map_or_else(String::new, Cow::into_owned)
        };
        let capabilities = introduction(caller).capabilities.as_str().to_owned();
        Self::Client { name: text("name"), version: text("version"), capabilities }
    }

    /// Whether the session ends when it is idle, because nothing shows that its client has gone.
    pub(crate) fn can_be_idle(&self) -> bool {
        matches!(self, Self::Handle(_) | Self::Client { .. })
    }
}

/// Returns the description of a client for the upstream.
pub(crate) fn introduction(caller: &Arc<Caller>) -> Arc<Caller> {
    if caller.era() == Era::Legacy {
        return Arc::clone(caller);
    }
    // Omit extensions: they belong to the modern era, and a legacy upstream does not know them.
    let capabilities = caller.capabilities.as_json().members().filter(|(name, _)| !name.is("extensions"));
    let capabilities =
        capabilities.fold(Object::new(), |object, (name, value)| object.json(&name.name(), value)).finish();
    Arc::new(Caller { capabilities, info: caller.info.clone(), version: Version::NEWEST })
}
