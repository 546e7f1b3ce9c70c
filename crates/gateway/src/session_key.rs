//! Which clients share a session with the upstream, and how they are described to it.
use std::borrow::Cow;
use std::sync::Arc;

use overt_layers::configure::client_configuration;
use overt_wire::era::{Caller, Era, Version};
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{Principal, Session};

/// Whose session it is: the principal, and which of its clients. Two principals share a session
/// only if the operator wants a single one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SessionKey {
    /// `None` for the single session that the operator wants.
    pub(crate) principal: Option<Principal>,
    pub(crate) clients: SessionClients,
}

/// The client or clients of one principal that a session is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum SessionClients {
    /// One client that has a session with us, or is at the other end of a pipe.
    Session(String),
    /// One client as in `Session`, with a configuration that it sends with its requests. The
    /// upstream gets a configuration only at the start of a session, so each has a session of its
    /// own.
    Configured { session: String, configuration: String },
    /// A client that came back with the handle it was given.
    Handle(String),
    /// Clients that keep no session and report the same name, version and capabilities.
    Profile { name: String, version: String, capabilities: String },
    /// All clients: the upstream keeps no state between requests.
    All,
}

impl SessionKey {
    pub(crate) fn new(principal: &Principal, clients: SessionClients) -> Self {
        Self { principal: Some(principal.clone()), clients }
    }

    /// The single session that the operator wants, for all clients of all principals.
    pub(crate) fn single() -> Self {
        Self { principal: None, clients: SessionClients::All }
    }

    /// The session of one client that has a session with us.
    pub(crate) fn of_session(client: &Session) -> Self {
        Self::new(client.principal(), SessionClients::Session(client.id().to_owned()))
    }

    /// The session that all clients of a principal share.
    pub(crate) fn shared(principal: &Principal) -> Self {
        Self::new(principal, SessionClients::All)
    }

    /// Whether this is a session of a client that has a session with us.
    pub(crate) fn is_of(&self, client: &Session) -> bool {
        let is_same = match &self.clients {
            SessionClients::Session(id) | SessionClients::Configured { session: id, .. } => id == client.id(),
            _ => false,
        };
        is_same && self.principal.as_ref() == Some(client.principal())
    }

    pub(crate) fn is_shared(&self) -> bool {
        self.clients == SessionClients::All
    }
}

impl SessionClients {
    /// Returns the key of a client at the other end of a pipe, as it is configured in this request.
    pub(crate) fn of_one(session: &Session, caller: &Caller) -> Self {
        let session = session.id().to_owned();
        match client_configuration(caller) {
            Some(sent) => Self::Configured { session, configuration: sent.as_str().to_owned() },
            None => Self::Session(session),
        }
    }

    pub(crate) fn of_profile(caller: &Arc<Caller>) -> Self {
        let text = |name: &str| {
            let info = caller.info.as_ref().map(JsonBuf::as_json);
            info.and_then(|info| info.get(name).string()).map_or_else(String::new, Cow::into_owned)
        };
        let capabilities = introduction(caller).capabilities.as_str().to_owned();
        Self::Profile { name: text("name"), version: text("version"), capabilities }
    }

    /// Whether the session ends when it is idle, because nothing shows that its client has gone.
    pub(crate) fn can_be_idle(&self) -> bool {
        matches!(self, Self::Handle(_) | Self::Profile { .. } | Self::Configured { .. })
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
