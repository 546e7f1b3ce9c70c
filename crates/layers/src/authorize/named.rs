//! Resources and prompts: allowed or not, for reading, subscribing and completing alike.
use std::sync::Arc;

use overt_policy::{Limits, Subject, Verdict};
use overt_wire::error::code;
use overt_wire::{ErrorObject, Exchange, Message, Method};

use super::bounds::{TooLarge, TookTooLong, fits};
use super::ground::Ground;
use super::layer::Authorize;
use super::records::{Story, outcome_of};
use super::wishes::Wishes;
use crate::Endpoint;
use crate::policy::{Cleared, Conditions, Named, Permitted};

impl<E: Endpoint> Authorize<E> {
    pub(super) async fn use_named(&self, exchange: Exchange) -> Option<Message> {
        let message = &exchange.message;
        let method = message.method().unwrap_or(Method::Other(""));
        let asks = Named::of(method, message.params());
        let target = asks.first().map_or("", |named| named.name()).to_owned();
        let server = self.endpoint.label();
        let mut story = self.story(&exchange, &target);
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
        let mut limits = Limits::default();
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
            limits = limits.meet(&decision.limits);
            if let Err(error) =
                self.count(&exchange, &ground, subject, (method.name(), None), &decision.limits)
            {
                return refuse(&story, error);
            }
        }
        let cleared = match Cleared::by_judges(&self.control.judges, message) {
            Ok(cleared) => cleared,
            Err(refusal) => return refuse(&story, ErrorObject::invalid_params(refusal.reason)),
        };
        let trusts = ground.in_force.approval.trust_grants;
        let onward = Exchange { message: Wishes::without(message, trusts), ..exchange.clone() };
        let conditions = Conditions { settings: ground.values, limits, ..Conditions::default() };
        // Suggestions and subscriptions that stay open are not calls.
        let stays_open = method == Method::Listen;
        if !stays_open && method != Method::Complete {
            story.intent_noted();
        }
        let permitted = Permitted::new(onward, cleared, Arc::new(conditions));
        let refused = |error: ErrorObject| Some(Message::error(message.id(), &error));
        let reply = match self.carry(permitted, limits.time.filter(|_| !stays_open)).await {
            Ok(Some(reply)) => match fits(&limits, &reply) {
                Ok(()) => Some(reply),
                Err(TooLarge { bytes, most }) => {
                    let what = format!("not allowed: it has {bytes} bytes, and the policy allows {most}");
                    refused(ErrorObject::invalid_params(what))
                }
            },
            Ok(None) => None,
            Err(TookTooLong(time)) => {
                let what = format!("it took longer than the {} s that the policy allows", time.as_secs_f64());
                refused(ErrorObject::new(code::DEADLINE, what))
            }
        };
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
            let Ok(known) = self.catalogue.of(&self.endpoint, exchange, &tool).await else {
                return Some("the server's tools can't be listed".to_owned());
            };
            let located = self.endpoint.located(&tool, &arguments, ground.values.as_ref());
            let facts = match &located {
                Some(arguments) => &known.facts.located(arguments),
                None => &known.facts,
            };
            let subject = Subject::Tool { facts, arguments: Some(&arguments) };
            let decision = ground.in_force.authority.decide(subject, &ground.wishes.overlays(), &|_| false);
            if decision.verdict == Verdict::Deny {
                return Some(decision.decisive().map_or_else(String::new, |said| said.why.clone()));
            }
        }
        None
    }
}
