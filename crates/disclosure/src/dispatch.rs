//! The handler: decides which requests are answered here and which answers are extended.
use std::sync::Arc;

use overt_layers::ReadRecords;
use overt_wire::edit::EditError;
use overt_wire::json::Object;
use overt_wire::{
    BoxFuture, Document, DocumentRequest, ErrorObject, Exchange, Handler, Kind, Message, Method, NoDocument,
    Session,
};

use super::answers::{self, Cacheable};
use super::layer::Disclose;
use super::{handshake, help, pages, resources};

impl<H: ReadRecords> Handler for Disclose<H> {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        if exchange.message.kind() != Kind::Request {
            return self.inner.call(exchange);
        }
        let disclosure = &self.disclosure;
        match exchange.message.method() {
            Some(Method::Initialize | Method::Discover) => {
                Box::pin(self.more(exchange, move |reply| handshake::decorate(reply, disclosure)))
            }
            Some(Method::ToolsList) => {
                let from_start = exchange.message.param("cursor").value().is_none();
                Box::pin(self.more(exchange, move |reply| self.entries.tools(reply, from_start, disclosure)))
            }
            Some(Method::ResourcesList) => Box::pin(self.list(exchange, "resources")),
            Some(Method::ResourceTemplatesList) => Box::pin(self.list(exchange, "resourceTemplates")),
            Some(Method::ResourcesRead)
                if !disclosure.offers.resources || resources::is_asked_for(&exchange) =>
            {
                Box::pin(async move {
                    let body = self.read(&exchange).await;
                    answers::answer(&exchange, &disclosure.info, body, Cacheable::Yes)
                })
            }
            Some(Method::ResourcesRead) => {
                let kept = disclosure.cache_duration(&exchange);
                Box::pin(self.more(exchange, move |reply| resources::with_cache_duration(reply, kept)))
            }
            Some(Method::ResourcesSubscribe | Method::ResourcesUnsubscribe)
                if resources::is_help(&exchange) =>
            {
                Box::pin(std::future::ready(answers::answer(
                    &exchange,
                    &disclosure.info,
                    Ok(Object::new()),
                    Cacheable::Unsaid,
                )))
            }
            Some(Method::AiHelp) => Box::pin(async move {
                let body = self.help(&exchange).await;
                answers::answer(&exchange, &disclosure.info, body, Cacheable::Unsaid)
            }),
            _ => self.inner.call(exchange),
        }
    }

    fn document(&self, request: DocumentRequest) -> BoxFuture<'_, Result<Document, NoDocument>> {
        Box::pin(pages::answer(self, request))
    }

    fn closed(&self, session: &Arc<Session>) {
        self.inner.closed(session);
    }

    fn shutdown(&self) {
        self.inner.shutdown();
    }
}

impl<H: ReadRecords> Disclose<H> {
    /// Calls the inner handler and extends its answer. An answer that cannot be extended is
    /// returned as it is.
    async fn more(
        &self,
        exchange: Exchange,
        add: impl FnOnce(&Message) -> Result<Message, EditError> + Send,
    ) -> Option<Message> {
        let reply = self.inner.call(exchange).await?;
        if reply.kind() != Kind::Result {
            return Some(reply);
        }
        match add(&reply) {
            Ok(more) => Some(more),
            Err(error) => {
                tracing::debug!(%error, "an answer could not be told more about");
                Some(reply)
            }
        }
    }

    async fn help(&self, exchange: &Exchange) -> Result<Object, ErrorObject> {
        let wanted = help::HelpRequest::read(exchange.message.params())?;
        let description = self.describe(exchange, "ai_help").await?;
        let place = resources::place(&self.disclosure, exchange.reached_at.as_deref());
        help::answer(wanted, &description, &place)
    }

    async fn read(&self, exchange: &Exchange) -> Result<Object, ErrorObject> {
        let uri = exchange.message.param("uri").string().unwrap_or_default();
        let description = self.describe(exchange, &uri).await?;
        let body = resources::read(exchange, &description, &self.disclosure);
        body.ok_or_else(|| resources::not_found(exchange))
    }

    async fn list(&self, exchange: Exchange, list: &'static str) -> Option<Message> {
        if !self.disclosure.offers.resources {
            let body = Ok(resources::only(list));
            return answers::answer(&exchange, &self.disclosure.info, body, Cacheable::Yes);
        }
        let disclosure = &self.disclosure;
        self.more(exchange, |reply| {
            let reply = self.entries.resources(reply, list, disclosure)?;
            resources::append(&reply, list)
        })
        .await
    }
}
