//! A call that was looked up: everything that the later steps go by.
use std::sync::Arc;

use overt_policy::ToolFacts;
use overt_policy::record::Effect;
use serde_json::Value;

use super::effective::EffectivePolicy;
use super::tool_call::ToolCall;
use super::tools::KnownTool;

pub(super) struct ResolvedCall<'a> {
    pub(super) call: &'a ToolCall,
    pub(super) known: Arc<KnownTool>,
    pub(super) effective: EffectivePolicy,
    pub(super) arguments: Arc<Value>,
    /// The tool in this call, with scopes made of what the arguments stand for.
    pub(super) facts: ToolFacts,
    /// The tool if only its plan is made.
    pub(super) planning: Option<ToolFacts>,
    /// The endpoint checks further scopes itself.
    pub(super) checks_scopes: bool,
    /// What the call will do, in words.
    pub(super) sentence: String,
}

impl ResolvedCall<'_> {
    /// Whether the tool only reads: it is declared so, or the server says so.
    pub(super) fn only_reads(&self) -> bool {
        self.facts.claims_to_read() || (self.facts.is_declared() && self.facts.effect == Effect::Read)
    }
}
