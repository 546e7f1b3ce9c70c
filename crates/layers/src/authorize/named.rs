//! Resources and prompts: allowed or not, for reading, subscribing and completing alike.
use std::sync::Arc;

use overt_spec::control::{Subject, Verdict};
use overt_wire::{ErrorObject, Exchange, Message, Method};

use super::ground::Ground;
use super::layer::Authorize;
use super::records::{Story, outcome_of};
use super::wishes::Wishes;
use crate::Endpoint;
use crate::policy::{Cleared, Conditions, Named, Permitted};

impl<E: Endpoint> Authorize<E> {
    pub(super) async fn use_named(&self, exchange: Exchange) -> Option<Message> {
        let message = &exchange.message;
        let asks = Named::of(message.method().unwrap_or(Method::Other("")), message.params());
        let target = asks.first().map_or("", |named| named.name()).to_owned();
        let server = self.endpoint.label();
        let mut story = Story::new(&self.control.ledger, &exchange, server, &target);
        let refuse = |story: &Story, error: ErrorObject| {
            story.denied(&error.message);
            Some(Message::error(message.id(), &error))
        };
        let ground = match self.ground(&exchange) {
            Ok(ground) => ground,
            Err(error) => return refuse(&story, error),
        };
        story.say(|entry| entry.policy_version = Some(ground.in_force.version.clone()));
        if let Some(why) = self.artifact_refused(&exchange, &ground, &asks).await {
            return refuse(&story, ErrorObject::invalid_params(format!("not allowed: {why}")));
        }
        for named in &asks {
            let subject = match named {
                Named::Resource(uri) => Subject::Resource { server, uri },
                Named::Prompt(name) => Subject::Prompt { server, name },
                Named::Tool(_) => continue,
            };
            let decision = ground.in_force.authority.decide(subject, &ground.wishes.overlays(), &|_| false);
            if decision.verdict != Verdict::Allow {
                story.decided(&decision);
                let why = decision.decisive().map_or("it is not allowed", |said| said.why.as_str());
                return refuse(&story, ErrorObject::invalid_params(format!("not allowed: {why}")));
            }
        }
        let cleared = match Cleared::by_judges(&self.control.judges, message) {
            Ok(cleared) => cleared,
            Err(refusal) => return refuse(&story, ErrorObject::invalid_params(refusal.reason)),
        };
        let trusts = ground.in_force.approval.trust_grants;
        let onward = Exchange { message: Wishes::without(message, trusts), ..exchange.clone() };
        let conditions = Conditions { settings: ground.values, ..Conditions::default() };
        // Suggestions and subscriptions that stay open are not calls.
        if !matches!(message.method(), Some(Method::Complete | Method::Listen)) {
            story.intent_noted();
        }
        let reply = self.endpoint.call(Permitted::new(onward, cleared, Arc::new(conditions))).await;
        story.ended(outcome_of(reply.as_ref()), reply.as_ref());
        reply
    }

    /// Why whoever reads may not see the changes of a call: the call itself would be refused to them.
    async fn artifact_refused(
        &self,
        exchange: &Exchange,
        ground: &Ground,
        asks: &[Named<'_>],
    ) -> Option<String> {
        for named in asks {
            let Named::Resource(uri) = named else { continue };
            let Some((tool, arguments)) = self.endpoint.artifact(uri) else { continue };
            let known = self.catalogue.of(&self.endpoint, exchange, &tool).await;
            let subject = Subject::Tool { facts: &known.facts, arguments: Some(&arguments) };
            let decision = ground.in_force.authority.decide(subject, &ground.wishes.overlays(), &|_| false);
            if decision.verdict == Verdict::Deny {
                return Some(decision.decisive().map_or_else(String::new, |said| said.why.clone()));
            }
        }
        None
    }
}
