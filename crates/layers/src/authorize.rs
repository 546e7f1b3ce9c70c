//! The one bridge from a client to an endpoint: asks the policy, and shows in lists only what it would allow.
use std::sync::Arc;

use overt_wire::edit::{self, Step};
use overt_wire::json::{Json, Member};
use overt_wire::{BoxFuture, ErrorObject, Exchange, Handler, Kind, Message, Method, Session};

use crate::Endpoint;
use crate::policy::{Ask, Permitted, Policy, Verdict};

/// Makes a handler of an endpoint.
#[derive(Debug)]
pub struct Authorize<P, E> {
    policy: P,
    endpoint: E,
}

impl<P: Policy, E: Endpoint> Authorize<P, E> {
    pub fn new(policy: P, endpoint: E) -> Self {
        Self { policy, endpoint }
    }

    /// Leaves out of a list whatever a call would be refused for.
    fn filter(&self, list: List, reply: Message) -> Message {
        let Member::Value(items) = reply.result_body().get(list.member) else { return reply };
        let hidden: Vec<usize> = items
            .elements()
            .enumerate()
            .filter(|(_, item)| self.is_hidden(list, *item))
            .map(|(index, _)| index)
            .collect();
        let mut shown = reply.clone();
        // From the end, so that the indices stay right.
        for index in hidden.into_iter().rev() {
            let path = [Step::Member("result"), Step::Member(list.member), Step::Element(index)];
            match edit::remove_in(&shown, &path) {
                Ok(edited) => shown = edited,
                // Better no list than one that shows what it must not.
                Err(_) => return Message::error(reply.id(), &ErrorObject::internal()),
            }
        }
        shown
    }

    fn is_hidden(&self, list: List, item: Json<'_>) -> bool {
        let Some(name) = item.get(list.key).string() else { return false };
        matches!(self.policy.decide((list.ask)(&name)), Verdict::Refuse(_))
    }
}

impl<P: Policy, E: Endpoint> Handler for Authorize<P, E> {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        let list = exchange.message.method().and_then(List::of);
        let permitted = match Permitted::ask(&self.policy, exchange) {
            Ok(permitted) => permitted,
            Err(refused) => {
                let (exchange, refusal) = *refused;
                let answer = (exchange.message.kind() == Kind::Request).then(|| {
                    Message::error(exchange.message.id(), &ErrorObject::invalid_params(refusal.reason))
                });
                return Box::pin(std::future::ready(answer));
            }
        };
        let call = self.endpoint.call(permitted);
        match list {
            None => call,
            Some(list) => Box::pin(async move { call.await.map(|reply| self.filter(list, reply)) }),
        }
    }

    fn closed(&self, session: &Arc<Session>) {
        self.endpoint.closed(session);
    }

    fn shutdown(&self) {
        self.endpoint.shutdown();
    }
}

/// How the entries of a list are named, and what one asks to use them.
#[derive(Clone, Copy)]
struct List {
    member: &'static str,
    key: &'static str,
    ask: fn(&str) -> Ask<'_>,
}

impl List {
    fn of(method: Method<'_>) -> Option<Self> {
        let (member, key, ask): (_, _, fn(&str) -> Ask<'_>) = match method {
            Method::ToolsList => ("tools", "name", |name| Ask::CallTool(name)),
            Method::PromptsList => ("prompts", "name", |name| Ask::GetPrompt(name)),
            Method::ResourcesList => ("resources", "uri", |uri| Ask::ReadResource(uri)),
            Method::ResourceTemplatesList => {
                ("resourceTemplates", "uriTemplate", |uri| Ask::ReadResource(uri))
            }
            _ => return None,
        };
        Some(Self { member, key, ask })
    }
}
