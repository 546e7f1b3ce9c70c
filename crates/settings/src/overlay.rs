//! Applies what a client or a call sends on top of the values: a configuration that replaces
//! values, or an overlay that may only narrow them.
use serde_json::{Map, Value};

use super::setting_values::Slot;
use super::{Audience, Clients, FieldScope, Narrowing, Origin, Setting, SettingValue, SettingValues, meet};
use overt_policy::finding::{Findings, Pointer};
use overt_policy::word::string_enum;

string_enum! {
    /// Who wrote a policy, according to the host.
    pub enum Author {
        Human = "human",
        Llm = "llm",
    }
}

/// The kind of an overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The configuration that a client sends.
    Configuration,
    /// A policy, with its author.
    Policy(Author),
}

/// Why a client may replace values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplacementRight {
    /// The client started the program.
    Started,
    /// The operator configured that clients may replace settings.
    Operator,
}

/// Why an overlay is rejected. None of its values apply then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OverlayRefusal {
    /// Unknown keys, wrong types, values out of bounds, and settings from the wrong place or
    /// author.
    pub invalid: Findings,
    /// Attempts to allow more than is in force.
    pub wider: Findings,
}

impl SettingValues {
    /// Applies the configuration of a client that may replace values, such as the client that
    /// started the program. It can still only narrow what the operator denies and the most that can
    /// be granted (POL-13).
    pub fn configured_by(
        &self,
        table: &Map<String, Value>,
        trust: ReplacementRight,
    ) -> Result<Self, OverlayRefusal> {
        let mut refused = OverlayRefusal::default();
        let mut slots = self.slots().to_vec();
        for (index, held) in self.overlay(table, Source::Configuration, &mut refused.invalid) {
            let setting = self.declared().at(index);
            match setting.clients {
                Clients::Replace => {}
                Clients::NarrowUnlessTrusted if trust == ReplacementRight::Operator => {}
                Clients::NarrowUnlessTrusted | Clients::Narrow => {
                    narrow(setting, &mut slots[index], &held, Source::Configuration, &mut refused.wider);
                    continue;
                }
            }
            slots[index] = Slot { held: Some(held), origin: Origin::Client };
        }
        refused.or(|| self.with(slots))
    }

    /// Applies an overlay that can only narrow. Fields that would allow more are rejected and
    /// named.
    pub fn narrowed_by(&self, table: &Map<String, Value>, source: Source) -> Result<Self, OverlayRefusal> {
        let mut refused = OverlayRefusal::default();
        let mut slots = self.slots().to_vec();
        for (index, asked) in self.overlay(table, source, &mut refused.invalid) {
            narrow(self.declared().at(index), &mut slots[index], &asked, source, &mut refused.wider);
        }
        refused.or(|| self.with(slots))
    }

    /// Reads every member of an overlay that is allowed there.
    fn overlay(
        &self,
        table: &Map<String, Value>,
        source: Source,
        findings: &mut Findings,
    ) -> Vec<(usize, SettingValue)> {
        let root = Pointer::root();
        let mut read = Vec::with_capacity(table.len());
        for (key, value) in table {
            // In a policy, null means no constraint, like an absent member.
            if value.is_null() && matches!(source, Source::Policy(_)) && self.declared().get(key).is_some() {
                continue;
            }
            let Some(setting) = self.declared().find_or_report(key, &root, findings) else { continue };
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

/// Narrows a value to what both allow, or reports that more was requested.
fn narrow(setting: &Setting, slot: &mut Slot, asked: &SettingValue, source: Source, wider: &mut Findings) {
    let at = || Pointer::root().join(setting.key);
    if let Some(why) = meet::wider(setting, slot.held.as_ref(), asked) {
        wider.error(at(), why.problem, why.fix);
        return;
    }
    // Regions report which of their folders allows too much.
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
    // An overlay that names folders limits what people can grant, even if it names the folders in
    // force.
    if slot.held.as_ref() != Some(&narrowed) || matches!(asked, SettingValue::Regions(_)) {
        *slot = Slot { held: Some(narrowed), origin: source.origin() };
    }
}

impl Source {
    /// Returns why this setting can't be set from this source, according to its attributes
    /// (POL-14).
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

    /// Returns all findings, those about malformed values first.
    pub fn into_findings(self) -> Findings {
        let mut findings = self.invalid;
        findings.extend(self.wider);
        findings
    }
}

impl Setting {
    /// Returns whether a policy can have this setting as a field.
    pub fn is_policy_field(&self) -> bool {
        self.scope != FieldScope::Configuration && self.narrows != Narrowing::Never
    }
}
