//! Vetoes, such as the pins of an upstream. They can refuse what the decision allows, and nothing
//! else.
use std::borrow::Cow;
use std::sync::Arc;

use overt_wire::json::{Json, Member};
use overt_wire::{Message, Method};

/// What a request wants to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VetoSubject<'a> {
    CallTool(&'a str),
    ReadResource(&'a str),
    GetPrompt(&'a str),
    /// A request that names no tool, resource or prompt: lists, the handshake, notifications.
    Other(Method<'a>),
}

/// Why a request is refused, in words for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub reason: String,
}

/// Can refuse what the decision allows. The result must depend only on the subject and the veto's
/// own state.
pub trait Veto: Send + Sync + 'static {
    fn check(&self, subject: VetoSubject<'_>) -> Result<(), Refusal>;
}

/// A veto that refuses nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAll;

impl Veto for AllowAll {
    fn check(&self, _subject: VetoSubject<'_>) -> Result<(), Refusal> {
        Ok(())
    }
}

/// Returns whether every veto lets a message pass. Vetoes check the tools, prompts and resources
/// that the message names, or its method if it names none.
pub(crate) fn check(vetoes: &[Arc<dyn Veto>], message: &Message) -> Result<(), Refusal> {
    if vetoes.is_empty() {
        return Ok(());
    }
    let method = message.method().unwrap_or(Method::Other(""));
    let uses = NamedItem::of(method, message);
    vetoes.iter().try_for_each(|veto| match uses.is_empty() {
        true => veto.check(VetoSubject::Other(method)),
        false => uses.iter().try_for_each(|named| veto.check(named.as_subject())),
    })
}

/// The longest name or address that is accepted, in bytes. No tool has a longer name.
const MOST_NAME: usize = 4 << 10;

/// A tool, resource or prompt that a message names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NamedItem<'a> {
    Tool(Cow<'a, str>),
    Resource(Cow<'a, str>),
    /// A resource template, which a completion request names.
    Template(Cow<'a, str>),
    Prompt(Cow<'a, str>),
}

impl<'a> NamedItem<'a> {
    /// Returns everything that a request wants to use.
    pub(crate) fn of(method: Method<'_>, request: &'a Message) -> Vec<Self> {
        let one = |member: Member<'a>, name: fn(Cow<'a, str>) -> Self| {
            member.string().map(name).into_iter().collect()
        };
        match method {
            Method::ToolsCall => one(request.name(), Self::Tool),
            Method::PromptsGet => one(request.name(), Self::Prompt),
            Method::ResourcesRead
            | Method::ResourcesSubscribe
            | Method::DirectoryRead
            | Method::SkillsGet => one(request.param("uri"), Self::Resource),
            // Completion gives no suggestions about things that the client may not use.
            Method::Complete => match request.param("ref").get("type").string().as_deref() {
                Some("ref/prompt") => one(request.param("ref").get("name"), Self::Prompt),
                Some("ref/resource") => one(request.param("ref").get("uri"), Self::Template),
                _ => Vec::new(),
            },
            // A client may not learn about changes of a resource that it may not read. One such
            // resource refuses the whole subscription.
            Method::Listen => {
                let uris = request.param("notifications").get("resourceSubscriptions").value();
                uris.into_iter()
                    .flat_map(Json::elements)
                    .filter_map(|uri| uri.string().map(Self::Resource))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Checks that a request names its target as text. The error says what the request must have.
    pub(crate) fn check(method: Method<'_>, request: &Message) -> Result<(), &'static str> {
        let is_text = |member: Member<'_>| member.string().is_some_and(|text| text.len() <= MOST_NAME);
        let wrong = match method {
            Method::ToolsCall if !is_text(request.name()) => "`name` must be a string: the name of a tool",
            Method::PromptsGet if !is_text(request.name()) => "`name` must be a string: the name of a prompt",
            Method::ResourcesRead
            | Method::ResourcesSubscribe
            | Method::ResourcesUnsubscribe
            | Method::DirectoryRead
            | Method::SkillsGet
                if !is_text(request.param("uri")) =>
            {
                "`uri` must be a string"
            }
            Method::Complete => {
                let reference = request.param("ref");
                match reference.get("type").string().as_deref() {
                    Some("ref/prompt") if is_text(reference.get("name")) => return Ok(()),
                    Some("ref/resource") if is_text(reference.get("uri")) => return Ok(()),
                    Some("ref/prompt" | "ref/resource") => {
                        "`ref` must have `name` for a prompt, `uri` for a resource"
                    }
                    _ => "`ref.type` must be `ref/prompt` or `ref/resource`",
                }
            }
            Method::Listen => match request.param("notifications").get("resourceSubscriptions") {
                Member::Value(uris) if uris.is_array() && uris.elements().all(Json::is_string) => {
                    return Ok(());
                }
                Member::Value(_) => "`resourceSubscriptions` must be a list of strings",
                Member::Absent | Member::Null => return Ok(()),
            },
            _ => return Ok(()),
        };
        Err(wrong)
    }

    pub(crate) fn as_subject(&self) -> VetoSubject<'_> {
        match self {
            Self::Tool(name) => VetoSubject::CallTool(name),
            Self::Resource(uri) | Self::Template(uri) => VetoSubject::ReadResource(uri),
            Self::Prompt(name) => VetoSubject::GetPrompt(name),
        }
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Tool(name) | Self::Resource(name) | Self::Template(name) | Self::Prompt(name) => name,
        }
    }
}
