//! The handler, which routes each request by its method.
use std::sync::Arc;

use overt_wire::json::Member;
use overt_wire::{BoxFuture, ErrorObject, Exchange, Handler, Kind, Message, Method, Session};

use super::holder::holder_of_session;
use super::layer::{Authorize, refused};
use super::lists::List;
use super::task_requests::TaskRequest;
use crate::Endpoint;
use crate::permit::needs_permission;
use crate::veto::NamedItem;

impl Handler for Authorize {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        if self.must_ask_for_settings(&exchange) {
            return Box::pin(async move {
                self.ask_for_settings(&exchange).await;
                self.route(exchange).await
            });
        }
        self.route(exchange)
    }

    fn closed(&self, session: &Arc<Session>) {
        if let Some(holder) = holder_of_session(session) {
            self.open_tasks.session_closed(&holder);
            self.control.store.session_ended(&holder);
        }
        // Waiting calls of the session wake up and find that their questions are closed.
        self.control.wakers.wake();
        self.endpoint.description().lifecycle.session_closed(session);
    }

    fn shutdown(&self) {
        self.endpoint.description().lifecycle.shutdown();
    }
}

impl Authorize {
    /// Routes a request by its method.
    fn route(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        let method = exchange.message.method().unwrap_or(Method::Other(""));
        if exchange.message.kind() != Kind::Request {
            // A request without an id is not a notification. It would run, but the client would
            // never hear of a refusal, so it is not forwarded.
            return match method.is_notification() && method.as_static().is_some() {
                true => self.pass_unprivileged(exchange),
                false => Box::pin(self.notify_unknown(exchange)),
            };
        }
        let is_meta = !matches!(exchange.message.meta(), Member::Value(meta) if !meta.is_object());
        let named = NamedItem::check(method, &exchange.message);
        if let Err(what) = named.and(if is_meta { Ok(()) } else { Err("`_meta` must be an object") }) {
            // A request that can't be read can't be decided about, and the server may read it
            // differently.
            return refused(&exchange, &ErrorObject::invalid_params(what));
        }
        if let Some(list) = List::of(method) {
            return Box::pin(self.list(exchange, list));
        }
        if let Some(request) = TaskRequest::of(method) {
            return Box::pin(self.use_task(exchange, request));
        }
        let exchange = match method {
            Method::Listen => {
                let id = exchange.message.id().cloned();
                match self.listen_to_own_tasks(exchange) {
                    Ok(exchange) => exchange,
                    Err(error) => {
                        return Box::pin(std::future::ready(Some(Message::error(id.as_ref(), &error))));
                    }
                }
            }
            _ => exchange,
        };
        let method = exchange.message.method().unwrap_or(Method::Other(""));
        match method {
            Method::Initialize | Method::Discover => Box::pin(self.greet(exchange)),
            Method::ToolsCall => {
                let tool = exchange.message.name().string().map(String::from).unwrap_or_default();
                Box::pin(async move { self.call_tool(exchange, &tool).await })
            }
            // The request must name the resource in the same spelling as the subscription did.
            Method::ResourcesUnsubscribe => match self.listed_uris.resolve_request(method, &exchange.message)
            {
                Ok((message, _)) => self.pass_on(Exchange { message, ..exchange }),
                Err(error) => refused(&exchange, &error),
            },
            _ if needs_permission(&exchange.message) => Box::pin(self.use_named(exchange)),
            _ => self.pass_on(exchange),
        }
    }
}
