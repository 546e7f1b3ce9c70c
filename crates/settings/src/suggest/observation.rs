//! The past calls on which a proposal is based.
use std::collections::BTreeSet;

use overt_policy::scope::Scope;

/// One call that was made or refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The full name of the server.
    pub server: String,
    pub tool: String,
    /// The folder of the project in which the call was made; `None` if it had no project.
    pub project: Option<String>,
    /// The scopes that the call needed.
    pub needed: Vec<Scope>,
    pub passage: ApprovalState,
}

/// Whether a call needed an approval, and whether it got one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalState {
    /// The policy allowed the call without approval.
    Unasked,
    /// A person's grant allowed the call.
    Granted,
    Refused,
}

/// The scopes that a call needs, sorted.
pub(super) type NeededScopes = Vec<Scope>;

impl Observation {
    pub(super) fn sorted(&self) -> NeededScopes {
        let mut needed = self.needed.clone();
        needed.sort_unstable();
        needed.dedup();
        needed
    }
}

/// Returns the calls with this outcome.
pub(super) fn ended_as<'a>(
    last: &'a [&'a Observation],
    passage: ApprovalState,
) -> impl Iterator<Item = &'a Observation> {
    last.iter().copied().filter(move |one| one.passage == passage)
}

/// Removes the scopes that would let a refused call through, and returns them.
pub(super) fn without_refused(
    scopes: &mut BTreeSet<Scope>,
    refused: &BTreeSet<NeededScopes>,
) -> BTreeSet<Scope> {
    let mut withheld = BTreeSet::new();
    for needed in refused {
        let is_covered = |scope: &Scope| scopes.iter().any(|own| own.covers(scope));
        if needed.iter().all(is_covered) {
            let takes = |own: &Scope| needed.iter().any(|scope| own.covers(scope));
            withheld.extend(scopes.iter().filter(|own| takes(own)).cloned());
            scopes.retain(|own| !takes(own));
        }
    }
    withheld
}
