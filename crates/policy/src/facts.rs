//! What is known about a tool: all that a rule or a policy can go by. What is not declared counts
//! as the worst.
use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::finding::{Findings, Pointer};
use crate::rate::RateLimit;
use crate::record::{Effect, Hints, PiiExposure, SecretsExposure, ToolRecord};
use crate::scope::{Action, Scope, ScopeTemplate};
use crate::word::string_enum;

string_enum! {
    /// How we know what a tool does, from the weakest to the strongest.
    pub enum Basis {
        /// The server says so.
        Claimed = "claimed",
        /// The operator says so, in a manifest, or it is a tool of ours.
        Declared = "declared",
        /// A run of `overt prove` saw it.
        Observed = "observed",
        /// The sandbox makes anything else impossible.
        Enforced = "enforced",
    }

    /// How far a person believes what a server says about its own tools.
    pub enum Trust {
        /// What the server says only reads passes unasked; the rest asks.
        Changes = "changes",
        /// Every call asks.
        Everything = "everything",
        /// Nothing asks; every call is recorded.
        Record = "record",
    }
}

/// One tool of one server. Cheap to clone, because each call has facts of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolFacts {
    pub server: Arc<str>,
    pub tool: Arc<str>,
    /// The declared one; destructive if there is none, whatever the server's hints say.
    pub effect: Effect,
    /// How the effect and the scopes are known.
    pub basis: Basis,
    pub reversible: Option<bool>,
    pub pii: Option<PiiExposure>,
    pub secrets: Option<SecretsExposure>,
    /// A person must agree to each call: declared so, or declared as destructive.
    pub approval: bool,
    /// Why this very call can't be undone, where its plan found that out. A person must agree to
    /// the call itself, whatever else is allowed.
    pub irreversible: Option<Arc<str>>,
    /// What a call needs. Never empty.
    pub scopes: Vec<ScopeTemplate>,
    pub preview: bool,
    /// The template of the sentence that says what a call will do.
    pub intent: Option<Arc<str>>,
    /// The declared one.
    pub rate: Option<RateLimit>,
}

impl ToolFacts {
    /// From what is declared about the tool, if anything is, and what the server hints.
    pub fn of(server: &str, tool: &str, record: Option<&ToolRecord>, hints: Hints) -> Result<Self, Findings> {
        let Some(record) = record else { return Ok(Self::undeclared(server, tool, hints)) };
        let hints =
            record.effect.map_or(hints, |effect| Hints { read_only: Some(effect == Effect::Read), ..hints });
        let undeclared = Self::undeclared(server, tool, hints);
        let scopes = declared_scopes(record)?;
        Ok(Self {
            effect: record.effect.unwrap_or(Effect::Destructive),
            // Without a declared effect the scopes may still follow from what the server says.
            basis: match record.effect {
                Some(_) => Basis::Declared,
                None => Basis::Claimed,
            },
            reversible: record.reversible,
            pii: record.pii_exposure,
            secrets: record.secrets_exposure,
            approval: record.needs_approval(),
            scopes: if scopes.is_empty() { undeclared.scopes } else { scopes },
            preview: record.preview,
            intent: record.intent_template.as_deref().map(Arc::from),
            rate: record.rate_limit,
            ..undeclared
        })
    }

    /// The facts for making the plan of a call, which only reads. Lists, constraints and denies
    /// hold for it as for the call.
    #[must_use]
    pub fn planning(&self) -> Self {
        Self {
            effect: Effect::Read,
            basis: Basis::Declared,
            approval: false,
            irreversible: None,
            scopes: self.scopes.iter().map(ScopeTemplate::reading).collect(),
            ..self.clone()
        }
    }

    /// Whether the effect is known from more than the server's own word.
    pub fn is_declared(&self) -> bool {
        self.basis >= Basis::Declared
    }

