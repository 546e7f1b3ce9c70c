//! The layer itself: which request is answered here, and which answer gets more.
use std::sync::Arc;

use overt_documents::Description;
use overt_layers::ReadRecords;
use overt_wire::edit::EditError;
use overt_wire::json::Object;
use overt_wire::{
    BoxFuture, Document, DocumentRequest, ErrorObject, Exchange, Handler, Kind, Message, Method, NoDocument,
    Session,
};

use super::described::Described;
use super::disclosure::Disclosure;
use super::lists::Told;
use super::pages::Reader;
use super::said::Kept;
use super::{hello, help, pages, resources, said, survey};

/// Stands before a handler and tells what is declared about it.
#[derive(Debug)]
pub struct Disclose<H> {
    pub(super) inner: H,
    pub(super) disclosure: Disclosure,
    pub(super) reader: Reader,
    told: Told,
    described: Described,
}

impl<H: ReadRecords> Disclose<H> {
    pub fn new(inner: H, disclosure: Disclosure) -> Self {
        Self {
            inner,
            disclosure,
            reader: Reader::default(),
            told: Told::default(),
            described: Described::default(),
        }
    }

    /// The server as this caller may see it, asked for once in a few seconds. The read is counted and recorded.
    pub(super) async fn describe(
        &self,
        caller: &Exchange,
        target: &str,
    ) -> Result<Arc<Description>, ErrorObject> {
        self.inner.count_read(caller, target)?;
        self.look(caller).await
    }

    /// The server as this caller may see it, for a read that is counted elsewhere.
    pub(super) async fn look(&self, caller: &Exchange) -> Result<Arc<Description>, ErrorObject> {
        let key = Described::key(caller, &self.inner.revision());
        if let Some(described) = self.described.get(&key) {
            return Ok(described);
        }
        let live = survey::survey(&self.inner, caller, self.disclosure.offers).await?;
        let (description, findings) = self.disclosure.describe(live);
        for finding in findings.iter() {
            tracing::debug!("left out of what is told: {finding}");
        }
        let description = Arc::new(description);
        self.described.keep(key, &description);
        Ok(description)
    }

    /// The answer of the handler, with more in it. One that can't take more stays as it is.
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
        let wanted = help::Wanted::read(exchange.message.params())?;
        let description = self.describe(exchange, "ai_help").await?;
        let place = resources::place(&self.disclosure, exchange.reached_at.as_deref());
        help::answer(wanted, &description, &place)
    }

    async fn read(&self, exchange: &Exchange) -> Result<Object, ErrorObject> {
        let uri = exchange.message.params().get("uri").string().unwrap_or_default();
        let description = self.describe(exchange, &uri).await?;
        let body = resources::read(exchange, &description, &self.disclosure);
        body.ok_or_else(|| resources::not_found(exchange))
    }

    async fn list(&self, exchange: Exchange, list: &'static str) -> Option<Message> {
        if !self.disclosure.offers.resources {
            let body = Ok(resources::only(list));
            return said::answer(&exchange, &self.disclosure.info, body, Kept::Yes);
        }
        let disclosure = &self.disclosure;
        self.more(exchange, |reply| {
            let reply = self.told.resources(reply, list, disclosure)?;
            resources::append(&reply, list)
        })
        .await
    }
}

impl<H: ReadRecords> Handler for Disclose<H> {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        if exchange.message.kind() != Kind::Request {
            return self.inner.call(exchange);
        }
        let disclosure = &self.disclosure;
        match exchange.message.method() {
            Some(Method::Initialize | Method::Discover) => {
                Box::pin(self.more(exchange, move |reply| hello::decorate(reply, disclosure)))
            }
            Some(Method::ToolsList) => {
                let from_start = exchange.message.params().get("cursor").value().is_none();
                Box::pin(self.more(exchange, move |reply| self.told.tools(reply, from_start, disclosure)))
            }
            Some(Method::ResourcesList) => Box::pin(self.list(exchange, "resources")),
            Some(Method::ResourceTemplatesList) => Box::pin(self.list(exchange, "resourceTemplates")),
            Some(Method::ResourcesRead)
                if !disclosure.offers.resources || resources::is_asked_for(&exchange) =>
            {
                Box::pin(async move {
                    let body = self.read(&exchange).await;
                    said::answer(&exchange, &disclosure.info, body, Kept::Yes)
                })
            }
            Some(Method::AiHelp) => Box::pin(async move {
                let body = self.help(&exchange).await;
                said::answer(&exchange, &disclosure.info, body, Kept::Unsaid)
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
