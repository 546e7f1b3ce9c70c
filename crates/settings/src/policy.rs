//! Settings as fields of a policy: which fields exist, and how a policy narrows their values.
use serde_json::{Map, Value};

use super::meet::meet;
use super::setting_values::Slot;
use super::{
    Author, DeclaredSettings, Narrowing, Origin, OverlayRefusal, Setting, SettingValue, SettingValues, Source,
};
use overt_policy::finding::{Findings, Pointer};
use overt_policy::policy::{DomainFields, Policy};

/// The fields that a policy by this author may have.
#[derive(Debug, Clone, Copy)]
pub struct PolicyFields<'a> {
    pub declared: &'a DeclaredSettings,
    pub author: Author,
}

impl DomainFields for PolicyFields<'_> {
    fn check(&self, name: &str, value: &Value, at: Pointer, findings: &mut Findings) -> bool {
        let Some(setting) = self.declared.get(name) else { return false };
        if value.is_null() {
            return true;
        }
        match Source::Policy(self.author).refuses(setting) {
            Some((problem, fix)) => findings.error(at, problem, fix),
            None => _ = setting.read(value, &at, findings),
        }
        true
    }
}

impl SettingValues {
    /// Applies the operator's own policy. It is a ceiling: a field that allows more than the value
    /// is not an error, and has no effect.
    #[must_use]
    pub fn capped_by(&self, policy: &Policy) -> Self {
        let mut slots = self.slots().to_vec();
        let mut none = Findings::default();
        for (name, value) in
            policy.domain.iter().flat_map(|(name, all)| all.iter().map(move |value| (name, value)))
        {
            let Some(index) = self.declared().index(name) else { continue };
            let setting = self.declared().at(index);
            // The value was already read without an error.
            let Some(asked) = setting.read(value, &Pointer::root(), &mut none) else { continue };
            let narrowed = meet(setting, slots[index].held.as_ref(), &asked);
            if slots[index].held.as_ref() != Some(&narrowed) || matches!(asked, SettingValue::Regions(_)) {
                slots[index] =
                    Slot { held: Some(narrowed), origin: Origin::Policy("the operator".to_owned()) };
            }
        }
        self.with(slots)
    }

    /// Applies a policy. Its fields were checked when it was read, and are checked again: they can
    /// only narrow.
    pub fn narrowed_by_policy(&self, policy: &Policy, author: Author) -> Result<Self, OverlayRefusal> {
        let mut values = self.clone();
        for (name, all) in &policy.domain {
            for value in all {
                let field = Map::from_iter([(name.clone(), value.clone())]);
                values = values.narrowed_by(&field, Source::Policy(author))?;
            }
        }
        Ok(values)
    }

    /// Returns whether these values allow everything that the others allow, so that results shown
    /// under those can be shown under these. Returns false if that is not certain.
    pub fn allow_all_of(&self, others: &Self) -> bool {
        let leaves = |(setting, (mine, theirs)): (&Setting, (&Slot, &Slot))| {
            mine.held.as_ref().is_none_or(|held| {
                let theirs = theirs.held.as_ref();
                setting.narrows == Narrowing::Never || Some(&meet(setting, theirs, held)) == theirs
            })
        };
        self.declared() == others.declared()
            && self.declared().iter().zip(self.slots().iter().zip(others.slots())).all(leaves)
    }
}
