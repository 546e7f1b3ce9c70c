//! A checked set of settings: keys are unique, defaults are within their bounds, and the rules
//! about policies are possible.
use serde_json::{Map, Value};

use super::declaration::{FieldScope, Narrowing, Setting};
use super::setting_value::SettingValue;
use super::source_values::{Origin, SourceValues};
use overt_policy::finding::{Findings, Pointer};
use overt_policy::near::fix_for;

/// Settings in the order in which they are shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeclaredSettings {
    settings: Vec<Setting>,
    /// The defaults, in the same order.
    defaults: Vec<Option<SettingValue>>,
}

impl DeclaredSettings {
    /// Checks the declarations. Returns all errors, or the set.
    pub fn new(settings: Vec<Setting>) -> Result<Self, Findings> {
        let mut findings = Findings::default();
        let mut defaults = Vec::with_capacity(settings.len());
        for (index, setting) in settings.iter().enumerate() {
            let at = Pointer::root().join(setting.key);
            if settings[..index].iter().any(|earlier| earlier.key == setting.key) {
                findings.error(at.clone(), "is declared twice", "give each setting a key of its own");
            }
            check(setting, &at, &mut findings);
            let default = setting.default.as_ref();
            defaults.push(default.and_then(|value| setting.read(value, &at.join("default"), &mut findings)));
        }
        findings.into_result(()).map(|_| Self { settings, defaults })
    }

    /// Combines this set with another: the settings of a program and those of the server in it.
    pub fn with(&self, more: &Self) -> Result<Self, Findings> {
        Self::new(self.settings.iter().chain(&more.settings).cloned().collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.settings.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.settings.is_empty()
    }

    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.index(key).map(|index| &self.settings[index])
    }

    pub(super) fn index(&self, key: &str) -> Option<usize> {
        self.settings.iter().position(|setting| setting.key == key)
    }

    pub(super) fn at(&self, index: usize) -> &Setting {
        &self.settings[index]
    }

    /// Returns the default of a setting as text for people.
    pub fn default_text(&self, key: &str) -> Option<String> {
        let index = self.index(key)?;
        self.defaults[index].as_ref().map(|held| held.to_text(self.settings[index].kind))
    }

    pub(super) fn defaults(&self) -> &[Option<SettingValue>] {
        &self.defaults
    }

    /// Reads the table `[settings]` of a file. `origin` returns where a value stands.
    pub fn read(
        &self,
        table: &Map<String, Value>,
        at: &Pointer,
        origin: impl Fn(&Pointer) -> Origin,
        findings: &mut Findings,
    ) -> SourceValues {
        let mut given = SourceValues::default();
        for (key, value) in table {
            let place = at.join(key);
            let Some(setting) = self.find_or_report(key, at, findings) else { continue };
            if setting.scope == FieldScope::Policy {
                findings.error(place, NOT_HERE, "write it in the table `[policy]`");
            } else if let Some(held) = setting.read(value, &place, findings) {
                given.set(setting.key, held, origin(&place));
            }
        }
        given
    }

    /// Returns the setting, or reports which settings exist.
    pub(super) fn find_or_report(
        &self,
        key: &str,
        at: &Pointer,
        findings: &mut Findings,
    ) -> Option<&Setting> {
        let setting = self.get(key);
        if setting.is_none() {
            let fix = match self.settings.is_empty() {
                true => "remove it; there are no settings here".to_owned(),
                false => fix_for(key, self.settings.iter().map(|setting| setting.key)),
            };
            findings.error(at.join(&overt_policy::members::brief(key)), "is not known", fix);
        }
        setting
    }
}

const NOT_HERE: &str = "has the scope `policy` and can't be set in a configuration";

fn check(setting: &Setting, at: &Pointer, findings: &mut Findings) {
    let is_plain = setting.key.starts_with(|c: char| c.is_ascii_lowercase())
        && setting.key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !is_plain {
        let fix = "write it with lower-case letters, digits and underscores";
        findings.error(at.clone(), "is not a key", fix);
    }
    if setting.is_policy_field() && overt_policy::policy::COMMON.contains(&setting.key) {
        findings.error(at.clone(), "is a member of every policy", "choose another key");
    }
    if !setting.kind.takes(setting.narrows) {
        let fix = "choose a way of narrowing that fits the kind";
        findings.error(at.join("narrows"), format!("`{:?}` does nothing to its kind", setting.narrows), fix);
    }
    if setting.narrows == Narrowing::Never && setting.scope != FieldScope::Configuration {
        let fix = "say how a policy narrows it, or give it the scope `configuration`";
        findings.error(at.join("scope"), "lets policies set what no policy can change", fix);
    }
}
