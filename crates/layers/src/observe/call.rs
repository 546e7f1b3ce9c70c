//! What observers see of one request or notification.
use std::time::Instant;

use overt_wire::era::Version;
use overt_wire::json::Member;
use overt_wire::{Message, Method};

use super::Span;

/// The facts about a request or notification that are known when it begins.
#[derive(Debug)]
pub struct Call {
    pub direction: Direction,
    /// The number of the session. It is not the session's id, which is secret.
    pub session: u64,
    /// The protocol version that the client speaks.
    pub version: Version,
    /// `None` for a method that Overt does not list.
    pub method: Option<Method<'static>>,
    pub started: Instant,
    /// The size of the message in bytes, or of a question's `params`.
    pub bytes: usize,
    /// `None` unless an observer needs the details.
    pub details: Option<Box<Details>>,
    /// Our span. `None` unless an observer needs it and the request to the server is recorded.
    pub span: Option<Box<Span>>,
}

/// The direction of a request or notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    ToServer,
    ToClient,
}

/// Untrusted text, truncated if it is long. It may contain anything, so escape it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    pub method: Box<str>,
    /// The exact JSON token, quotes included.
    pub id: Option<Box<str>>,
    pub target: Option<Target>,
}

/// What a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Tool(Box<str>),
    Prompt(Box<str>),
    /// An address. It may contain a key.
    Resource(Box<str>),
}

/// The most bytes of a name, an address or an id that are kept.
const LONGEST: usize = 256;

// === impl Call ===

impl Call {
    /// Returns the method, or `other` if Overt does not list it, so the result comes from a fixed
    /// set.
    pub fn method_class(&self) -> &'static str {
        self.method.map_or("other", Method::name)
    }
}

// === impl Details ===

impl Details {
    pub(super) fn of_message(message: &Message) -> Self {
        let method = message.method();
        Self {
            method: cut(method.map_or("", Method::name)),
            id: message.id().map(|id| cut(id.token())),
            target: method.and_then(|method| Target::of(method, message.params())),
        }
    }

    pub(super) fn of_question(method: &str) -> Self {
        Self { method: cut(method), id: None, target: None }
    }
}

// === impl Target ===

impl Target {
    fn of(method: Method<'_>, params: Member<'_>) -> Option<Self> {
        let word = |name: &str| params.get(name).string().map(|word| cut(&word));
        match method {
            Method::ToolsCall => word("name").map(Self::Tool),
            Method::PromptsGet => word("name").map(Self::Prompt),
            Method::ResourcesRead
            | Method::ResourcesSubscribe
            | Method::ResourcesUnsubscribe
            | Method::DirectoryRead
            | Method::SkillsGet
            | Method::ResourceUpdated => word("uri").map(Self::Resource),
            _ => None,
        }
    }
}

fn cut(text: &str) -> Box<str> {
    text[..text.floor_char_boundary(LONGEST)].into()
}
