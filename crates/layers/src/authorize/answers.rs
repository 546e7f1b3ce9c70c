//! The errors that a client gets instead of a result. A model reads the text of a tool error and
//! must recover from it. Scopes are for the client's program and never appear in the text (H-24).
use overt_policy::mark::request as mark;
use overt_policy::scope::Scope;
use overt_wire::era::{self, Era};
use overt_wire::error::code;
use overt_wire::json::{Array, JsonBuf, Object};
use overt_wire::{ErrorObject, Exchange, Message};

use super::limiter::RateExceeded;
use crate::grants::QuestionId;
pub(super) use crate::refusal_codes as word;

/// Returns the error for a call whose tool can't be looked up, because the server's tools can't be
/// listed. The call itself was not sent. If the cause has one of the gateway's error codes, that
/// code is kept.
pub(super) fn unlistable(server: &str, cause: &ErrorObject, is_new: bool) -> ErrorObject {
    let is_ours = (code::UPSTREAM_REFUSED..=code::UPSTREAM_DOWN).contains(&cause.code);
    let retry_after =
        cause.data.as_ref().and_then(|data| data.as_json().get("retryAfterMs").value()?.integer());
    let data = Object::new()
        .string("upstream", server)
        .string("executed", if is_new { "no" } else { "unknown" })
        .maybe("retryAfterMs", retry_after)
        .finish();
    let what =
        "the server's tools can't be listed, so Overt can't tell what this call may do, and did not send it";
    let code = if is_ours { cause.code } else { code::UPSTREAM_FAILED };
    ErrorObject::new(code, format!("{what}: {}", cause.message)).with_data(data)
}

/// The scopes that would have to be granted, for the client's program.
#[derive(Debug, Clone, Default)]
pub(super) struct RequestedScopes {
    /// The scopes that the call needs.
    pub(super) narrowest: Vec<Scope>,
    /// A wider choice that saves further questions.
    pub(super) wider: Vec<Scope>,
}

impl RequestedScopes {
    pub(super) fn all(&self) -> impl Iterator<Item = &Scope> {
        self.narrowest.iter().chain(&self.wider)
    }
}

/// A tool error that says why a call did not run.
#[derive(Debug)]
pub(super) struct RefusedCall<'a> {
    pub(super) code: &'static str,
    pub(super) text: String,
    pub(super) requested: Option<&'a RequestedScopes>,
    pub(super) question: Option<QuestionId>,
}

impl RefusedCall<'_> {
    pub(super) fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), requested: None, question: None }
    }

    pub(super) fn answer(&self, exchange: &Exchange, server: &JsonBuf) -> Option<Message> {
        // The model reads only the text, and the help explains the codes.
        let text = format!("{} [{}]", self.text.trim_end(), self.code);
        let item = Object::new().string("type", "text").string("text", &text).finish();
        let content = Array::new().json(item.as_json()).finish();
        let body = Object::new().json("content", content.as_json()).raw("isError", "true");
        let error = Object::new().string("code", self.code).finish();
        let mut meta = Object::new().json(mark::ERROR, error.as_json());
        if let Some(RequestedScopes { narrowest, wider }) = self.requested {
            // Granting the requested scopes allows no more than the call needs.
            meta = meta.maybe(mark::REQUESTED, (!narrowest.is_empty()).then_some(narrowest));
            meta = meta.maybe(mark::WIDER, (!wider.is_empty()).then_some(wider));
        }
        if let Some(question) = &self.question {
            meta = meta.string(mark::QUESTION, &question.0);
        }
        dressed(exchange, body, Some(&meta.finish()), server)
    }
}

/// Wraps a result of our own in the form that the client's era requires.
pub(super) fn dressed(
    exchange: &Exchange,
    body: Object,
    meta: Option<&JsonBuf>,
    server: &JsonBuf,
) -> Option<Message> {
    let result = era::complete_result(exchange.caller.version, body, meta, None, server);
    Some(Message::result(exchange.message.id()?, result.as_json()))
}

/// Returns the error for an exceeded rate limit. The call was not forwarded; the error says when to
/// try again (D-28, X-06).
pub(super) fn too_many(exchange: &Exchange, too_many: RateExceeded) -> ErrorObject {
    let seconds = too_many.retry_after.as_secs() + u64::from(too_many.retry_after.subsec_nanos() > 0);
    let data = Object::new()
        .string("code", word::RATE_LIMITED)
        .value("retryAfter", &seconds)
        .string("limit", &too_many.rate.to_string())
        .finish();
    let code = match exchange.caller.era() {
        Era::Legacy => code::LEGACY_SERVER,
        Era::Modern => code::OVERLOADED,
    };
    let message = format!("too many calls: at most {}; try again in {seconds} s", too_many.rate);
    ErrorObject::new(code, message).with_data(data)
}
