//! Checks whether the layers together leave any call. Each layer may allow a part of what a tool
//! can do, and yet together they may allow nothing: then the tool must not be listed.
use super::layers::{allows, denies};
use super::need::Need;
use crate::authority::{Authority, Overlays};
use crate::scope::{Scope, ScopeSet};

/// Returns whether every open need has some scope that all allows cover and no deny covers.
pub(super) fn allows_any_call(authority: &Authority, overlays: &Overlays<'_>, needs: &[Need]) -> bool {
    needs.iter().filter(|need| need.is_open).all(|need| {
        let mut left = vec![need.scope.clone()];
        for set in allows(authority, overlays) {
            left = within(left, set);
        }
        if let Some(grantable) = &authority.grantable {
            let reachable = authority.base.iter().chain(grantable.iter()).cloned().collect();
            left = within(left, &reachable);
        }
        left.iter().any(|scope| !denies(authority, overlays).any(|set| set.covers(scope)))
    })
}

/// Returns the part of these scopes that is within the set.
fn within(scopes: Vec<Scope>, set: &ScopeSet) -> Vec<Scope> {
    let mut left = ScopeSet::default();
    for scope in scopes {
        if set.covers(&scope) {
            left.insert(scope);
        } else {
            left.extend(set.beneath(&scope).cloned());
        }
    }
    left.iter().cloned().collect()
}
