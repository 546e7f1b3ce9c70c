//! The scopes that a call needs. A list is made before the arguments are known: then a need is
//! open, and stands for any scope beneath it.
use serde_json::Value;

use crate::facts::ToolFacts;
use crate::scope::{Scope, ScopeError, ScopeSet, ScopeTemplate};

pub(super) struct Need {
    pub(super) scope: Scope,
    pub(super) is_open: bool,
    /// True if the arguments made the scope narrower than what calls need in general, so other
    /// calls may need neighbouring scopes.
    pub(super) is_narrowed: bool,
}

impl Need {
    /// Returns all needs of a call with these arguments, or of any call.
    pub(super) fn all(facts: &ToolFacts, arguments: Option<&Value>) -> Result<Vec<Self>, ScopeError> {
        let mut needs = Vec::with_capacity(facts.scopes.len());
        for template in &facts.scopes {
            match arguments {
                _ if template.is_fixed() => needs.push(Self::of_filled(template)),
                Some(arguments) => needs.extend(template.filled_in(arguments)?.iter().map(Self::of_filled)),
                None => needs.push(Self { is_open: true, ..Self::exactly(template.widest()) }),
            }
        }
        needs.sort_by(|one, two| (&one.scope, one.is_open).cmp(&(&two.scope, two.is_open)));
        needs.dedup_by(|next, kept| {
            let is_same = next.scope == kept.scope && next.is_open == kept.is_open;
            kept.is_narrowed |= is_same && next.is_narrowed;
            is_same
        });
        Ok(needs)
    }

    fn of_filled(template: &ScopeTemplate) -> Self {
        Self { is_narrowed: template.is_narrowed(), ..Self::exactly(template.widest()) }
    }

    pub(super) fn exactly(scope: Scope) -> Self {
        Self { scope, is_open: false, is_narrowed: false }
    }

    /// Returns whether the set allows the need. An open need must only overlap the set.
    pub(super) fn is_within(&self, set: &ScopeSet) -> bool {
        if self.is_open { set.overlaps(&self.scope) } else { set.covers(&self.scope) }
    }

    /// Returns whether the set denies the need. A call needs its whole scope, so denying a part is
    /// enough; an open need must be denied entirely.
    pub(super) fn is_denied_by(&self, set: &ScopeSet) -> bool {
        if self.is_open { set.covers(&self.scope) } else { set.overlaps(&self.scope) }
    }

    /// Returns whether a person can grant the need (SCP-13).
    pub(super) fn is_grantable(&self, grantable: Option<&ScopeSet>) -> bool {
        match grantable {
            Some(set) => self.is_within(set),
            None => self.is_open || !self.scope.is_sweeping(),
        }
    }
}
