//! The current value of every setting, and its origin.
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::declaration::Setting;
use super::declared_settings::DeclaredSettings;
use super::setting_value::{FromSettingValue, SettingValue};
use super::source_values::{Origin, SourceValues};

/// A value for each of the declared settings. Cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingValues {
    declared: Arc<DeclaredSettings>,
    slots: Arc<Vec<Slot>>,
}

/// One value and its origin.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slot {
    pub(super) held: Option<SettingValue>,
    pub(super) origin: Origin,
}

// === impl SettingValues ===

impl From<DeclaredSettings> for SettingValues {
    fn from(declared: DeclaredSettings) -> Self {
        Self::defaults(Arc::new(declared))
    }
}

impl SettingValues {
    pub fn defaults(declared: Arc<DeclaredSettings>) -> Self {
        let slot = |held: &Option<SettingValue>| Slot { held: held.clone(), origin: Origin::Default };
        let slots = Arc::new(declared.defaults().iter().map(slot).collect());
        Self { declared, slots }
    }

    pub fn declared(&self) -> &Arc<DeclaredSettings> {
        &self.declared
    }

    /// Returns these values overridden by a stronger source. Sources are applied weakest first:
    /// file, environment, flags.
    #[must_use]
    pub fn over(&self, given: SourceValues) -> Self {
        let mut slots = (*self.slots).clone();
        for (key, held, origin) in given.0 {
            if let Some(index) = self.declared.index(key) {
                slots[index] = Slot { held: Some(held), origin };
            }
        }
        self.with(slots)
    }

    /// Returns these values overridden by a stronger source, but with lists added to those of
    /// weaker sources: a flag that denies one more thing must not allow another.
    #[must_use]
    pub fn adding(&self, given: SourceValues) -> Self {
        let mut slots = (*self.slots).clone();
        for (key, held, origin) in given.0 {
            let Some(index) = self.declared.index(key) else { continue };
            let held = match (slots[index].held.take(), held) {
                (Some(SettingValue::List(old)), SettingValue::List(new)) => SettingValue::List(&old | &new),
                (Some(SettingValue::Lists(old)), SettingValue::Lists(new)) => {
                    // The operator's own lists are merged into one.
                    SettingValue::Lists(BTreeSet::from([old.into_iter().chain(new).flatten().collect()]))
                }
                (_, held) => held,
            };
            slots[index] = Slot { held: Some(held), origin };
        }
        self.with(slots)
    }

    /// Returns the value; `None` if nothing is set or there is no such setting.
    pub fn value_of(&self, key: &str) -> Option<&SettingValue> {
        self.slots[self.declared.index(key)?].held.as_ref()
    }

    /// Returns the value as a Rust type: `values.get::<u64>("max_results")`. `None` if the setting
    /// is unknown or has another type, or if nothing is set and the type has no value for that.
    pub fn get<T: FromSettingValue>(&self, key: &str) -> Option<T> {
        let index = self.declared.index(key)?;
        self.slots[index].held.as_ref().map_or_else(T::unset, T::from_value)
    }

    pub fn origin(&self, key: &str) -> Option<&Origin> {
        Some(&self.slots[self.declared.index(key)?].origin)
    }

    /// Returns every setting with its value and the value's origin.
    pub fn iter(&self) -> impl Iterator<Item = (&Setting, Option<&SettingValue>, &Origin)> {
        self.declared
            .iter()
            .zip(self.slots.iter())
            .map(|(setting, slot)| (setting, slot.held.as_ref(), &slot.origin))
    }

    /// Returns the values that are set, as JSON.
    pub fn to_json(&self) -> Map<String, Value> {
        let set = self.iter().filter_map(|(setting, held, _)| Some((setting, held?)));
        set.map(|(setting, held)| (setting.key.to_owned(), held.to_json())).collect()
    }

    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub(super) fn with(&self, slots: Vec<Slot>) -> Self {
        Self { declared: Arc::clone(&self.declared), slots: Arc::new(slots) }
    }
}
