//! What would have to be allowed so that the observed calls need no question: never more than that.
//!
//! What passed without a question becomes scopes of the settings, exactly as they were needed. What
//! a person had to agree to becomes grants, each for one tool of one server in one project: a scope
//! of the settings would not replace the agreement, and would hold for every server. What was
//! refused last stays refused.
use std::collections::BTreeSet;

use super::folders::folders;
use super::grants::{ProposedGrant, propose_grants};
use super::observation::{ApprovalState, NeededScopes, Observation, ended_as, without_refused};
use crate::scope::Scope;

/// What takes the place of many files in the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paths {
    /// Nothing: each file is proposed.
    Exact,
    /// A folder of the project in which at least [`LEAST_FILES`](super::LEAST_FILES) different
    /// files were touched, if nothing in it was refused. This is more than what happened.
    Folders,
}

/// What is proposed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposal {
    /// For the settings. Sorted, and none of them covers another.
    pub allow: Vec<ProposedScope>,
    /// For the store of grants, sorted.
    pub grants: Vec<ProposedGrant>,
    /// Needed by what was done, and left out: something that was refused would be allowed by it, or
    /// it is too wide to be granted without a second thought.
    pub withheld: Vec<Scope>,
    /// Calls that a person agreed to and that had no project. Their grant would hold in every
    /// project.
    pub without_project: usize,
}

/// A scope, and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedScope {
    pub scope: Scope,
    /// Calls that needed it, or something beneath it.
    pub calls: usize,
    /// Different scopes that were needed: for a folder, the files.
    pub different: usize,
}

/// Proposes what would have allowed the calls. The last call comes first.
pub fn suggest(observations: &[Observation], paths: Paths) -> Proposal {
    let last = last_words(observations);
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

/// The scopes that no other one covers, with what they rest on.
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

/// The last observation of each call: the same tool of the same server in the same project, with
/// the same needs.
fn last_words(observations: &[Observation]) -> Vec<&Observation> {
    let mut known = BTreeSet::new();
    let key = |one: &Observation| (one.server.clone(), one.tool.clone(), one.project.clone(), one.sorted());
    observations.iter().filter(|one| !one.needed.is_empty() && known.insert(key(one))).collect()
}
