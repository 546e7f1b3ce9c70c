//! A call from the question to the outcome: decided, asked about, limited, written down, made, written down again.
use std::sync::{Arc, OnceLock};

use overt_policy::intent;
use overt_policy::mark::{key, request as mark};
use overt_policy::record::Effect;
use overt_policy::{Decision, Subject};
use overt_wire::edit::{self, Step};
use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{ErrorObject, Exchange, Message};
use serde_json::Value;

use super::answers::{No, word};
use super::asking;
use super::bounds::{TooLarge, TookTooLong, fits};
use super::case::{Bound, Case, arguments};
use super::catalogue::NoList;
use super::layer::Authorize;
use super::records::{Story, outcome_of};
use super::settle::Permit;
use super::wishes::Wishes;
use crate::Endpoint;
use crate::audit::{CallOutcome, Durability, Kind};
use crate::endpoint::unknown_tool;
use crate::grants::StoreError;
use crate::policy::{Cleared, Conditions, Permitted, Telling, Told};
use crate::preview::Preview;

/// Decided, or answered already.
pub(super) type Settled<T> = Result<T, Option<Message>>;

impl<E: Endpoint> Authorize<E> {
    pub(super) async fn call_tool(&self, mut exchange: Exchange, tool: &str) -> Option<Message> {
        if !self.endpoint.has_tool(tool) {
            let story = self.story(&exchange, tool);
            let error = unknown_tool(tool);
            story.denied(&error.message);
            return Some(Message::error(exchange.message.id(), &error));
        }
        let listed = self.catalogue.of(&self.endpoint, &exchange, tool).await;
        let known = listed.clone().unwrap_or_else(|NoList| self.catalogue.unlisted(&self.endpoint, tool));
        let mut story = self.story(&exchange, tool);
        story.say(|entry| {
            entry.tool_digest = Some(known.digest.to_string()).filter(|digest| !digest.is_empty());
        });
        let refuse = |story: &Story, error: ErrorObject| {
            story.denied(&error.message);
            Some(Message::error(exchange.message.id(), &error))
        };
        let ground = match self.ground(&exchange) {
            Ok(ground) => ground,
            Err(error) => return refuse(&story, error),
        };
        let wishes = &ground.wishes;
        // Where nothing is narrowed, nothing has to be known.
        let is_free = ground.in_force.is_open() && wishes.policy.is_empty() && wishes.denied.is_empty();
        if listed.is_err() && !is_free {
            let what = "the server's tools can't be listed, so it can't be told what this call may do; nothing was done";
            return refuse(&story, ErrorObject::new(code::UPSTREAM_FAILED, what));
        }
        let arguments = match arguments(&exchange.message) {
            Some(arguments) if arguments.is_object() => arguments,
            // The endpoint says what is wrong.
            _ if is_free => Value::Null,
            // What can't be read can't be judged.
            _ => {
                let what =
                    "`arguments` must be an object, and every number in it one that can be represented";
                return refuse(&story, ErrorObject::invalid_params(what));
            }
        };
        let located = self.endpoint.located(tool, &arguments, ground.values.as_ref());
        let known = match &located {
            Some(arguments) => Arc::new(known.located(arguments)),
            None => known,
        };
        let Ok(back) = self.rounds.take(&mut exchange) else {
            let error = ErrorObject::invalid_params(
                "`requestState` was not given out for this request, was used already, or is too old; send the \
                 request again without it",
            );
            story.denied(&error.message);
            return Some(Message::error(exchange.message.id(), &error));
        };
        let sentence = intent::sentence(known.intent.as_deref(), tool, &arguments);
        let intent = if wishes.preview == Preview::Yes { format!("Only show: {sentence}") } else { sentence };
        story.say(|entry| {
            entry.policy_version = Some(ground.in_force.version.clone());
            entry.intent = Some(intent.clone());
            entry.arguments = exchange.message.params().get("arguments").value().map(Json::to_buf);
            entry.preview = wishes.preview == Preview::Yes;
            entry.plan.clone_from(&wishes.plan);
        });
        let case = Case {
            exchange: &exchange,
            ground: &ground,
            server: self.endpoint.identity(),
            known: &known,
            is_located: located.is_some() && !is_free,
            arguments: &arguments,
            planning: (wishes.preview == Preview::Yes && self.endpoint.plans(tool))
                .then(|| known.facts.planning()),
            asked: back.answer.as_ref().map(|(_, asked)| asked.holder.clone()),
            bound: Bound::default(),
            token: OnceLock::new(),
            intent,
            permitted: back.permitted,
        };
        if let Some(answer) = self.unfit(&case, &story) {
            return answer;
        }
        if let Some((answer, asked)) = back.answer {
            match asking::brought(&answer, &asked, &*self.control.grants) {
                Ok(answer) => {
                    if let Err(answer) = self.answered(&case, answer, &mut story) {
                        return answer;
                    }
                }
                Err(error) => return self.broken(&case, &story, &error),
            }
        }
        let Permit { decision, cleared, is_once } = match self.settle(&case, &mut story).await {
            Ok(settled) => settled,
            Err(answer) => return answer,
        };
        if let Err(answer) = self.write_down(&case, &mut story).await {
            return answer;
        }
        let intent = known.intent.is_some().then(|| case.intent.clone());
        let telling = Arc::new(Telling::of(intent));
        match self.make(&case, &decision, cleared, &telling, &mut story).await {
            Ok(reply) => {
                let outcome = match telling.told() {
                    Some(Told { is_error: true }) => CallOutcome::ToolError,
                    Some(Told { is_error: false }) => CallOutcome::Ok,
                    None => outcome_of(reply.as_ref()),
                };
                let too_large = reply.as_ref().and_then(|reply| fits(&decision.limits, reply).err());
                let reply = reply.map(|reply| told(&case, &telling, reply));
                // What the server did, not what of it is shown.
                story.ended(outcome, reply.as_ref());
                self.finish(&case, too_large, is_once, reply)
            }
            Err(TookTooLong(time)) => {
                story.ended(CallOutcome::Timeout, None);
                let text = format!(
                    "The call took longer than the {} s that the policy allows, so it was given up. It may have had \
                     an effect: look before you call it again.",
                    time.as_secs_f64()
                );
                No::new(word::TOO_SLOW, text).answer(case.exchange, &self.endpoint.info())
            }
        }
    }

