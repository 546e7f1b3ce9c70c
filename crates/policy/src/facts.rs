//! The known facts about a tool: everything on which a rule or a policy can depend. The worst is
//! assumed about everything that is not declared.
use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::finding::{Findings, Pointer};
use crate::rate::RateLimit;
use crate::record::{Effect, Hints, PiiExposure, SecretsExposure, ToolRecord};
use crate::scope::{Action, Scope, ScopeTemplate};
use crate::word::string_enum;

string_enum! {
    /// How the effect of a tool is known, from the weakest to the strongest evidence.
    pub enum Basis {
        /// The server says so.
        Claimed = "claimed",
        /// The operator says so in a manifest, or it is one of our own tools.
        Declared = "declared",
        /// A run of `overt prove` saw it.
        Observed = "observed",
        /// The sandbox makes anything else impossible.
        Enforced = "enforced",
    }

    /// How much a person wants to be asked about a server, from the most to the least. All but
    /// `Everything` believe what the server says about its own tools.
    pub enum Trust {
        /// Every call requires approval.
        Everything = "everything",
        /// Calls of tools that claim to only read need no approval; all others require it.
        Changes = "changes",
        /// Calls of tools that claim to delete nothing and to stay on this machine need no approval
        /// either.
        Deletes = "deletes",
        /// No call requires approval; every call is recorded.
        Nothing = "nothing",
    }
}

impl Trust {
    /// Returns whether calls of this tool, whose effect only its server claims, need no approval.
    pub fn covers(self, facts: &ToolFacts) -> bool {
        match self {
            Self::Everything => false,
            Self::Changes => facts.claims_to_read(),
            Self::Deletes => facts.claims_to_read() || facts.claims_to_delete_nothing,
            Self::Nothing => true,
        }
    }
}

/// The facts about one tool of one server. Cheap to clone, because each call has its own facts.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolFacts {
    pub server: Arc<str>,
    pub tool: Arc<str>,
    /// The declared effect; destructive if none is declared, whatever the server's hints say.
    pub effect: Effect,
    /// How the effect and the scopes are known.
    pub basis: Basis,
    pub reversible: Option<bool>,
    pub pii: Option<PiiExposure>,
    pub secrets: Option<SecretsExposure>,
    /// Whether a person must approve each call: declared so, or implied by a destructive effect.
    pub approval: bool,
    /// Why a person must approve this call by itself, whatever else is allowed, if its plan found
    /// that out: for example because it can't be undone.
    pub each_time: Option<Arc<str>>,
    /// The tool that does by declaration what the plan of this call does, such as `delete_file` for
    /// an undo that deletes. What denies that tool denies the call, and rules about it apply.
    pub acts_as: Option<Arc<str>>,
    /// Whether the plan of this call does worse than the tool declares. Then an approval of other
    /// calls does not cover it.
    pub is_worse_than_declared: bool,
    /// Whether the server says that the tool deletes nothing and reaches nothing outside of this
    /// machine.
    pub claims_to_delete_nothing: bool,
    /// The scopes that a call needs. Never empty.
    pub scopes: Vec<ScopeTemplate>,
    pub preview: bool,
    /// The template of the sentence that tells people what a call will do.
    pub intent: Option<Arc<str>>,
    /// The declared rate limit.
    pub rate: Option<RateLimit>,
}

