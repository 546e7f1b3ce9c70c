//! A call after its lookup, with everything that the later steps use.
use std::sync::Arc;

use overt_policy::ToolFacts;
use serde_json::Value;

use super::effective::EffectivePolicy;
use super::tool_call::ToolCall;
use crate::known_tool::KnownTool;

pub(super) struct ResolvedCall<'a> {
    pub(super) call: &'a ToolCall,
    pub(super) tool: Arc<KnownTool>,
    pub(super) effective: EffectivePolicy,
    pub(super) arguments: Arc<Value>,
    /// The facts about the tool in this call. Their scopes are made from the call's arguments.
    pub(super) facts: ToolFacts,
    /// The facts about the tool if only its plan is made. `None` unless the call is a preview of a
    /// tool with a plan.
    pub(super) planning: Option<ToolFacts>,
    /// Whether the endpoint checks further scopes itself.
    pub(super) checks_scopes: bool,
    /// The arguments, if they name places that the endpoint opens only for a grant.
    pub(super) places: Option<Value>,
    /// A sentence that says what the call will do.
    pub(super) sentence: String,
    /// What the server says that the call does, quoted as its words.
    pub(super) server_says: Option<String>,
}