    /// A preview that can't be given: nothing runs (H-02, X-07).
    fn unfit(&self, case: &Case<'_>, story: &Story) -> Option<Option<Message>> {
        let why = match case.ground.wishes.preview {
            Preview::No if case.ground.wishes.has_plan && !case.known.facts.preview => {
                "This tool has no previews, so there is no plan that the call could be held to, and nothing was done. Call it without \
                 a plan to run it."
            }
            Preview::No => return None,
            Preview::Yes if case.known.facts.preview => return None,
            // Reading is its own preview.
            Preview::Yes if case.known.facts.declared && case.known.facts.effect == Effect::Read => {
                return None;
            }
            Preview::Yes => {
                "This tool can't be previewed, so nothing was done. Call it without `_meta.preview` to run it."
            }
            Preview::Unclear => {
                "`_meta.preview` must be true or false, so nothing was done. Call again with one of them."
            }
        };
        Some(self.refuse(case, story, &No::new(word::NO_PREVIEW, why)))
    }

    pub(super) fn limit(&self, case: &Case<'_>, decision: &Decision, story: &Story) -> Settled<()> {
        // The arguments as they were sent: spaces and escapes count too.
        let sent =
            case.exchange.message.params().get("arguments").value().map_or(0, |sent| sent.as_str().len());
        if decision.limits.argument_bytes.is_some_and(|most| sent as u64 > most) {
            let text = format!(
                "The arguments have {sent} bytes, more than the policy allows, so nothing was done. Send less at a time."
            );
            return Err(self.refuse(case, story, &No::new(word::DENIED, text)));
        }
        let facts = &case.known.facts;
        let subject = Subject::Tool { facts, arguments: Some(case.arguments) };
        let counted =
            self.count(case.exchange, case.ground, subject, (&facts.tool, facts.rate), &decision.limits);
        counted.map_err(|error| {
            story.denied(&error.message);
            Some(Message::error(case.exchange.message.id(), &error))
        })
    }

