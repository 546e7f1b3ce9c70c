//! A decision about something that only reads.
use overt_policy::record::Effect;
use overt_policy::{Decision, Subject, Verdict};

/// A decision that allows something which only reads. It is made only where calls are decided
/// (`authorize/decide.rs`).
#[derive(Debug)]
pub struct ReadDecision(());

impl ReadDecision {
    /// Returns `None` if the decision is not to allow, or if its subject may have an effect: a tool
    /// that is not declared to only read.
    pub(crate) fn of(decision: &Decision, subject: Subject<'_>) -> Option<Self> {
        let only_reads = match subject {
            Subject::Tool { facts, .. } => facts.is_declared() && facts.effect == Effect::Read,
            Subject::Resource { .. }
            | Subject::Template { .. }
            | Subject::Prompt { .. }
            | Subject::Server { .. } => true,
        };
        (only_reads && decision.verdict == Verdict::Allow).then_some(Self(()))
    }
}
