//! The audit records of a call: one before it if it may have an effect, and one after it, however
//! it ends.
use std::sync::Arc;
use std::time::Instant;

use overt_policy::word::StringEnum;
use overt_policy::{Decision, Verdict};
use overt_wire::error::code;
use overt_wire::json::JsonBuf;
use overt_wire::view::CallResult;
use overt_wire::{Exchange, Message};

use crate::audit::{
    CallOutcome, Durability, Entry, Kind, Latency, Ledger, LedgerError, Receipt, deferred, record_intent,
};
use crate::description::ServerDescription;
use crate::grants::LOCAL;
use crate::seal::UniqueNames;

/// A call as its records know it.
#[derive(Debug)]
pub(super) struct CallRecord {
    ledger: Arc<dyn Ledger>,
    /// What all entries of the call have in common; none when nothing is written down.
    common: Option<Box<Entry>>,
    begun: Instant,
    latency: Latency,
    stage: Stage,
    /// The intent is written.
    has_intent: bool,
}

/// How far the call is, for when it is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing was written down that must be closed.
    Open,
    /// The intent is written, the endpoint has not been called.
    Intended,
    /// The endpoint has it.
    Sent,
}

impl CallRecord {
    pub(super) fn new(
        ledger: &Arc<dyn Ledger>,
        calls: &UniqueNames,
        exchange: &Exchange,
        server: &ServerDescription,
        target: &str,
    ) -> Self {
        let common = ledger.is_on().then(|| {
            let message = &exchange.message;
            let said = message.meta().get("traceparent").string().map(String::from);
            Box::new(Entry {
                call: Some(calls.next()),
                trace: said.or_else(|| exchange.trace_parent.as_ref().map(ToString::to_string)),
                session: Some(exchange.session.id().to_owned()),
                principal: Some(LOCAL.to_owned()),
                agent: agent(exchange),
                target: Some(target.to_owned()),
                method: message.method().map(|method| method.name().to_owned()),
                ..Entry::of_server(Kind::Intent, &server.identity, server.project.as_deref())
            })
        });
        Self {
            ledger: Arc::clone(ledger),
            common,
            begun: Instant::now(),
            latency: Latency::default(),
            stage: Stage::Open,
            has_intent: false,
        }
    }

    /// What all entries from now on have in common.
    pub(super) fn set(&mut self, set: impl FnOnce(&mut Entry)) {
        if let Some(common) = &mut self.common {
            set(common);
        }
    }

    pub(super) fn decided(&mut self, decision: &Decision) {
        self.set(|entry| {
            entry.needed = decision.needed.iter().map(ToString::to_string).collect();
            entry.decision = Some(word(decision.verdict));
            entry.rules = decision.said.iter().filter_map(|said| said.rule.clone()).collect();
            entry.layer = decision.decisive().map(|said| said.layer.as_str().to_owned());
            entry.rule_errors = match decision.error {
                true => decision.decisive().map(|said| said.why.clone()).into_iter().collect(),
                false => Vec::new(),
            };
        });
    }

    pub(super) fn waited(&mut self, since: Instant) {
        self.latency.approval += micros(since);
    }

    /// An entry of this kind, if anything is written down.
    pub(super) fn entry(&self, kind: Kind) -> Option<Entry> {
        self.common.as_deref().map(|common| Entry { kind, ..common.clone() })
    }

    /// It will not happen.
    pub(super) fn denied(&self, reason: &str) {
        if let Some(entry) = self.entry(Kind::Deny) {
            let decision = Some(word(Verdict::Deny));
            self.ledger.note(Entry { reason: Some(reason.to_owned()), decision, ..entry });
        }
    }

    /// The tool answered with an error before anything ran.
    pub(super) fn failed_before(&self, reason: &str) {
        self.note(Kind::Outcome, |entry| {
            entry.outcome = Some(CallOutcome::FailedBefore);
            entry.reason = Some(reason.to_owned());
        });
    }

    /// Writes an entry beside those of the call itself, without waiting for it.
    pub(super) fn note(&self, kind: Kind, set: impl FnOnce(&mut Entry)) {
        if let Some(mut entry) = self.entry(kind) {
            set(&mut entry);
            self.ledger.note(entry);
        }
    }

