//! The handler: which request goes which way.
use std::sync::Arc;

use overt_spec::control::{Subject, Verdict};
use overt_wire::{BoxFuture, ErrorObject, Exchange, Handler, Kind, Message, Method, Session};

use super::case::holder;
use super::catalogue::Catalogue;
use super::control::Control;
use super::limiter::Limiter;
use super::lists::List;
use super::records::Story;
use super::rounds::Rounds;
use super::wishes::Wishes;
use crate::Endpoint;
use crate::policy::{Cleared, Named, Permitted};

/// Makes a handler of an endpoint.
#[derive(Debug)]
pub struct Authorize<E> {
    pub(super) control: Control,
    pub(super) endpoint: E,
    pub(super) catalogue: Catalogue,
    pub(super) limiter: Limiter,
    pub(super) rounds: Rounds,
}

impl<E: Endpoint> Authorize<E> {
    pub fn new(control: impl Into<Control>, endpoint: E) -> Self {
        Self {
            control: control.into(),
            endpoint,
            catalogue: Catalogue::default(),
            limiter: Limiter::new(),
            rounds: Rounds::new(),
        }
    }

    /// Passes on what needs no permission but the judges'.
    pub(super) fn pass(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        match Cleared::by_judges(&self.control.judges, &exchange.message) {
            Ok(cleared) => self.endpoint.call(Permitted::new(exchange, cleared, Arc::default())),
            Err(refusal) => {
                let error = ErrorObject::invalid_params(refusal.reason);
                let answer = (exchange.message.kind() == Kind::Request)
                    .then(|| Message::error(exchange.message.id(), &error));
                Box::pin(std::future::ready(answer))
            }
        }
    }

    /// Whether nothing about this call has to be looked at: everything is allowed, nobody writes anything down, and
    /// neither the request nor a declaration says otherwise.
    fn is_plain(&self, exchange: &Exchange, tool: &str) -> bool {
        let in_force = self.control.in_force();
        in_force.is_open()
            && !self.control.ledger.is_on()
            && self.endpoint.record(tool).is_none()
            && self.endpoint.rate_limit().is_none()
            && !Wishes::has_any(&exchange.message)
    }

    /// Resources and prompts: allowed or not.
    async fn use_named(&self, exchange: Exchange) -> Option<Message> {
        let in_force = self.control.in_force();
        let message = &exchange.message;
        let asks = Named::of(message.method().unwrap_or(Method::Other("")), message.params());
        let target = asks.first().map_or("", |named| named.name()).to_owned();
        let server = self.endpoint.label();
        let mut story = Story::new(&self.control.ledger, &exchange, server, &target, &in_force.version);
        let refuse = |story: &Story, error: ErrorObject| {
            story.denied(&error.message);
            Some(Message::error(message.id(), &error))
        };
        let wishes = match Wishes::read(message, &in_force) {
            Ok(wishes) => wishes,
            Err(error) => return refuse(&story, error),
        };
        for named in &asks {
            let subject = match named {
                Named::Resource(uri) => Subject::Resource { server, uri },
                Named::Prompt(name) => Subject::Prompt { server, name },
                Named::Tool(_) => continue,
            };
            let decision = in_force.authority.decide(subject, &wishes.overlays(), &|_| false);
            if decision.verdict != Verdict::Allow {
                story.decided(&decision);
                let why = decision.decisive().map_or("it is not allowed", |said| said.why.as_str());
                return refuse(&story, ErrorObject::invalid_params(format!("not allowed: {why}")));
            }
        }
        let trusts = in_force.approval.trust_grants;
        let onward = Exchange { message: Wishes::without(message, trusts), ..exchange.clone() };
        story.intent_noted();
        let reply = self.pass(onward).await;
        story.ended(super::records::outcome_of(reply.as_ref()), reply.as_ref());
        reply
    }
}

impl<E: Endpoint> Handler for Authorize<E> {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        if exchange.message.kind() != Kind::Request {
            return self.pass(exchange);
        }
        let method = exchange.message.method().unwrap_or(Method::Other(""));
        if let Some(list) = List::of(method) {
            return Box::pin(self.list(exchange, list));
        }
        match method {
            Method::ToolsCall => {
                let Some(tool) = exchange.message.params().get("name").string().map(String::from) else {
                    // The endpoint says what is missing.
                    return self.pass(exchange);
                };
                if self.is_plain(&exchange, &tool) {
                    return self.pass(exchange);
                }
                Box::pin(async move { self.call_tool(exchange, &tool).await })
            }
            Method::PromptsGet
            | Method::ResourcesRead
            | Method::ResourcesSubscribe
            | Method::Complete
            | Method::Listen => Box::pin(self.use_named(exchange)),
            // A method that nobody knows may do anything (POL-21).
            Method::Other(name) if !self.control.in_force().is_open() => {
                let error = ErrorObject::method_not_found(name);
                let answer = Message::error(exchange.message.id(), &error);
                Box::pin(std::future::ready(Some(answer)))
            }
            _ => self.pass(exchange),
        }
    }

    fn closed(&self, session: &Arc<Session>) {
        let holder = holder(session);
        if !holder.session.is_empty()
            && let Err(error) = self.control.grants.session_ended(&holder.session)
        {
            tracing::error!(%error, "the grants of a session that ended can't be taken back; they end with this process");
        }
        self.endpoint.closed(session);
    }

    fn shutdown(&self) {
        self.endpoint.shutdown();
    }
}
