//! The inputs of a decision: what the operator configured, and what a session and a call restrict
//! further.
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
    /// The operator's own policy, which nothing can exceed.
    pub ceiling: Policy,
    /// Scopes that are allowed without asking.
    pub base: ScopeSet,
    /// Scopes that are never allowed.
    pub denied: ScopeSet,
    /// Scopes that a person can grant. `None`: any within the ceiling, except a whole action or the
    /// root of all paths (SCP-13).
    pub grantable: Option<ScopeSet>,
    pub rules: Rules,
    /// Whether a tool that is declared to need approval actually requires it.
    pub honour_declared_approval: bool,
    /// Whether the operator believes what servers say about their own tools. If so, a tool that
    /// claims to only read counts as reading, without a person's confirmation.
    pub believes_claims: bool,
}

/// The subject of a decision.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    Tool {
        facts: &'a ToolFacts,
        /// `None` asks whether any call could be allowed or approved, which decides whether the
        /// tool is listed.
        arguments: Option<&'a Value>,
    },
    Resource {
        server: &'a str,
        uri: &'a ResourceUri,
        /// The scopes that reading needs according to a manifest.
        declared: &'a [Scope],
    },
    /// The resources of a template: asks whether any of them could be read.
    Template {
        server: &'a str,
        text: &'a str,
    },
    Prompt {
        server: &'a str,
        name: &'a str,
    },
    /// Information that the server gives about itself.
    Server {
        server: &'a str,
    },
}

/// Restrictions of the operator's authority for a session or a call.
#[derive(Debug, Clone, Copy)]
pub struct Overlays<'a> {
    pub session: &'a [Policy],
    /// A chain of delegation; the last policy is the call's own.
    pub call: &'a [Policy],
    /// Scopes that are never allowed in this call.
    pub denied_scopes: &'a ScopeSet,
    /// The only scopes that are allowed in this call; `None` for no restriction.
    pub allowed_scopes: Option<&'a ScopeSet>,
}

impl Authority {
    /// Allows everything without questions.
    pub fn open() -> Self {
        Self {
            base: Action::ALL.iter().copied().map(Scope::of).collect(),
            believes_claims: true,
            ..Self::nothing()
        }
    }

    /// Allows reading; everything else requires approval (POL-17).
    pub fn careful() -> Self {
        Self {
            base: [Scope::of(Action::Read)].into_iter().collect(),
            honour_declared_approval: true,
            ..Self::nothing()
        }
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
