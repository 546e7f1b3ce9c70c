//! The checks that stop a call before a person is asked, and the refusals of an attempt.
use std::time::Instant;

use overt_policy::Decision;
use overt_policy::record::Effect;
use overt_wire::json::Object;
use overt_wire::{ErrorObject, Message};

use super::answers::{self, RefusedCall, word};
use super::attempt_outcome::{Attempt, Step};
use super::layer::Authorize;
use super::limiter::Buckets;
use super::records::CallRecord;
use super::resolved_call::ResolvedCall;
use super::tool_call::ToolCall;
use crate::Endpoint;
use crate::description::ToolFailure;
use crate::grants::StoreError;
use crate::preview::Preview;

impl Authorize {
    /// Refuses a call that asks for a preview or names a plan if the tool can't preview it; nothing
    /// runs (H-02, X-07).
    pub(super) fn check_mode(&self, resolved: &ResolvedCall<'_>, record: &CallRecord) -> Step<()> {
        let facts = &resolved.facts;
        let why = match resolved.effective.options.preview {
            Preview::No if resolved.effective.options.has_plan && !facts.preview => {
                "Not done: this tool has no previews, so there is no plan to hold the call to. Call it without a plan to run it."
            }
            Preview::No => return Ok(()),
            Preview::Yes if facts.preview => return Ok(()),
            // A call that only reads is its own preview.
            Preview::Yes if facts.is_declared() && facts.effect == Effect::Read => return Ok(()),
            Preview::Yes => {
                "Not done: this tool can't be previewed. Call it without `_meta.preview` to run it."
            }
            Preview::Unclear => {
                "Not done: `_meta.preview` must be true or false. Call again with one of them."
            }
        };
        Err(self.refuse(resolved.call, record, &RefusedCall::new(word::NO_PREVIEW, why)))
    }

    pub(super) fn check_size(
        &self,
        resolved: &ResolvedCall<'_>,
        decision: &Decision,
        record: &CallRecord,
    ) -> Step<()> {
        // The size of the arguments as sent, with white space and escapes.
        let sent = resolved
            .call
            .exchange
            .message
            .params()
            .get("arguments")
            .value()
            .map_or(0, |sent| sent.as_str().len());
        if decision.limits.argument_bytes.is_none_or(|most| sent as u64 <= most) {
            return Ok(());
        }
        let text = format!(
            "Not done: the arguments have {sent} bytes, more than the policy allows. Send less at a time."
        );
        Err(self.refuse(resolved.call, record, &RefusedCall::new(word::DENIED, text)))
    }

    /// Refuses arguments of a third-party tool that don't fit its schema. A person is not asked
    /// about a call that the server would reject.
    pub(super) fn check_foreign_arguments(
        &self,
        resolved: &ResolvedCall<'_>,
        record: &CallRecord,
    ) -> Step<()> {
        match resolved.tool.argument_problems(&resolved.arguments) {
            None => Ok(()),
            Some(problems) => {
                let text = format!(
                    "Not done: the arguments of `{}` don't fit its input schema: {problems}. Correct them and call again.",
                    resolved.call.tool
                );
                Err(self.refuse(resolved.call, record, &RefusedCall::new(word::INVALID_ARGUMENTS, text)))
            }
        }
    }

    pub(super) fn check_rates(
        &self,
        resolved: &ResolvedCall<'_>,
        buckets: &Buckets,
        record: &CallRecord,
    ) -> Step<()> {
        let now = Instant::now();
        let checked =
            self.limiter.check(&buckets.common, now).and_then(|()| self.own_limits.check(&buckets.own, now));
        checked.map_err(|too_many| {
            self.refuse_error(resolved.call, record, &answers::too_many(&resolved.call.exchange, too_many))
        })
    }

    pub(super) fn denied(
        &self,
        resolved: &ResolvedCall<'_>,
        decision: &Decision,
        record: &CallRecord,
    ) -> Attempt {
        // The endpoint may explain the refusal better than a missing scope does.
        let (tools, settings) = (&self.endpoint.description().tools, resolved.effective.values.as_ref());
        if let Some(failure) = tools.explain_denial(&resolved.call.tool, &resolved.arguments, settings) {
            record.denied(&failure.reason);
            return self.failure_answer(resolved.call, &failure);
        }
        let why = decision.decisive().map_or("it is not allowed", |said| said.why.as_str());
        let text = format!(
            "Not done: this call is not allowed, and asking for permission would not change that: {why}. Do without it, or \
             ask the user to change what is allowed."
        );
        self.refuse(resolved.call, record, &RefusedCall::new(word::DENIED, text))
    }

    /// Refuses the call because the store fails: a call that can't be checked must not run.
    pub(super) fn broken(
        &self,
        resolved: &ResolvedCall<'_>,
        record: &CallRecord,
        error: &StoreError,
    ) -> Attempt {
        tracing::error!(%error, "a call was refused because grants can't be looked up");
        self.refuse(resolved.call, record, &RefusedCall::new(word::NO_STORE, UNCHECKABLE))
    }

    pub(super) fn refuse(&self, call: &ToolCall, record: &CallRecord, refused: &RefusedCall<'_>) -> Attempt {
        record.denied(&refused.text);
        Attempt::Answer(refused.answer(&call.exchange, &self.info()))
    }

    pub(super) fn refuse_error(&self, call: &ToolCall, record: &CallRecord, error: &ErrorObject) -> Attempt {
        record.denied(&error.message);
        Attempt::Answer(Some(Message::error(call.exchange.message.id(), error)))
    }

    /// Answers with the tool's error before anything runs.
    pub(super) fn fail(&self, call: &ToolCall, record: &CallRecord, failure: &ToolFailure) -> Attempt {
        match failure.is_refusal {
            true => record.denied(&failure.reason),
            false => record.failed_before(&failure.reason),
        }
        self.failure_answer(call, failure)
    }

    fn failure_answer(&self, call: &ToolCall, failure: &ToolFailure) -> Attempt {
        Attempt::Answer(match &failure.answer {
            Ok(result) => {
                let body = Object::new().members_of(result.members.as_json());
                answers::dressed(&call.exchange, body, result.meta.as_ref(), &self.info())
            }
            Err(error) => Some(Message::error(call.exchange.message.id(), error)),
        })
    }
}

const UNCHECKABLE: &str =
    "Not done: permissions can't be checked now. Ask the user to look at the server's log.";