    /// No intent on the disk, no call (for what may have an effect).
    async fn write_down(&self, case: &Case<'_>, story: &mut Story) -> Settled<()> {
        let facts = case.planning.as_ref().unwrap_or(&case.known.facts);
        if facts.declared && facts.effect == Effect::Read {
            // Nothing happens that somebody would have to find out about after a crash: how it ended says it all.
            story.intended();
            return Ok(());
        }
        let Some(entry) = story.entry(Kind::Intent) else { return Ok(()) };
        // From here on the record may be there, whoever stops waiting.
        story.intended();
        if let Err(error) = self.control.ledger.write(entry, Durability::Durable).await {
            story.not_intended();
            tracing::error!(%error, "a call was refused because it can't be written down");
            return Err(No::new(word::NO_AUDIT, NO_AUDIT).answer(case.exchange, &self.endpoint.info()));
        }
        story.forget_arguments();
        Ok(())
    }

    async fn make(
        &self,
        case: &Case<'_>,
        decision: &Decision,
        cleared: Cleared,
        telling: &Arc<Telling>,
        story: &mut Story,
    ) -> Result<Option<Message>, TookTooLong> {
        let onward = Exchange {
            message: Wishes::without(&case.exchange.message, case.ground.in_force.approval.trust_grants),
            ..case.exchange.clone()
        };
        let conditions = Conditions {
            limits: decision.limits,
            preview: case.ground.wishes.preview == Preview::Yes,
            settings: case.ground.values.clone(),
            scopes: case.is_located.then(|| case.scope_check()),
            telling: Arc::clone(telling),
        };
        story.sent();
        let permitted = Permitted::new(onward, cleared, Arc::new(conditions));
        self.carry(permitted, decision.limits.time).await
    }

    /// What the client gets of it.
    fn finish(
        &self,
        case: &Case<'_>,
        too_large: Option<TooLarge>,
        is_once: bool,
        reply: Option<Message>,
    ) -> Option<Message> {
        let reply = reply?;
        if let Some(TooLarge { bytes, most }) = too_large {
            let text = format!(
                "The call was made, but its result has {bytes} bytes and the policy allows {most}, so it is not shown. Ask for \
                 less."
            );
            return No::new(word::TOO_LARGE, text).answer(case.exchange, &self.endpoint.info());
        }
        // What was permitted once is still permitted when the server's own questions are answered.
        Some(if is_once { self.rounds.wrap(case.exchange, reply) } else { reply })
    }

    pub(super) fn denied(&self, case: &Case<'_>, decision: &Decision, story: &Story) -> Option<Message> {
        let why = decision.decisive().map_or("it is not allowed", |said| said.why.as_str());
        let text = format!(
            "This call is not allowed, and asking for permission would not change that: {why}. Do without it, or ask \
             the user to change what is allowed."
        );
        self.refuse(case, story, &No::new(word::DENIED, text))
    }

    /// The store can't be used: whoever can't be checked is refused.
    pub(super) fn broken(&self, case: &Case<'_>, story: &Story, error: &StoreError) -> Option<Message> {
        tracing::error!(%error, "a call was refused because grants can't be looked up");
        let text = "Permissions can't be checked now, so nothing was done. Ask the user to look at the server's log.";
        self.refuse(case, story, &No::new(word::DENIED, text))
    }

    pub(super) fn refuse(&self, case: &Case<'_>, story: &Story, no: &No<'_>) -> Option<Message> {
        story.denied(&no.text);
        no.answer(case.exchange, &self.endpoint.info())
    }
}

/// The answer with what is to be said about the call, where it does not say it already.
fn told(case: &Case<'_>, telling: &Telling, reply: Message) -> Message {
    let reply = match case.token.get() {
        Some(token) => marked(reply, mark::GRANT, token),
        None => reply,
    };
    match &telling.intent {
        Some(intent) if telling.told().is_none() => marked(reply, key::INTENT, intent),
        _ => reply,
    }
}

/// The answer with a text in its `_meta`; one that can't take it stays as it is.
fn marked(reply: Message, name: &str, text: &str) -> Message {
    let text = JsonBuf::from(&Value::String(text.to_owned()));
    let path = [Step::Member("result"), Step::Member("_meta"), Step::Member(name)];
    if reply.result_body().value().is_none() {
        return reply;
    }
    edit::set_in_own(reply, &path, text.as_json())
}

const NO_AUDIT: &str = "The call can't be written down, and calls that may change something are only made when they are, \
     so nothing was done. Ask the user to look at the server's log.";
