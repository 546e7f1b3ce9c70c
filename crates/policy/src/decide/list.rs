//! Whether any call is left when all have spoken. Each layer may leave something of what a tool can
//! do, and yet together they leave nothing: then the tool must not be listed either.
use super::layers::{allows, denies};
use super::need::Need;
use crate::authority::{Authority, Overlays};
use crate::scope::{Scope, ScopeSet};

/// Whether some scope beneath every need is within all that is allowed and outside of all that is
/// denied.
pub(super) fn leaves_some(authority: &Authority, overlays: &Overlays<'_>, needs: &[Need]) -> bool {
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

/// What the set leaves of these scopes.
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
