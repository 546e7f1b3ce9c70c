//! Proposes what would have to be allowed so that the observed calls need no question, and never
//! more.
//!
//! Calls that passed without a question become scopes of the settings, exactly as they were needed.
//! Calls that a person had to approve become grants, each for one tool of one server in one
//! project: a scope in the settings would not replace the approval, and would apply to every
//! server. Calls whose last outcome was a refusal stay refused.
use std::collections::BTreeSet;

use super::folders::folders;
use super::grants::{ProposedGrant, propose_grants};
use super::observation::{ApprovalState, NeededScopes, Observation, ended_as, without_refused};
use overt_policy::scope::Scope;

/// Whether folders may replace many files in the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paths {
    /// No: each file is proposed.
    Exact,
    /// A folder of the project is proposed if at least [`LEAST_FILES`](super::LEAST_FILES)
    /// different files in it were used and nothing in it was refused. This allows more than what
    /// happened.
    Folders,
}

/// A proposal for the settings and the grants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposal {
    /// Scopes for the settings. Sorted, and none of them covers another.
    pub allow: Vec<ProposedScope>,
    /// Grants for the store of grants, sorted.
    pub grants: Vec<ProposedGrant>,
    /// Scopes that calls needed and that are left out: they would allow something that was refused,
    /// or they are too wide for an ordinary grant.
    pub withheld: Vec<Scope>,
    /// The number of approved calls without a project. Their grant would apply in every project.
    pub without_project: usize,
}

/// A scope and the calls on which it is based.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedScope {
    pub scope: Scope,
    /// The number of calls that needed it, or something beneath it.
    pub calls: usize,
    /// The number of different scopes that were needed; for a folder, the number of files.
    pub different: usize,
}

/// Proposes what would have allowed the calls. `observations` begins with the most recent call.
pub fn suggest(observations: &[Observation], paths: Paths) -> Proposal {
    let last = latest_observations(observations);
    let refused: BTreeSet<NeededScopes> =
        ended_as(&last, ApprovalState::Refused).map(Observation::sorted).collect();
    let unasked = || ended_as(&last, ApprovalState::Unasked);
    let mut scopes: BTreeSet<Scope> = unasked().flat_map(|one| one.needed.iter().cloned()).collect();
    let mut withheld = without_refused(&mut scopes, &refused);
    if paths == Paths::Folders {
        let is_touchy = |folder: &Scope| refused.iter().flatten().any(|scope| folder.overlaps(scope));
        let found = folders(unasked(), &|scope| scopes.contains(scope));
        scopes.extend(found.into_iter().filter(|folder| !is_touchy(folder)));
    }
    let (grants, more) = propose_grants(&last, observations, &scopes);
    withheld.extend(more);
    Proposal {
        allow: outermost(&scopes, observations),
        grants,
        withheld: withheld.into_iter().collect(),
        without_project: ended_as(&last, ApprovalState::Granted).filter(|one| one.project.is_none()).count(),
    }
}

/// Returns the scopes that no other one covers, with the calls on which they are based.
fn outermost(scopes: &BTreeSet<Scope>, observations: &[Observation]) -> Vec<ProposedScope> {
    let unasked: Vec<&Vec<Scope>> = observations
        .iter()
        .filter(|one| one.passage == ApprovalState::Unasked)
        .map(|one| &one.needed)
        .collect();
    let is_outer = |scope: &&Scope| !scopes.iter().any(|other| other != *scope && other.covers(scope));
    let proposed = scopes.iter().filter(is_outer).map(|scope| {
        let calls = unasked.iter().filter(|needed| needed.iter().any(|one| scope.covers(one))).count();
        let different: BTreeSet<&Scope> =
            unasked.iter().copied().flatten().filter(|one| scope.covers(one)).collect();
        ProposedScope { scope: scope.clone(), calls, different: different.len() }
    });
    proposed.collect()
}

/// Returns the last observation of each distinct call: the same tool of the same server in the same
/// project, with the same needs.
fn latest_observations(observations: &[Observation]) -> Vec<&Observation> {
    let mut known = BTreeSet::new();
    let key = |one: &Observation| (one.server.clone(), one.tool.clone(), one.project.clone(), one.sorted());
    observations.iter().filter(|one| !one.needed.is_empty() && known.insert(key(one))).collect()
}
