//! One request or notification as it is seen.
use std::time::Instant;

use overt_wire::era::Version;
use overt_wire::json::Member;
use overt_wire::{Message, Method};

use super::Span;

/// What is known of a request or notification when it begins.
#[derive(Debug)]
pub struct Call {
    pub direction: Direction,
    /// Tells sessions apart; it is not the session's id, which is a secret.
    pub session: u64,
    /// The protocol version that the client speaks.
    pub version: Version,
    /// `None` for a method that isn't in the list.
    pub method: Option<Method<'static>>,
    pub started: Instant,
    /// The size of the message, or of a question's `params`.
    pub bytes: usize,
    /// Only where an observer needs them.
    pub details: Option<Box<Details>>,
    /// Only for requests to the server that are recorded, where an observer needs it.
    pub span: Option<Box<Span>>,
}

/// Which way a request or notification goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    ToServer,
    ToClient,
}

/// Other people's words, cut where they are long. They may hold anything: escape them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    pub method: Box<str>,
    /// The exact token, quotes included.
    pub id: Option<Box<str>>,
    pub target: Option<Target>,
}

/// What a request is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Tool(Box<str>),
    Prompt(Box<str>),
    /// An address. It may carry a key.
    Resource(Box<str>),
}

/// Bytes of a name, an address or an id that are kept.
const LONGEST: usize = 256;

// === impl Call ===

impl Call {
    /// The method, `other` for one that isn't in the list: a word of a fixed set.
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
