//! What a client or a call puts on top of the values: a configuration that replaces, or one that may only narrow.
use serde_json::{Map, Value};

use super::values::Slot;
use super::{Audience, FieldScope, Held, Narrows, Origin, Setting, Values, meet};
use crate::finding::{Findings, Pointer};
use crate::word::words;

words! {
    /// Who wrote a policy, as far as the host says.
    pub enum Author {
        Human = "human",
        Llm = "llm",
    }
}

/// What an overlay is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The configuration that a client sends.
    Configuration,
    /// A policy, and who wrote it.
    Policy(Author),
}

/// Why an overlay is refused. Nothing of it holds then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refused {
    /// Unknown keys, wrong types, values out of bounds, the wrong place or author.
    pub invalid: Findings,
    /// Attempts to allow more than is in force.
    pub wider: Findings,
}

impl Values {
    /// A client's configuration that may replace what holds (stdio, where the client started the program).
    pub fn configured_by(&self, table: &Map<String, Value>) -> Result<Self, Refused> {
        let mut refused = Refused::default();
        let mut slots = self.slots().to_vec();
        for (index, held) in self.overlay(table, Source::Configuration, &mut refused.invalid) {
            slots[index] = Slot { held: Some(held), origin: Origin::Client };
        }
        refused.or(|| self.with(slots))
    }

    /// What an overlay leaves. It can only narrow; what would allow more is refused and named.
    pub fn narrowed_by(&self, table: &Map<String, Value>, source: Source) -> Result<Self, Refused> {
        let mut refused = Refused::default();
        let mut slots = self.slots().to_vec();
        for (index, asked) in self.overlay(table, source, &mut refused.invalid) {
            let setting = self.declared().at(index);
            let slot = &mut slots[index];
            if let Some(why) = meet::wider(setting, slot.held.as_ref(), &asked) {
                let (problem, fix) = (why.problem, why.fix);
                refused.wider.error(Pointer::root().join(setting.key), problem, fix);
                continue;
            }
            // They know which of the folders it is.
            if let (Narrows::All, Some(Held::Regions(held)), Held::Regions(asked)) =
                (setting.narrows, &slot.held, &asked)
            {
                let wider = asked.widens(held, &Pointer::root().join(setting.key));
                if !wider.is_empty() {
                    refused.wider.extend(wider);
                    continue;
                }
            }
            let narrowed = meet::meet(setting, slot.held.as_ref(), &asked);
            if slot.held.as_ref() != Some(&narrowed) {
                *slot = Slot { held: Some(narrowed), origin: source.origin() };
            }
        }
        refused.or(|| self.with(slots))
    }

    /// Reads every member of an overlay that may be there.
    fn overlay(
        &self,
        table: &Map<String, Value>,
        source: Source,
        findings: &mut Findings,
    ) -> Vec<(usize, Held)> {
        let root = Pointer::root();
        let mut read = Vec::with_capacity(table.len());
        for (key, value) in table {
            // In a policy, null is no constraint, as if it were absent.
            if value.is_null() && matches!(source, Source::Policy(_)) && self.declared().get(key).is_some() {
                continue;
            }
            let Some(setting) = self.declared().known(key, &root, findings) else { continue };
            let at = root.join(key);
            if let Some((problem, fix)) = source.refuses(setting) {
                findings.error(at, problem, fix);
            } else if let Some(held) = setting.read(value, &at, findings) {
                read.extend(self.declared().index(key).map(|index| (index, held)));
            }
        }
        read
    }
}

impl Source {
    /// Why this setting can't be set from here, by its attributes (POL-14).
    pub(super) fn refuses(self, setting: &Setting) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Configuration if setting.fixed => {
                Some(("is `readOnly`: only whoever starts the program can set it", "remove it"))
            }
            Self::Configuration if setting.scope == FieldScope::Policy => Some((
                "has the scope `policy` and can't be set in a configuration",
                "send it in `_meta.policy` of a call",
            )),
            Self::Policy(_) if setting.scope == FieldScope::Configuration => Some((
                "has the scope `configuration` and can't be set in a policy",
                "remove it; it is set where the server is configured",
            )),
            Self::Policy(Author::Llm) if setting.audience == Audience::Human => Some((
                "has the audience `human` and can't be set by a model",
                "remove it, or let a person set it",
            )),
            _ => None,
        }
    }

    fn origin(self) -> Origin {
        match self {
            Self::Configuration => Origin::Client,
            Self::Policy(author) => Origin::Policy(author.to_string()),
        }
    }
}

impl Refused {
    fn or<T>(self, value: impl FnOnce() -> T) -> Result<T, Self> {
        if self.invalid.is_empty() && self.wider.is_empty() { Ok(value()) } else { Err(self) }
    }

    /// All findings, what is malformed first.
    pub fn into_findings(self) -> Findings {
        let mut findings = self.invalid;
        findings.extend(self.wider);
        findings
    }
}

impl Setting {
    /// Whether a policy can say anything about it.
    pub fn is_policy_field(&self) -> bool {
        self.scope != FieldScope::Configuration && self.narrows != Narrows::Never
    }
}
