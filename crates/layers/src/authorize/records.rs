//! The audit records of a call: one before it runs if it may have an effect, and one after it,
//! however it ends.
use std::sync::Arc;
use std::time::Instant;

use overt_policy::record::Effect;
use overt_policy::scope::Scope;
use overt_policy::word::StringEnum;
use overt_policy::{Decision, ToolFacts, Verdict};
use overt_wire::error::code;
use overt_wire::json::JsonBuf;
use overt_wire::view::CallResult;
use overt_wire::{Exchange, Message};

use crate::audit::{CallOutcome, Entry, Kind, Latency, Ledger, LedgerError, Queued, Receipt, Recorded};
use crate::description::ServerDescription;
use crate::permit::{Conditions, Permitted, PreparedPlan};
use crate::read_decision::ReadDecision;
use crate::seal::UniqueNames;

/// The state of a call's audit records.
#[derive(Debug)]
pub(super) struct CallRecord {
    ledger: Arc<dyn Ledger>,
    /// The members that all entries of the call share. `None` if nothing is recorded.
    common: Option<Box<Entry>>,
    begun: Instant,
    latency: Latency,
    stage: Stage,
    /// Whether the intent is written.
    has_intent: bool,
}

/// A call that was allowed and recorded.
#[derive(Debug)]
pub(super) enum RecordedCall {
    Effect(Receipt<Recorded>),
    Read(ReadDecision, Receipt<Queued>),
}

/// How far the call has come. Determines the outcome if it is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// No record is open.
    Open,
    /// The intent is written, but the endpoint has not been called.
    Intended,
    /// The endpoint has the call.
    Sent,
}

impl RecordedCall {
    /// Returns `None` unless the decision is to allow.
    pub(super) fn permit(
        self,
        exchange: Exchange,
        decision: &Decision,
        conditions: Arc<Conditions>,
        plan: Option<PreparedPlan>,
    ) -> Option<Permitted<Exchange>> {
        match self {
            Self::Effect(receipt) => Permitted::for_effect(exchange, decision, receipt, conditions, plan),
            Self::Read(read, receipt) => Some(Permitted::for_read(exchange, read, receipt, conditions, plan)),
        }
    }
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
                principal: Some(exchange.principal().key()),
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

    /// Sets members that all later entries share.
    pub(super) fn set(&mut self, set: impl FnOnce(&mut Entry)) {
        if let Some(common) = &mut self.common {
            set(common);
        }
    }

    /// Sets what is known of the call's effect. Its plan may know more than was declared.
    pub(super) fn set_effect(&mut self, facts: &ToolFacts) {
        let effect = match facts.is_declared() {
            true => facts.effect,
            false if facts.claims_to_read() => Effect::Read,
            false => return,
        };
        self.set(|entry| {
            entry.effect = Some(effect.as_str());
            entry.basis = Some(facts.basis.as_str());
        });
    }

