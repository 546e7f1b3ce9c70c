//! The one question that is asked for listing, calling, reading and explaining alike.
use overt_wire::json::{Json, Member};
use overt_wire::{Message, Method};

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

/// The verdict on a message: on the tool, prompt or resource that it names, else on its method.
pub(crate) fn judge(policy: &dyn Policy, message: &Message) -> Verdict {
    let method = message.method().unwrap_or(Method::Other(""));
    let params = message.params();
    let tool = |member: Member<'_>| member.string().map(|name| policy.decide(Ask::CallTool(&name)));
    let prompt = |member: Member<'_>| member.string().map(|name| policy.decide(Ask::GetPrompt(&name)));
    let resource = |member: Member<'_>| member.string().map(|uri| policy.decide(Ask::ReadResource(&uri)));
    let named = match method {
        Method::ToolsCall => tool(params.get("name")),
        Method::PromptsGet => prompt(params.get("name")),
        Method::ResourcesRead | Method::ResourcesSubscribe => resource(params.get("uri")),
        // What may not be used is not suggested either.
        Method::Complete => match params.get("ref").get("type").string().as_deref() {
            Some("ref/prompt") => prompt(params.get("ref").get("name")),
            Some("ref/resource") => resource(params.get("ref").get("uri")),
            _ => None,
        },
        // Nor is one told how it changes: one resource that may not be read refuses the whole.
        Method::Listen => {
            let uris = params.get("notifications").get("resourceSubscriptions").value();
            let verdicts =
                uris.into_iter().flat_map(Json::elements).filter_map(|uri| resource(Member::Value(uri)));
            verdicts.into_iter().find(|verdict| matches!(verdict, Verdict::Refuse(_)))
        }
        _ => None,
    };
    // Where nothing is named although something should be, the endpoint says what is missing.
    named.unwrap_or_else(|| policy.decide(Ask::Other(method)))
}
