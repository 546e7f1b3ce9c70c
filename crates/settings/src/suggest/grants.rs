//! Proposes grants that would replace the questions that a person answered.
use std::collections::{BTreeMap, BTreeSet};

use super::observation::{ApprovalState, NeededScopes, Observation, ended_as, without_refused};
use overt_policy::scope::Scope;

/// A grant for one tool of one server in one project, until it is revoked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProposedGrant {
    /// The full name of the server.
    pub server: String,
    pub project: String,
    pub tool: String,
    /// The scopes that it covers, sorted.
    pub scopes: Vec<Scope>,
    /// The number of calls that it would have let through.
    pub calls: usize,
}

/// The server, the project and the tool.
type ToolKey<'a> = (&'a str, &'a str, &'a str);

/// Turns the approved calls into grants. Also returns the scopes that are withheld. `allowed` holds
/// the scopes that need no grant.
pub(super) fn propose_grants(
    last: &[&Observation],
    observations: &[Observation],
    allowed: &BTreeSet<Scope>,
) -> (Vec<ProposedGrant>, BTreeSet<Scope>) {
    let mut needs: BTreeMap<ToolKey<'_>, BTreeSet<NeededScopes>> = BTreeMap::new();
    for one in ended_as(last, ApprovalState::Granted) {
        if let Some(place) = place(one) {
            needs.entry(place).or_default().insert(one.sorted());
        }
    }
    let (mut grants, mut withheld) = (Vec::new(), BTreeSet::new());
    for (place, needs) in needs {
        // A call needs no grant for scopes that the settings allow.
        let refused: BTreeSet<NeededScopes> = ended_as(last, ApprovalState::Refused)
            .filter(|one| self::place(one) == Some(place))
            .map(|one| one.sorted().into_iter().filter(|scope| !is_covered(scope, allowed)).collect())
            .collect();
        for mut scopes in sets(needs) {
            let mut left_out = without_refused(&mut scopes, &refused);
            left_out.extend(scopes.iter().filter(|scope| scope.is_too_wide_to_last()).cloned());
            scopes.retain(|scope| !scope.is_too_wide_to_last());
            withheld.extend(left_out);
            grants.extend(grant(place, &scopes, observations));
        }
    }
    grants.sort_unstable();
    (grants, withheld)
}

/// Returns the scopes of each grant. Scopes that were needed alone share a grant. Scopes that were
/// needed together get their own grant, because combined with others they would let through calls
/// that were never made.
fn sets(needs: BTreeSet<NeededScopes>) -> Vec<BTreeSet<Scope>> {
    let (alone, together): (Vec<NeededScopes>, Vec<NeededScopes>) =
        needs.into_iter().partition(|needed| needed.len() == 1);
    let alone: BTreeSet<Scope> = alone.into_iter().flatten().collect();
    let together = together.into_iter().map(|needed| needed.into_iter().collect());
    std::iter::once(alone).filter(|alone| !alone.is_empty()).chain(together).collect()
}

/// Returns the grant of these scopes; `None` if they would let none of the calls through.
fn grant(
    place: ToolKey<'_>,
    scopes: &BTreeSet<Scope>,
    observations: &[Observation],
) -> Option<ProposedGrant> {
    let is_let_through = |one: &&Observation| {
        one.passage == ApprovalState::Granted
            && self::place(one) == Some(place)
            && one.needed.iter().all(|scope| scopes.contains(scope))
    };
    let calls = observations.iter().filter(is_let_through).count();
    let (server, project, tool) = place;
    (calls > 0).then(|| ProposedGrant {
        server: server.to_owned(),
        project: project.to_owned(),
        tool: tool.to_owned(),
        scopes: scopes.iter().cloned().collect(),
        calls,
    })
}

/// Returns `None` without a project, because the grant would then apply in every project.
fn place(one: &Observation) -> Option<ToolKey<'_>> {
    Some((&one.server, one.project.as_deref()?, &one.tool))
}

fn is_covered(wanted: &Scope, scopes: &BTreeSet<Scope>) -> bool {
    scopes.iter().any(|scope| scope.covers(wanted))
}