    pub(super) fn decided(&mut self, decision: &Decision) {
        self.set(|entry| {
            entry.needed = decision.needed.iter().map(Scope::to_text).collect();
            entry.decision = Some(word(decision.verdict));
            entry.rules = decision.verdicts.iter().filter_map(|said| said.rule.clone()).collect();
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

    /// Returns an entry of this kind, if anything is recorded.
    pub(super) fn entry(&self, kind: Kind) -> Option<Entry> {
        self.common.as_deref().map(|common| Entry { kind, ..common.clone() })
    }

    /// Records that the call will not happen.
    pub(super) fn denied(&self, reason: &str) {
        if let Some(entry) = self.entry(Kind::Deny) {
            let decision = Some(word(Verdict::Deny));
            self.ledger.note(Entry { reason: Some(reason.to_owned()), decision, ..entry });
        }
    }

    /// Records that the tool answered with an error before anything ran.
    pub(super) fn failed_before(&self, reason: &str) {
        self.note(Kind::Outcome, |entry| {
            entry.outcome = Some(CallOutcome::FailedBefore);
            entry.reason = Some(reason.to_owned());
        });
    }

    /// Writes an additional entry without waiting for it.
    pub(super) fn note(&self, kind: Kind, set: impl FnOnce(&mut Entry)) {
        if let Some(mut entry) = self.entry(kind) {
            set(&mut entry);
            self.ledger.note(entry);
        }
    }

    /// Records durably that the call is about to be made, and may have an effect.
    pub(super) async fn intend(&mut self) -> Result<Receipt<Recorded>, LedgerError> {
        self.begin();
        match Receipt::off(&*self.ledger) {
            Some(off) => Ok(off.into()),
            None => {
                let entry = self.intent()?;
                // Most calls only read, and need no room for this future.
                let recorded = Box::pin(Receipt::record(&*self.ledger, entry)).await;
                self.intended(recorded)
            }
        }
    }

    /// Records that something is about to be read, without waiting for the disk.
    pub(super) async fn intend_read(&mut self) -> Result<Receipt<Queued>, LedgerError> {
        self.begin();
        match Receipt::off(&*self.ledger) {
            Some(off) => Ok(off.into()),
            None => {
                let entry = self.intent()?;
                let queued = Receipt::queue(&*self.ledger, entry).await;
                self.intended(queued)
            }
        }
    }

    /// Notes that a tool that only reads is about to be called. The outcome is the only record of
    /// the call.
    pub(super) fn defer(&mut self) -> Receipt<Queued> {
        self.begin();
        Receipt::deferred()
    }

    /// From here on the record may exist, even if the call is cancelled.
    fn begin(&mut self) {
        self.latency.policy = micros(self.begun).saturating_sub(self.latency.approval);
        self.stage = Stage::Intended;
    }

    fn intent(&self) -> Result<Entry, LedgerError> {
        let entry =
            self.entry(Kind::Intent).map(|entry| Entry { decision: Some(word(Verdict::Allow)), ..entry });
        entry.ok_or_else(|| LedgerError { why: "the log was opened during the call".to_owned() })
    }

    fn intended<S>(&mut self, receipt: Result<Receipt<S>, LedgerError>) -> Result<Receipt<S>, LedgerError> {
        match &receipt {
            Ok(_) => {
                self.has_intent = true;
                // The intent has the arguments; later entries need not repeat them.
                self.set(|entry| entry.arguments = None);
            }
            Err(_) => self.stage = Stage::Open,
        }
        receipt
    }

    /// Closes the record of a call that is not made now after all. A later attempt opens another
    /// one.
    pub(super) fn withdraw(&mut self) {
        if self.stage == Stage::Intended {
            self.note(Kind::Outcome, |entry| entry.outcome = Some(CallOutcome::CancelledBefore));
        }
        self.stage = Stage::Open;
    }

    /// Records a read that was answered without the endpoint.
    pub(super) fn read(mut self) {
        self.stage = Stage::Sent;
        self.close(CallOutcome::Ok, None);
    }

    pub(super) fn sent(&mut self) {
        self.stage = Stage::Sent;
    }

    /// Notes that the call continues as a task. The log must now show its beginning, even if it
    /// only reads: if this process ends first, the outcome is unknown.
    pub(super) fn became_task(&mut self) {
        if !std::mem::replace(&mut self.has_intent, true) {
            self.note(Kind::Intent, |entry| entry.decision = Some(word(Verdict::Allow)));
            self.set(|entry| entry.arguments = None);
        }
    }

    /// Records the outcome of the call.
    pub(super) fn ended(mut self, outcome: CallOutcome, answer: Option<&Message>) {
        self.close(outcome, answer);
    }

    /// Records that the call was permitted, but the endpoint found that something in force forbids
    /// it.
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
        // This is the last entry of the call.
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
    /// Closes the record of an abandoned call: it was cancelled or disconnected, or its deadline
    /// passed.
    fn drop(&mut self) {
        let outcome = match self.stage {
            Stage::Open => return,
            Stage::Intended => CallOutcome::CancelledBefore,
            Stage::Sent => CallOutcome::CancelledAfterEffect,
        };
        self.close(outcome, None);
    }
}

/// Returns the outcome that an answer reports.
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

/// Returns the client's name and version, as it reports them.
pub(super) fn agent(exchange: &Exchange) -> Option<String> {
    let info = exchange.caller.info.as_ref().map(JsonBuf::as_json)?;
    let (name, version) = (info.get("name").string()?, info.get("version").string().unwrap_or_default());
    let mut agent = [&*name, " ", &*version].concat();
    agent.truncate(agent.trim_end().len());
    if let Some((end, _)) = agent.char_indices().nth(MOST_OF_AGENT) {
        agent.truncate(end);
    }
    Some(agent)
}

/// The most characters of a client's name and version.
const MOST_OF_AGENT: usize = 200;

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
