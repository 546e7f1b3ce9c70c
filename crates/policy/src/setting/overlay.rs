//! What a client or a call puts on top of the values: a configuration that replaces, or one that
//! may only narrow.
use serde_json::{Map, Value};

use super::setting_values::Slot;
use super::{Audience, Clients, FieldScope, Narrowing, Origin, Setting, SettingValue, SettingValues, meet};
use crate::finding::{Findings, Pointer};
use crate::word::string_enum;

string_enum! {
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

/// How far a client is trusted that may replace what holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// It started the program.
    Started,
    /// The operator said that clients may replace settings.
    Operator,
}

/// Why an overlay is refused. None of its values apply then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OverlayRefusal {
    /// Unknown keys, wrong types, values out of bounds, the wrong place or author.
    pub invalid: Findings,
    /// Attempts to allow more than is in force.
    pub wider: Findings,
}

impl SettingValues {
    /// Applies a client's configuration that may replace values, such as that of the client that
    /// started the program. It can still only narrow what the operator denies and the most that can
    /// be granted (POL-13).
    pub fn configured_by(&self, table: &Map<String, Value>, trust: Trust) -> Result<Self, OverlayRefusal> {
        let mut refused = OverlayRefusal::default();
        let mut slots = self.slots().to_vec();
        for (index, held) in self.overlay(table, Source::Configuration, &mut refused.invalid) {
            let setting = self.declared().at(index);
            match setting.clients {
                Clients::Replace => {}
                Clients::NarrowUnlessTrusted if trust == Trust::Operator => {}
                Clients::NarrowUnlessTrusted | Clients::Narrow => {
                    narrow(setting, &mut slots[index], &held, Source::Configuration, &mut refused.wider);
                    continue;
                }
            }
            slots[index] = Slot { held: Some(held), origin: Origin::Client };
        }
        refused.or(|| self.with(slots))
    }

    /// What an overlay leaves. It can only narrow; what would allow more is refused and named.
    pub fn narrowed_by(&self, table: &Map<String, Value>, source: Source) -> Result<Self, OverlayRefusal> {
        let mut refused = OverlayRefusal::default();
        let mut slots = self.slots().to_vec();
        for (index, asked) in self.overlay(table, source, &mut refused.invalid) {
            narrow(self.declared().at(index), &mut slots[index], &asked, source, &mut refused.wider);
        }
        refused.or(|| self.with(slots))
    }

    /// Reads every member of an overlay that may be there.
    fn overlay(
        &self,
        table: &Map<String, Value>,
        source: Source,
        findings: &mut Findings,
    ) -> Vec<(usize, SettingValue)> {
        let root = Pointer::root();
        let mut read = Vec::with_capacity(table.len());
        for (key, value) in table {
            // In a policy, null is not a constraint, as if it were absent.
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

/// Leaves of a value what both allow, or says where more is asked for.
fn narrow(setting: &Setting, slot: &mut Slot, asked: &SettingValue, source: Source, wider: &mut Findings) {
    let at = || Pointer::root().join(setting.key);
    if let Some(why) = meet::wider(setting, slot.held.as_ref(), asked) {
        wider.error(at(), why.problem, why.fix);
        return;
    }
    // They know which of the folders it is.
    if let (Narrowing::All, Some(SettingValue::Regions(held)), SettingValue::Regions(asked)) =
        (setting.narrows, &slot.held, asked)
    {
        let outside = asked.widens(held, &at());
        if !outside.is_empty() {
            wider.extend(outside);
            return;
        }
    }
    let narrowed = meet::meet(setting, slot.held.as_ref(), asked);
    // An overlay that names folders bounds what people can grant, even if it names the folders in
    // force.
    if slot.held.as_ref() != Some(&narrowed) || matches!(asked, SettingValue::Regions(_)) {
        *slot = Slot { held: Some(narrowed), origin: source.origin() };
    }
}

impl Source {
    /// Why this setting can't be set from here, by its attributes (POL-14).
    pub(super) fn refuses(self, setting: &Setting) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Configuration if setting.fixed => {
                Some(("is `readOnly`: it can be set only when the program is started", "remove it"))
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

impl OverlayRefusal {
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
        self.scope != FieldScope::Configuration && self.narrows != Narrowing::Never
    }
}
