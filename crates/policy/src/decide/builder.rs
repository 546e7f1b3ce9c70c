//! Collects verdicts and keeps the most restrictive one.
use crate::decision::{Decision, Layer, LayerVerdict, Verdict};
use crate::finding::Pointer;
use crate::limits::Limits;
use crate::scope::Scope;

pub(super) struct DecisionBuilder {
    pub(super) verdicts: Vec<LayerVerdict>,
    pub(super) verdict: Verdict,
    pub(super) limits: Limits,
    pub(super) error: bool,
}

impl DecisionBuilder {
    pub(super) fn new() -> Self {
        Self { verdicts: Vec::new(), verdict: Verdict::Allow, limits: Limits::default(), error: false }
    }

    pub(super) fn add_verdict(&mut self, verdict: LayerVerdict) {
        self.verdict = self.verdict.min(verdict.verdict);
        self.verdicts.push(verdict);
    }

    pub(super) fn deny(
        &mut self,
        layer: Layer,
        at: Pointer,
        why: impl Into<String>,
        change: impl Into<String>,
    ) {
        let (why, change) = (why.into(), change.into());
        self.add_verdict(LayerVerdict { layer, verdict: Verdict::Deny, why, at, change, rule: None });
    }

    pub(super) fn allow(&mut self, layer: Layer, why: impl Into<String>) {
        let (why, at) = (why.into(), Pointer::root());
        self.add_verdict(LayerVerdict {
            layer,
            verdict: Verdict::Allow,
            why,
            at,
            change: String::new(),
            rule: None,
        });
    }

    pub(super) fn into_decision(self, needed: Vec<Scope>) -> Decision {
        Decision {
            verdict: self.verdict,
            verdicts: self.verdicts,
            needed,
            missing: Vec::new(),
            limits: self.limits,
            wider: Vec::new(),
            error: self.error,
        }
    }
}
