//! Everything that a decision is made from: what the operator set, and what a session and a call
//! lay over it.
use serde_json::Value;

use super::facts::ToolFacts;
use super::policy::Policy;
use super::rule::Rules;
use crate::scope::{Action, Scope, ScopeSet};
use crate::uri::ResourceUri;
use crate::word::StringEnum;

/// What the operator allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Authority {
    /// The operator's own policy: nothing passes it.
    pub ceiling: Policy,
    /// Allowed without asking.
    pub base: ScopeSet,
    /// Never allowed.
    pub denied: ScopeSet,
    /// What a person can grant. None: whatever the ceiling leaves, but nothing so wide as a whole
    /// action (SCP-13).
    pub grantable: Option<ScopeSet>,
    pub rules: Rules,
    /// Whether a tool that declares so needs a person's agreement.
    pub honour_declared_approval: bool,
    /// Whether the operator believes what servers say about their own tools: then what they say
    /// only reads counts as reading, without a person's word.
    pub believes_claims: bool,
}

/// What a decision is about.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    Tool {
        facts: &'a ToolFacts,
        /// None asks whether any call could be allowed or approved: whether the tool is to be
        /// listed.
        arguments: Option<&'a Value>,
    },
    Resource {
        server: &'a str,
        uri: &'a ResourceUri,
        /// What a manifest says that reading it needs.
        declared: &'a [Scope],
    },
    /// Resources of a template: whether any of them could be read.
    Template {
        server: &'a str,
        text: &'a str,
    },
    Prompt {
        server: &'a str,
        name: &'a str,
    },
    /// Something that the server tells about itself.
    Server {
        server: &'a str,
    },
}

/// What narrows the operator's authority for a session or a call.
#[derive(Debug, Clone, Copy)]
pub struct Overlays<'a> {
    pub session: &'a [Policy],
    /// A chain of delegation; the last one is the call's own.
    pub call: &'a [Policy],
    /// Never allowed in this call.
    pub denied_scopes: &'a ScopeSet,
    /// All that is allowed in this call.
    pub allowed_scopes: Option<&'a ScopeSet>,
}

impl Authority {
    /// Everything is allowed without questions.
    pub fn open() -> Self {
        Self {
            base: Action::ALL.iter().copied().map(Scope::of).collect(),
            believes_claims: true,
            ..Self::nothing()
        }
    }

    /// Reading is allowed; everything else needs a person (POL-17).
    pub fn careful() -> Self {
        Self {
            base: [Scope::of(Action::Read)].into_iter().collect(),
            honour_declared_approval: true,
            ..Self::nothing()
        }
    }

    /// Whether there is nothing to decide as long as no call narrows it.
    pub fn is_open(&self) -> bool {
        let allows = |action: &Action| self.base.covers(&Scope::of(*action));
        Action::ALL.iter().all(allows)
            && self.denied.is_empty()
            && self.ceiling.is_top()
            && self.rules.is_empty()
            && !self.honour_declared_approval
    }

    fn nothing() -> Self {
        Self {
            ceiling: Policy::top(),
            base: ScopeSet::default(),
            denied: ScopeSet::default(),
            grantable: None,
            rules: Rules::default(),
            honour_declared_approval: false,
            believes_claims: false,
        }
    }
}

impl Default for Overlays<'_> {
    fn default() -> Self {
        static NOTHING: ScopeSet = ScopeSet::new();
        Self { session: &[], call: &[], denied_scopes: &NOTHING, allowed_scopes: None }
    }
}
