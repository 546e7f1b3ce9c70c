//! Requests about resources: reading, subscribing, and the filter of a listener.
use std::sync::Arc;

use overt_policy::uri::Variables;
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{ErrorObject, Exchange};

use super::announcement::Filter;
use super::context::CallConditions;
use super::endpoint::{RunReply, ToolServer, protocol_error};
use super::reply::{Answer, Reply};
use super::resource::{ResourceContents, ResourceTemplate, asked_uri, not_found};
use super::watch::Watch;

impl ToolServer {
    pub(super) async fn resources_read(&self, exchange: Exchange, conditions: CallConditions) -> Answer {
        let version = exchange.caller.version;
        let uri = asked_uri(exchange.message.params())?.into_owned();
        let found = self
            .resources
            .get(&uri)
            .map(|resource| (&resource.read, Default::default(), &resource.about))
            .or_else(|| {
                let (template, variables) = self.template_of(&uri)?;
                Some((&template.read, variables, &template.about))
            });
        let Some((read, variables, about)) = found else { return Err(not_found(version, &uri)) };
        let annotation = Arc::clone(&conditions.annotation);
        match self.run(exchange, conditions, |context| read(variables, context)).await? {
            RunReply::Done(contents) => {
                let contents: ResourceContents = contents.map_err(|error| {
                    if error.is_refusal {
                        annotation.set_refusal(&error.to_string());
                    }
                    protocol_error(error, version, &uri)
                })?;
                let body = Object::new().json("contents", contents.to_json(&uri).as_json());
                Ok(Reply::new(body).cached(about.cache()).finish(version, &self.info))
            }
            RunReply::NeedsInput(result) => Ok(result),
        }
    }

    pub(super) async fn subscribe(&self, exchange: Exchange, conditions: CallConditions) -> Answer {
        let uri = asked_uri(exchange.message.params())?.into_owned();
        let (version, session) = (exchange.caller.version, Arc::clone(&exchange.session));
        if !self.resources.contains_key(&uri) && self.template_of(&uri).is_none() {
            return Err(not_found(version, &uri));
        }
        let watch = self.watch(&uri, exchange, conditions).await?;
        self.changes.subscribe(&session, &uri, watch)?;
        Ok(JsonBuf::empty_object())
    }

    fn template_of(&self, uri: &str) -> Option<(&ResourceTemplate, Variables)> {
        let mut templates = self.templates.iter();
        templates.find_map(|template| Some((template, template.parsed.as_ref().ok()?.matches(uri)?)))
    }

    /// Starts to watch a resource, if its author declared how.
    async fn watch(
        &self,
        uri: &str,
        exchange: Exchange,
        conditions: CallConditions,
    ) -> Result<Option<Watch>, ErrorObject> {
        let Some((template, variables)) = self.template_of(uri) else { return Ok(None) };
        let Some(watch) = &template.watch else { return Ok(None) };
        let version = exchange.caller.version;
        match self.run(exchange, conditions, |context| watch(uri.to_owned(), variables, context)).await? {
            RunReply::Done(watch) => watch.map(Some).map_err(|error| protocol_error(error, version, uri)),
            RunReply::NeedsInput(_) => Err(ErrorObject::internal()),
        }
    }

    /// Returns the filter of a listener and its watches. Resources that can't be watched are not
    /// acknowledged.
    pub(super) async fn watched(
        &self,
        exchange: &Exchange,
        conditions: &CallConditions,
    ) -> Result<(Filter, Vec<Watch>), ErrorObject> {
        let mut wanted = Filter::read(exchange)?;
        let mut watches = Vec::new();
        for uri in std::mem::take(&mut wanted.uris) {
            match self.watch(&uri, exchange.clone(), conditions.clone()).await {
                Ok(watch) => {
                    watches.extend(watch);
                    wanted.uris.insert(uri);
                }
                Err(error) => tracing::debug!(uri, error = error.message, "a resource can't be watched"),
            }
        }
        Ok((wanted, watches))
    }
}
