//! The handshake: checks a client's configuration, and tells every client what it can configure.
use overt_policy::mark::request as mark;
use overt_wire::era::Era;
use overt_wire::{Exchange, Kind, Message, Method};

use super::layer::Authorize;
use super::request_options::RequestOptions;
use crate::Endpoint;
use crate::configure::{self, AnswerAuthor, Foreign};
use crate::listing;

impl Authorize {
    /// Handles the handshake and refuses a configuration that can't be accepted. Members for the
    /// upstream can be checked only after the upstream has said which settings it has.
    pub(super) async fn greet(&self, exchange: Exchange) -> Option<Message> {
        let snapshot = self.control.snapshot();
        let author = self.author();
        let foreign = match author {
            AnswerAuthor::Ours => Foreign::Refused,
            AnswerAuthor::Upstream => Foreign::Unchecked,
        };
        let asked = exchange.clone();
        let refuse = |error| Some(Message::error(asked.message.id(), &error));
        if let Err(error) = self.values(&exchange, &snapshot, &foreign) {
            return refuse(error);
        }
        let reply = self.pass_unprivileged(exchange).await?;
        if author == AnswerAuthor::Upstream && reply.kind() == Kind::Result {
            self.upstream_settings.learn(&reply);
            if let Err(error) = self.values(&asked, &snapshot, &self.foreign()) {
                self.forget_session(&asked);
                return refuse(error);
            }
        }
        let schema = self.configured_in(&snapshot).map(|configured| configured.schema().as_json());
        Some(configure::decorate(&reply, author, asked.caller.era(), schema).unwrap_or(reply))
    }

    /// Returns which members of a configuration are for the upstream and not for Overt to check.
    pub(super) fn foreign(&self) -> Foreign {
        match self.author() {
            AnswerAuthor::Ours => Foreign::Refused,
            AnswerAuthor::Upstream => self.upstream_settings.foreign(),
        }
    }

    /// Returns whether a request without a handshake configures an upstream that has not yet said
    /// which settings it has, or has a policy that may be for it.
    pub(super) fn must_ask_for_settings(&self, exchange: &Exchange) -> bool {
        exchange.message.kind() == Kind::Request
            && exchange.caller.era() == Era::Modern
            && exchange.message.method() != Some(Method::Discover)
            && self.author() == AnswerAuthor::Upstream
            && !self.upstream_settings.is_known()
            && (exchange.message.meta().get(mark::POLICY).value().is_some()
                || self
                    .configured_in(&self.control.snapshot())
                    .is_some_and(|configured| configured.has_foreign_members(exchange)))
    }

    /// Asks the upstream which settings it has. If it does not answer, no name is known and the
    /// request is refused.
    pub(super) async fn ask_for_settings(&self, exchange: &Exchange) {
        let discover = listing::request(exchange, Method::Discover, None);
        // No option of the call is for this request.
        let message = RequestOptions::without(&discover.message, false);
        let discover = Exchange { message, ..discover };
        if let Some(reply) = self.pass_unprivileged(discover).await {
            self.upstream_settings.learn(&reply);
        }
    }

    /// Closes the upstream's session of a client that Overt refuses after the upstream greeted it.
    /// The client may try again with another configuration.
    fn forget_session(&self, exchange: &Exchange) {
        if exchange.caller.era() == Era::Legacy {
            self.endpoint.description().lifecycle.session_closed(&exchange.session);
        }
    }

    fn author(&self) -> AnswerAuthor {
        match self.endpoint.description().declared {
            Some(_) => AnswerAuthor::Ours,
            None => AnswerAuthor::Upstream,
        }
    }
}