impl ToolFacts {
    /// Builds the facts from what is declared about the tool, if anything, and from the server's
    /// hints.
    pub fn of(server: &str, tool: &str, record: Option<&ToolRecord>, hints: Hints) -> Result<Self, Findings> {
        let Some(record) = record else { return Ok(Self::undeclared(server, tool, hints)) };
        let hints =
            record.effect.map_or(hints, |effect| Hints { read_only: Some(effect == Effect::Read), ..hints });
        let undeclared = Self::undeclared(server, tool, hints);
        let scopes = declared_scopes(record)?;
        Ok(Self {
            effect: record.effect.unwrap_or(Effect::Destructive),
            // If the effect is not declared, the scopes may still come from the server's claims.
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

    /// Returns the facts for making the plan of a call, which only reads. Lists, constraints and
    /// denies apply to the plan as they do to the call.
    #[must_use]
    pub fn planning(&self) -> Self {
        Self {
            effect: Effect::Read,
            basis: Basis::Declared,
            approval: false,
            each_time: None,
            ..self.with_scopes(self.scopes.iter().map(ScopeTemplate::reading).collect())
        }
    }

    /// Returns whether the effect is known from more than the server's own claim.
    pub fn is_declared(&self) -> bool {
        self.basis >= Basis::Declared
    }

    /// Returns whether the tool counts as reading only because the server claims it.
    pub fn claims_to_read(&self) -> bool {
        let claimed = || ScopeTemplate::exactly(Scope::of_tool(Action::Read, &self.server, &self.tool));
        !self.is_declared() && self.scopes == [claimed()]
    }

    /// Returns whether the tool only reads, by a declaration or by the server's claim.
    pub fn only_reads(&self) -> bool {
        self.claims_to_read() || (self.is_declared() && self.effect == Effect::Read)
    }

    /// Returns the facts that a decision uses: a claim to only read counts if the operator or a
    /// person believes the server.
    pub fn with_trust(&self, is_believed: bool) -> Cow<'_, Self> {
        if is_believed || !self.claims_to_read() {
            return Cow::Borrowed(self);
        }
        let execute = Scope::of_tool(Action::Execute, &self.server, &self.tool);
        Cow::Owned(self.with_scopes(vec![ScopeTemplate::exactly(execute)]))
    }

    /// Returns the facts of a call with these arguments. The arguments must already be in the form
    /// that scopes need: paths absolute, defaults filled in.
    #[must_use]
    pub fn located(&self, arguments: &Value) -> Self {
        let mut scopes = Vec::with_capacity(self.scopes.len());
        for template in &self.scopes {
            match template.filled_in(arguments) {
                Ok(filled) => scopes.extend(filled),
                // Kept as it is: the decision reports the error.
                Err(_) => scopes.push(template.clone()),
            }
        }
        self.with_scopes(scopes)
    }

    /// Returns the facts as if the tool needed only this scope, and no approval for each call.
    #[must_use]
    pub fn needing(&self, scope: Scope) -> Self {
        let scopes = vec![ScopeTemplate::exactly(scope)];
        Self { approval: false, each_time: None, ..self.with_scopes(scopes) }
    }

    /// Returns these facts with other scopes, without a copy of the present ones.
    fn with_scopes(&self, scopes: Vec<ScopeTemplate>) -> Self {
        Self {
            server: Arc::clone(&self.server),
            tool: Arc::clone(&self.tool),
            each_time: self.each_time.clone(),
            acts_as: self.acts_as.clone(),
            intent: self.intent.clone(),
            scopes,
            ..*self
        }
    }

    /// Returns the facts of a call whose plan has this effect. They can only become worse: what a
    /// tool declares is the least that its calls count as.
    #[must_use]
    pub fn planned(&self, effect: Effect, acts_as: Option<&str>) -> Self {
        let is_worse_than_declared = effect > self.effect;
        Self {
            effect: effect.max(self.effect),
            approval: self.approval || (is_worse_than_declared && effect == Effect::Destructive),
            acts_as: acts_as.map(Arc::from),
            is_worse_than_declared,
            ..self.clone()
        }
    }

    /// Returns the facts of a call that a person must approve by itself. `why` is part of a
    /// sentence.
    #[must_use]
    pub fn asked_each_time(&self, why: &str) -> Self {
        let why = match &self.each_time {
            Some(other) => format!("{other}; {why}"),
            None => why.to_owned(),
        };
        Self { each_time: Some(why.into()), ..self.clone() }
    }

    /// Returns the facts of a call that can't be undone: it destroys what was there before.
    #[must_use]
    pub fn irreversible(&self, why: &str) -> Self {
        let (effect, reversible) = (Effect::Destructive, Some(false));
        let facts = self.asked_each_time(&format!("this call can't be undone: {why}"));
        Self { effect, reversible, ..facts }
    }

    /// Returns whether the plan of the call found anything on which a decision depends.
    pub fn depend_on_plan(&self) -> bool {
        self.each_time.is_some() || self.acts_as.is_some() || self.is_worse_than_declared
    }

    /// Returns the names by which deny lists and rules judge the call: that of the tool, and that
    /// of the tool that it acts as.
    pub fn judged_names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.tool).chain(self.acts_as.as_deref().filter(|name| *name != &*self.tool))
    }

    /// Returns the facts of a call that additionally needs these scopes.
    #[must_use]
    pub fn needing_also(&self, scopes: impl IntoIterator<Item = Scope>) -> Self {
        let more = scopes.into_iter().map(ScopeTemplate::exactly);
        self.with_scopes(self.scopes.iter().cloned().chain(more).collect())
    }

    /// Returns the facts by which rules judge resources and prompts: they have no tool name and are
    /// only read.
    pub(super) fn of_reading(server: &str) -> Self {
        Self { reversible: Some(true), ..Self::undeclared(server, "", Hints::default()).planning() }
    }

    /// Returns the facts of a tool about which nothing is declared.
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
            each_time: None,
            acts_as: None,
            is_worse_than_declared: false,
            claims_to_delete_nothing: hints.destructive == Some(false) && hints.open_world == Some(false),
            scopes: vec![ScopeTemplate::exactly(Scope::of_tool(action(hints), server, tool))],
            preview: false,
            intent: None,
            rate: None,
        }
    }
}

/// Derives the action from the hints. A server without hints may do anything, and of two
/// contradictory hints the worse one counts.
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
