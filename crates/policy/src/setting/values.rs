//! What every setting is worth at some moment, and where each value came from.
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::declaration::Setting;
use super::declared::Declared;
use super::given::{Given, Origin};
use super::held::{FromHeld, Held};

/// A value for each of the declared settings. Cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    declared: Arc<Declared>,
    slots: Arc<Vec<Slot>>,
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slot {
    pub(super) held: Option<Held>,
    pub(super) origin: Origin,
}

// === impl Values ===

impl From<Declared> for Values {
    fn from(declared: Declared) -> Self {
        Self::defaults(Arc::new(declared))
    }
}

impl Values {
    pub fn defaults(declared: Arc<Declared>) -> Self {
        let slot = |held: &Option<Held>| Slot { held: held.clone(), origin: Origin::Default };
        let slots = Arc::new(declared.defaults().iter().map(slot).collect());
        Self { declared, slots }
    }

    pub fn declared(&self) -> &Arc<Declared> {
        &self.declared
    }

    /// These with what a stronger source says. Sources are applied weakest first: file, environment, flags.
    #[must_use]
    pub fn over(&self, given: Given) -> Self {
        let mut slots = (*self.slots).clone();
        for (key, held, origin) in given.0 {
            if let Some(index) = self.declared.index(key) {
                slots[index] = Slot { held: Some(held), origin };
            }
        }
        self.with(slots)
    }

    /// These with what a stronger source says, where lists are added to those of weaker sources: a flag that denies one
    /// thing more must not allow another.
    #[must_use]
    pub fn adding(&self, given: Given) -> Self {
        let mut slots = (*self.slots).clone();
        for (key, held, origin) in given.0 {
            let Some(index) = self.declared.index(key) else { continue };
            let held = match (slots[index].held.take(), held) {
                (Some(Held::List(old)), Held::List(new)) => Held::List(&old | &new),
                (Some(Held::Lists(old)), Held::Lists(new)) => {
                    // The operator's own lists are one.
                    Held::Lists(BTreeSet::from([old.into_iter().chain(new).flatten().collect()]))
                }
                (_, held) => held,
            };
            slots[index] = Slot { held: Some(held), origin };
        }
        self.with(slots)
    }

    /// The value as it is; none where nothing is set, or where there is no such setting.
    pub fn held(&self, key: &str) -> Option<&Held> {
        self.slots[self.declared.index(key)?].held.as_ref()
    }

    /// The value as a Rust type: `values.get::<u64>("max_results")`. None where the setting is unknown, holds something
    /// else, or holds nothing and the type has no value for that.
    pub fn get<T: FromHeld>(&self, key: &str) -> Option<T> {
        let index = self.declared.index(key)?;
        self.slots[index].held.as_ref().map_or_else(T::unset, T::from_held)
    }

    pub fn origin(&self, key: &str) -> Option<&Origin> {
        Some(&self.slots[self.declared.index(key)?].origin)
    }

    /// Every setting with its value and where that came from.
    pub fn iter(&self) -> impl Iterator<Item = (&Setting, Option<&Held>, &Origin)> {
        self.declared
            .iter()
            .zip(self.slots.iter())
            .map(|(setting, slot)| (setting, slot.held.as_ref(), &slot.origin))
    }

    /// The values that are set, as JSON.
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
