//! Combines two policies: everything that either requires.
use super::model::{NameLists, Policy, ScopeLists, WrittenScopes};

impl Policy {
    /// Returns what both allow. The order of policies and their repetition never matter (POL-02).
    #[must_use]
    pub fn meet(&self, other: &Self) -> Self {
        let mut domain = self.domain.clone();
        for (name, values) in &other.domain {
            let all = domain.entry(name.clone()).or_default();
            all.extend(values.iter().cloned());
            all.sort_by_cached_key(ToString::to_string);
            all.dedup_by_key(|value| value.to_string());
        }
        Self {
            tools: self.tools.meet(&other.tools),
            resources: self.resources.meet(&other.resources),
            prompts: self.prompts.meet(&other.prompts),
            scopes: self.scopes.meet(&other.scopes),
            effect: match (self.effect, other.effect) {
                (Some(one), Some(two)) => Some(one.min(two)),
                (one, two) => one.or(two),
            },
            arguments: both(&self.arguments, &other.arguments),
            limits: self.limits.meet(&other.limits),
            domain,
        }
    }
}

impl NameLists {
    fn meet(&self, other: &Self) -> Self {
        Self { allow: both(&self.allow, &other.allow), deny: both(&self.deny, &other.deny) }
    }
}

impl ScopeLists {
    fn meet(&self, other: &Self) -> Self {
        let mut deny = self.deny.clone();
        deny.extend(other.deny.iter().cloned());
        Self { allow: both(&self.allow, &other.allow), deny, written: WrittenScopes::default() }
    }
}

/// Returns the elements of both lists, sorted and without duplicates.
fn both<T: Clone + Ord>(one: &[T], two: &[T]) -> Vec<T> {
    let mut all = [one, two].concat();
    all.sort();
    all.dedup();
    all
}
