//! Sets of scopes. A lookup costs one search per component of the scope in question, however many
//! scopes the set has.
use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::ops::Bound;

use super::grammar::END;
use super::value::Scope;

/// A set of scopes. Each stands for everything that it covers.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScopeSet(BTreeSet<Scope>);

impl ScopeSet {
    pub const fn new() -> Self {
        Self(BTreeSet::new())
    }

    /// Returns false if the scope was already in the set.
    pub fn insert(&mut self, scope: Scope) -> bool {
        self.0.insert(scope)
    }

    /// Returns false if the scope itself was not in the set, even if a wider one is.
    pub fn remove(&mut self, scope: &Scope) -> bool {
        self.0.remove(scope)
    }

    /// Returns whether a scope of the set covers this one.
    pub fn covers(&self, scope: &Scope) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let key = scope.key();
        let ends = key.match_indices(END).map(|(end, _)| end).chain([key.len()]);
        ends.into_iter().any(|end| self.0.contains(&key[..end]))
    }

    /// Returns whether a scope of the set covers this one or is covered by it.
    pub fn overlaps(&self, scope: &Scope) -> bool {
        self.covers(scope) || self.beneath(scope).next().is_some()
    }

    /// Returns whether a scope of the set covers this one or is covered by it, ignoring case.
    /// Servers differ in whether case matters.
    pub fn overlaps_in_any_case(&self, scope: &Scope) -> bool {
        let lower = |scope: &Scope| Scope::from_key(scope.key().to_lowercase());
        !self.0.is_empty() && {
            let scope = lower(scope);
            self.0.iter().any(|one| lower(one).overlaps(&scope))
        }
    }

    /// Returns the scopes of the set that this one covers.
    pub fn beneath<'a>(&'a self, scope: &'a Scope) -> impl Iterator<Item = &'a Scope> {
        // The scopes that it covers sort directly after it, because the separator is the smallest
        // character.
        let from: (Bound<&str>, Bound<&str>) = (Bound::Included(scope.key()), Bound::Unbounded);
        self.0.range::<str, _>(from).take_while(|inner| scope.covers(inner))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Scope> {
        self.0.iter()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

// `Scope` is ordered like its key.
impl Borrow<str> for Scope {
    fn borrow(&self) -> &str {
        self.key()
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().collect())
    }
}

impl Extend<Scope> for ScopeSet {
    fn extend<I: IntoIterator<Item = Scope>>(&mut self, scopes: I) {
        self.0.extend(scopes);
    }
}

impl serde::Serialize for ScopeSet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}
