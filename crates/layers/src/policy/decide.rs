//! The one question that is asked for listing, calling, reading and explaining alike.
use overt_wire::{Exchange, Message, Method};

/// What somebody wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask<'a> {
    CallTool(&'a str),
    ReadResource(&'a str),
    GetPrompt(&'a str),
    /// Everything that names no tool, resource or prompt: lists, the handshake, notifications.
    Other(Method<'a>),
}

/// The answer. Layers that each have one take the least.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Refuse(Refusal),
    Allow,
}

/// Why something may not be done, in words for whoever asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub reason: String,
}

/// Answers questions. Must not depend on anything but the question and its own state.
pub trait Policy: Send + Sync + 'static {
    fn decide(&self, ask: Ask<'_>) -> Verdict;
}

/// Refuses nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAll;

impl Policy for AllowAll {
    fn decide(&self, _ask: Ask<'_>) -> Verdict {
        Verdict::Allow
    }
}

/// Calls `answer` with what an exchange wants to do.
pub(crate) fn asked<T>(exchange: &Exchange, answer: impl FnOnce(Ask<'_>) -> T) -> T {
    let message: &Message = &exchange.message;
    let method = message.method().unwrap_or(Method::Other(""));
    let member = match method {
        Method::ToolsCall | Method::PromptsGet => "name",
        Method::ResourcesRead | Method::ResourcesSubscribe => "uri",
        _ => return answer(Ask::Other(method)),
    };
    match (method, message.params().get(member).string()) {
        (Method::ToolsCall, Some(name)) => answer(Ask::CallTool(&name)),
        (Method::PromptsGet, Some(name)) => answer(Ask::GetPrompt(&name)),
        (_, Some(uri)) => answer(Ask::ReadResource(&uri)),
        // Names nothing: the endpoint says what is missing.
        (_, None) => answer(Ask::Other(method)),
    }
}
