//! Rules about the properties of tools: a small fixed table, not a language. Rules only restrict,
//! so an unknown property satisfies a condition.
use serde_json::Value;

use super::facts::ToolFacts;
use super::globs::{Globs, Style};
use super::limits::Limits;
use crate::finding::{Findings, Pointer, Severity};
use crate::members::{Members, brief, kind};
use crate::record::{Effect, PiiExposure, SecretsExposure};
use crate::word::{StringEnum, string_enum};

string_enum! {
    pub enum RuleAction {
        /// Refuses the call.
        Deny = "deny",
        /// Requires a person's approval.
        Approve = "approve",
        /// Limits the call.
        Limit = "limit",
    }
}

/// An action for the calls of all tools that meet some conditions.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    pub id: String,
    pub action: RuleAction,
    pub when: RuleConditions,
    /// Used by [`RuleAction::Limit`].
    pub limit: Limits,
    pub reason: Option<String>,
}

/// Conditions that must all hold. Without conditions the rule applies to every tool.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RuleConditions {
    pub effect_at_least: Option<Effect>,
    pub reversible: Option<bool>,
    pub pii_at_least: Option<PiiExposure>,
    pub secrets: Option<Secrets>,
    pub server: Option<Globs>,
    pub tool: Option<Globs>,
    pub declared: Option<bool>,
}

/// A condition on the way a tool handles secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// Whether the tool has any exposure to secrets.
    Any(bool),
    Exactly(SecretsExposure),
}

/// All rules. Their order has no meaning.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rules(Vec<Rule>);

const MOST_RULES: usize = 256;

// === impl Rules ===

impl Rules {
    pub fn parse(value: &Value) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let rules = Self::read(value, &Pointer::root(), &mut findings);
        if findings.has_errors() { Err(findings) } else { Ok(rules) }
    }

    /// Reads the rules at this place of a document. Invalid rules are reported and left out.
    pub fn read(value: &Value, at: &Pointer, findings: &mut Findings) -> Self {
        let items = match value {
            Value::Null => return Self::default(),
            Value::Array(items) if items.len() <= MOST_RULES => items,
            Value::Array(items) => {
                let fix = format!("use at most {MOST_RULES}");
                findings.error(at.clone(), format!("has {} rules", items.len()), fix);
                return Self::default();
            }
            other => {
                let problem = format!("must be a list of rules, but is {}", kind(other));
                findings.error(at.clone(), problem, "write a list");
                return Self::default();
            }
        };
        let mut rules: Vec<Rule> = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let at = at.index(index);
            let rule =
                Members::of(item, at.clone(), findings).and_then(|mut members| Rule::read(&mut members));
            let Some(rule) = rule else { continue };
            if rules.iter().any(|other| other.id == rule.id) {
                let problem = format!("`{}` is the id of another rule", brief(&rule.id));
                findings.error(at.join("id"), problem, "give each rule an id of its own");
            }
            rules.push(rule);
        }
        Self(rules)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.0.iter()
    }

    /// Returns the rules that apply to a tool, each with its index.
    pub fn matching<'a>(&'a self, facts: &'a ToolFacts) -> impl Iterator<Item = (usize, &'a Rule)> {
        self.0.iter().enumerate().filter(|(_, rule)| rule.when.holds(facts))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Rule> for Rules {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> Self {
        Self(rules.into_iter().collect())
    }
}

// === impl Rule ===

impl Rule {
    fn read(members: &mut Members<'_, '_>) -> Option<Self> {
        let id = members.required_text("id", "give the rule a name, which refusals will show");
        if !members.has("action") {
            members.missing("action", &format!("use {}", RuleAction::choices()));
        }
        let action = members.word::<RuleAction>("action");
        let when = members.object("when", RuleConditions::read).unwrap_or_default();
        let limit = members.object("limit", Limits::read);
        let reason = members.text("reason");
        members.unknown(Severity::Error);
        match (action, limit) {
            (Some(RuleAction::Limit), limit) if limit.is_none_or(|limit| limit.is_empty()) => {
                members.missing("limit", "say what the limit is, such as `{ rate = \"10/minute\" }`");
            }
            (Some(RuleAction::Deny | RuleAction::Approve), Some(_)) => {
                members.error(
                    "limit",
                    "belongs to the action `limit` alone",
                    "remove it, or change the action",
                );
            }
            _ => {}
        }
        Some(Self { id: id?, action: action?, when, limit: limit.unwrap_or_default(), reason })
    }
}

// === impl RuleConditions ===

impl RuleConditions {
    /// Returns whether all conditions hold for the tool.
    pub fn holds(&self, facts: &ToolFacts) -> bool {
        let holds = |is_so: Option<bool>| is_so.unwrap_or(true);
        let unknown = !facts.is_declared();
        holds(self.effect_at_least.map(|least| facts.effect >= least))
            && holds(self.declared.map(|declared| facts.is_declared() == declared))
            && holds(self.reversible.map(|wanted| is_reversible(facts, wanted)))
            && holds(self.pii_at_least.map(|least| facts.pii.map_or(unknown, |pii| pii >= least)))
            && holds(
                self.secrets.map(|secrets| facts.secrets.map_or(unknown, |exposure| secrets.holds(exposure))),
            )
            && holds(self.server.as_ref().map(|globs| globs.matches(&facts.server)))
            && holds(self.tool.as_ref().map(|globs| facts.judged_names().any(|name| globs.matches(name))))
    }

    fn read(members: &mut Members<'_, '_>) -> Self {
        let when = Self {
            effect_at_least: members.word("effect_at_least"),
            reversible: members.flag("reversible"),
            pii_at_least: members.word("pii_at_least"),
            secrets: secrets(members),
            server: glob(members, "server"),
            tool: glob(members, "tool"),
            declared: members.flag("declared"),
        };
        members.unknown(Severity::Error);
        when
    }
}

/// Checks the condition. A tool that changes something and doesn't declare whether the change can
/// be undone satisfies both values.
fn is_reversible(facts: &ToolFacts, wanted: bool) -> bool {
    match facts.reversible {
        Some(reversible) => reversible == wanted,
        None => !facts.is_declared() || wanted || facts.effect != Effect::Read,
    }
}

impl Secrets {
    fn holds(self, exposure: SecretsExposure) -> bool {
        match self {
            Self::Any(wanted) => (exposure != SecretsExposure::None) == wanted,
            Self::Exactly(wanted) => exposure == wanted,
        }
    }
}

fn secrets(members: &mut Members<'_, '_>) -> Option<Secrets> {
    match members.raw("secrets")? {
        Value::Bool(any) => Some(Secrets::Any(*any)),
        _ => members.word("secrets").map(Secrets::Exactly),
    }
}

fn glob(members: &mut Members<'_, '_>, name: &'static str) -> Option<Globs> {
    let pattern = members.text(name)?;
    match Globs::parse(Style::Name, &[pattern]) {
        Ok(globs) => Some(globs),
        Err(error) => {
            members.error(name, error.problem, "write a pattern such as `read_*`");
            None
        }
    }
}
