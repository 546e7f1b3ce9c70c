//! Collects verdicts and keeps the most restrictive one.
use crate::decision::{Decision, Layer, LayerVerdict, Verdict};
use crate::finding::Pointer;
use crate::limits::Limits;
use crate::scope::Scope;

pub(super) struct DecisionBuilder {
    pub(super) said: Vec<LayerVerdict>,
    pub(super) verdict: Verdict,
    pub(super) limits: Limits,
    pub(super) error: bool,
}

impl DecisionBuilder {
    pub(super) fn new() -> Self {
        Self { said: Vec::new(), verdict: Verdict::Allow, limits: Limits::default(), error: false }
    }

    pub(super) fn say(&mut self, said: LayerVerdict) {
        self.verdict = self.verdict.min(said.verdict);
        self.said.push(said);
    }

    pub(super) fn deny(
        &mut self,
        layer: Layer,
        at: Pointer,
        why: impl Into<String>,
        change: impl Into<String>,
    ) {
        let (why, change) = (why.into(), change.into());
        self.say(LayerVerdict { layer, verdict: Verdict::Deny, why, at, change, rule: None });
    }

    pub(super) fn allow(&mut self, layer: Layer, why: impl Into<String>) {
        let (why, at) = (why.into(), Pointer::root());
        self.say(LayerVerdict { layer, verdict: Verdict::Allow, why, at, change: String::new(), rule: None });
    }

    pub(super) fn into_decision(self, needed: Vec<Scope>) -> Decision {
        Decision {
            verdict: self.verdict,
            said: self.said,
            needed,
            missing: Vec::new(),
            limits: self.limits,
            wider: Vec::new(),
            error: self.error,
        }
    }
}