    /// Records that the call is about to be made; none for a call that only reads, whose outcome is
    /// its one record. The receipt is what a permit needs.
    pub(super) async fn intend(&mut self, durability: Option<Durability>) -> Result<Receipt, LedgerError> {
        self.latency.policy = micros(self.begun).saturating_sub(self.latency.approval);
        // From here on the record may be there, also if the call is cancelled.
        self.stage = Stage::Intended;
        let entry =
            self.entry(Kind::Intent).map(|entry| Entry { decision: Some(word(Verdict::Allow)), ..entry });
        let (Some(durability), Some(entry)) = (durability, entry) else { return Ok(deferred(&*self.ledger)) };
        match record_intent(&*self.ledger, entry, durability).await {
            Ok(receipt) => {
                self.has_intent = true;
                // They are in the intent, and need not be said again.
                self.set(|entry| entry.arguments = None);
                Ok(receipt)
            }
            Err(error) => {
                self.stage = Stage::Open;
                Err(error)
            }
        }
    }

    /// The call that was about to be made is not made now. Its record is closed; a later attempt
    /// opens another one.
    pub(super) fn withdraw(&mut self) {
        if self.stage == Stage::Intended {
            self.note(Kind::Outcome, |entry| entry.outcome = Some(CallOutcome::CancelledBefore));
        }
        self.stage = Stage::Open;
    }

    /// A read that was answered without the endpoint.
    pub(super) fn read(mut self) {
        self.stage = Stage::Sent;
        self.close(CallOutcome::Ok, None);
    }

    pub(super) fn sent(&mut self) {
        self.stage = Stage::Sent;
    }

    /// The call goes on as a task. From now on the log says that it began, also if it only reads:
    /// if this process ends before the task does, its outcome is unknown.
    pub(super) fn became_task(&mut self) {
        if !std::mem::replace(&mut self.has_intent, true) {
            self.note(Kind::Intent, |entry| entry.decision = Some(word(Verdict::Allow)));
            self.set(|entry| entry.arguments = None);
        }
    }

    /// It ended, one way or another.
    pub(super) fn ended(mut self, outcome: CallOutcome, answer: Option<&Message>) {
        self.close(outcome, answer);
    }

    /// It was permitted, and the endpoint found out that what is in force does not allow it.
    pub(super) fn refused(mut self, reason: &str, answer: Option<&Message>) {
        self.set(|entry| {
            entry.reason = Some(reason.to_owned());
            entry.decision = Some(word(Verdict::Deny));
        });
        self.close(CallOutcome::Refused, answer);
    }

    fn close(&mut self, outcome: CallOutcome, answer: Option<&Message>) {
        if std::mem::replace(&mut self.stage, Stage::Open) == Stage::Open {
            return;
        }
        // It is the last entry.
        let Some(common) = self.common.take() else { return };
        let total = micros(self.begun);
        let upstream = total.saturating_sub(self.latency.policy + self.latency.approval);
        self.ledger.note(Entry {
            kind: Kind::Outcome,
            outcome: Some(outcome),
            answer: answer.cloned(),
            latency: Some(Latency { upstream, total, ..self.latency }),
            ..*common
        });
    }
}

impl Drop for CallRecord {
    /// The call was given up: cancelled, disconnected, or past its deadline.
    fn drop(&mut self) {
        let outcome = match self.stage {
            Stage::Open => return,
            Stage::Intended => CallOutcome::CancelledBefore,
            Stage::Sent => CallOutcome::CancelledAfterEffect,
        };
        self.close(outcome, None);
    }
}

/// What an answer says about how the call ended.
pub(super) fn outcome_of(answer: Option<&Message>) -> CallOutcome {
    let Some(answer) = answer else { return CallOutcome::Unknown };
    match answer.error_code() {
        Some(code::DEADLINE) => CallOutcome::Timeout,
        Some(code::UPSTREAM_LOST) => CallOutcome::UpstreamLost,
        Some(_) => CallOutcome::ProtocolError,
        None if answer.result_body().value().is_some_and(|result| CallResult(result).is_error()) => {
            CallOutcome::ToolError
        }
        None => CallOutcome::Ok,
    }
}

pub(super) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Deny => "deny",
        Verdict::NeedsApproval => "needs_approval",
        Verdict::Allow => "allow",
    }
}

/// The client's name and version, as it says.
pub(super) fn agent(exchange: &Exchange) -> Option<String> {
    let info = exchange.caller.info.as_ref().map(JsonBuf::as_json)?;
    let (name, version) = (info.get("name").string()?, info.get("version").string().unwrap_or_default());
    Some(format!("{name} {version}").trim_end().chars().take(200).collect())
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