    /// Whether only the server says that the tool reads and changes nothing.
    pub fn claims_to_read(&self) -> bool {
        let claimed = || ScopeTemplate::exactly(Scope::of_tool(Action::Read, &self.server, &self.tool));
        !self.is_declared() && self.scopes == [claimed()]
    }

    /// What a decision goes by: a claim to only read counts if the operator or a person believes
    /// the server.
    pub fn with_trust(&self, is_believed: bool) -> Cow<'_, Self> {
        if is_believed || !self.claims_to_read() {
            return Cow::Borrowed(self);
        }
        let execute = Scope::of_tool(Action::Execute, &self.server, &self.tool);
        Cow::Owned(Self { scopes: vec![ScopeTemplate::exactly(execute)], ..self.clone() })
    }

    /// The facts of a call with these arguments, as scopes see them: relative paths are absolute,
    /// defaults are filled in.
    #[must_use]
    pub fn located(&self, arguments: &Value) -> Self {
        let mut scopes = Vec::with_capacity(self.scopes.len());
        for template in &self.scopes {
            match template.filled_in(arguments) {
                Ok(filled) => scopes.extend(filled),
                // The decision says what is wrong with it.
                Err(_) => scopes.push(template.clone()),
            }
        }
        Self { scopes, ..self.clone() }
    }

    /// The facts if the tool needed this scope alone and no approval for each call.
    #[must_use]
    pub fn needing(&self, scope: Scope) -> Self {
        let scopes = vec![ScopeTemplate::exactly(scope)];
        Self { scopes, approval: false, irreversible: None, ..self.clone() }
    }

    /// The facts of a call that can't be undone: it destroys what was there.
    #[must_use]
    pub fn irreversible(&self, why: &str) -> Self {
        let (effect, reversible) = (Effect::Destructive, Some(false));
        Self { effect, reversible, irreversible: Some(why.into()), ..self.clone() }
    }

    /// The facts of a call that needs these scopes too.
    #[must_use]
    pub fn needing_also(&self, scopes: impl IntoIterator<Item = Scope>) -> Self {
        let more = scopes.into_iter().map(ScopeTemplate::exactly);
        Self { scopes: self.scopes.iter().cloned().chain(more).collect(), ..self.clone() }
    }

    /// What a rule goes by for resources and prompts: they are not named as tools, and are only
    /// read.
    pub(super) fn of_reading(server: &str) -> Self {
        Self { reversible: Some(true), ..Self::undeclared(server, "", Hints::default()).planning() }
    }

    /// Of a tool about which nothing is declared.
    pub fn undeclared(server: &str, tool: &str, hints: Hints) -> Self {
        Self {
            server: server.into(),
            tool: tool.into(),
            effect: Effect::Destructive,
            basis: Basis::Claimed,
            reversible: None,
            pii: None,
            secrets: None,
            approval: false,
            irreversible: None,
            scopes: vec![ScopeTemplate::exactly(Scope::of_tool(action(hints), server, tool))],
            preview: false,
            intent: None,
            rate: None,
        }
    }
}

/// A server that says nothing may do anything, and of two hints that contradict each other the
/// worse counts.
fn action(hints: Hints) -> Action {
    match (hints.read_only, hints.destructive) {
        (Some(true), Some(true)) | (Some(false), _) => Action::Write,
        (Some(true), _) => Action::Read,
        (None, _) => Action::Execute,
    }
}

fn declared_scopes(record: &ToolRecord) -> Result<Vec<ScopeTemplate>, Findings> {
    let mut findings = Findings::default();
    let mut scopes = Vec::new();
    for (index, text) in record.scopes.iter().enumerate() {
        match ScopeTemplate::parse(text) {
            Ok(scope) => scopes.push(scope),
            Err(error) => findings.error(
                Pointer::root().join("scopes").index(index),
                format!("is not a scope: {error}"),
                "write one such as `write:file:{path}`",
            ),
        }
    }
    if findings.has_errors() { Err(findings) } else { Ok(scopes) }
}
