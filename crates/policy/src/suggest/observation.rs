//! What was done: the calls that a proposal rests on.
use std::collections::BTreeSet;

use crate::scope::Scope;

/// One call that was made or refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The whole name of the server.
    pub server: String,
    pub tool: String,
    /// The folder of the project that it was made in.
    pub project: Option<String>,
    /// The scopes that it needed.
    pub needed: Vec<Scope>,
    pub passage: ApprovalState,
}

/// Whether a call needed an approval, and got it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalState {
    /// The policy: no approval was needed.
    Unasked,
    /// A grant of a person.
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

/// Those that ended like this.
pub(super) fn ended_as<'a>(
    last: &'a [&'a Observation],
    passage: ApprovalState,
) -> impl Iterator<Item = &'a Observation> {
    last.iter().copied().filter(move |one| one.passage == passage)
}

/// Removes the scopes that would let a refused call through, and hands them back.
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
