//! The handler: which request goes which way.
use std::sync::Arc;

use overt_wire::json::Member;
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
use crate::configure::{self, Clients, Configured, client_configuration};
use crate::policy::{Cleared, Named, Permitted};
use crate::seal::Names;

/// Makes a handler of an endpoint.
#[derive(Debug)]
pub struct Authorize<E> {
    pub(super) control: Control,
    pub(super) endpoint: E,
    pub(super) catalogue: Catalogue,
    pub(super) limiter: Limiter,
    /// What clients limit themselves by.
    pub(super) own_limits: Limiter,
    pub(super) rounds: Rounds,
    /// By which the records of a call are found.
    calls: Names,
    /// The endpoint's own settings.
    pub(super) configured: Option<Configured>,
}

impl<E: Endpoint> Authorize<E> {
    pub fn new(control: impl Into<Control>, endpoint: E) -> Self {
        let configured = endpoint.settings().map(|values| Configured::new(values, Clients::ByTransport));
        Self {
            control: control.into(),
            endpoint,
            catalogue: Catalogue::default(),
            limiter: Limiter::new(),
            own_limits: Limiter::new(),
            rounds: Rounds::new(),
            calls: Names::default(),
            configured,
        }
    }

    /// What will be written down of a request.
    pub(super) fn story(&self, exchange: &Exchange, target: &str) -> Story {
        Story::new(&self.control.ledger, &self.calls, exchange, self.endpoint.label(), target)
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

    /// The same for a request that may say something for us alone: what is wrong with that refuses it, and none of it goes on.
    fn pass_on(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        if !Wishes::has_any(&exchange.message) {
            return self.pass(exchange);
        }
        match self.ground(&exchange) {
            Ok(ground) => {
                let trusts = ground.in_force.approval.trust_grants;
                self.pass(Exchange { message: Wishes::without(&exchange.message, trusts), ..exchange })
            }
            Err(error) => {
                let answer = Message::error(exchange.message.id(), &error);
                Box::pin(std::future::ready(Some(answer)))
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
            && client_configuration(&exchange.caller).is_none()
    }

    /// The handshake: who sends a configuration that can't be taken is told so, and everybody is told what can be set.
    async fn greet(&self, exchange: Exchange) -> Option<Message> {
        let in_force = self.control.in_force();
        let id = exchange.message.id().cloned();
        let era = exchange.caller.era();
        if let Err(error) = self.values(&exchange, &in_force) {
            return Some(Message::error(id.as_ref(), &error));
        }
        let reply = self.pass(exchange).await?;
        let configured = in_force.settings.as_ref().map(|settings| &settings.configured);
        let schema = configured.or(self.configured.as_ref()).map(|configured| configured.schema().as_json());
        Some(configure::decorate(&reply, era, schema).unwrap_or(reply))
    }
}

impl<E: Endpoint> Handler for Authorize<E> {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        let method = exchange.message.method().unwrap_or(Method::Other(""));
        if exchange.message.kind() != Kind::Request {
            // A request without an id is no notification: nobody would hear that it was refused, and it would run.
            let passes =
                method.is_notification() && (method.known().is_some() || self.control.in_force().is_open());
            return if passes { self.pass(exchange) } else { Box::pin(std::future::ready(None)) };
        }
        let is_meta =
            !matches!(exchange.message.params().get("_meta"), Member::Value(meta) if !meta.is_object());
        let named = Named::check(method, exchange.message.params());
        if let Err(what) = named.and(if is_meta { Ok(()) } else { Err("`_meta` must be an object") }) {
            // What can't be read can't be judged, and a server may read it otherwise.
            let answer = Message::error(exchange.message.id(), &ErrorObject::invalid_params(what));
            return Box::pin(std::future::ready(Some(answer)));
        }
        if let Some(list) = List::of(method) {
            return Box::pin(self.list(exchange, list));
        }
        match method {
            Method::Initialize | Method::Discover => Box::pin(self.greet(exchange)),
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
            // What a permitted call became, in the words of 2025-11-25.
            Method::Other("tasks/result" | "tasks/list") => self.pass_on(exchange),
            // A method that nobody knows may do anything (POL-21).
            Method::Other(name) if !self.control.in_force().is_open() => {
                let error = ErrorObject::method_not_found(name);
                let answer = Message::error(exchange.message.id(), &error);
                Box::pin(std::future::ready(Some(answer)))
            }
            _ => self.pass_on(exchange),
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
