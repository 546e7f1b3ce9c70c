//! For whom a session with the upstream is, and what the upstream is told about that client.
use std::borrow::Cow;
use std::sync::Arc;

use overt_wire::era::{Caller, Era, Version};
use overt_wire::json::{JsonBuf, Object};

/// For whom a session is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum SessionKey {
    /// One client that has a session with us, or is at the other end of a pipe.
    Session(String),
    /// A client that came back with the handle that it was given.
    Handle(String),
    /// The clients that keep no session and report the same name, version and capabilities.
    Client { name: String, version: String, capabilities: String },
    /// All clients: the upstream keeps nothing from one request to the next, or the operator wants
    /// one session.
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

    /// Whether such a session ends without a sign that its client has gone.
    pub(crate) fn can_be_idle(&self) -> bool {
        matches!(self, Self::Handle(_) | Self::Client { .. })
    }
}

/// What the upstream is told about a client.
pub(crate) fn introduction(caller: &Arc<Caller>) -> Arc<Caller> {
    if caller.era() == Era::Legacy {
        return Arc::clone(caller);
    }
    // Extensions belong to the newer era; a legacy upstream would not know what to do with them.
    let capabilities = caller.capabilities.as_json().members().filter(|(name, _)| !name.is("extensions"));
    let capabilities =
        capabilities.fold(Object::new(), |object, (name, value)| object.json(&name.name(), value)).finish();
    Arc::new(Caller { capabilities, info: caller.info.clone(), version: Version::NEWEST })
}
