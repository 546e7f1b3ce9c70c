//! An index of grants by holder and scope. Pure: no clock, no IO. A lookup costs a few steps for
//! each part of a scope, however many grants there are (SCP-14).
use std::collections::HashMap;

use overt_policy::scope::Scope;

use super::{Grant, GrantId, GrantLifetime, GrantVerdict, GrantedTools, Need, Terms};

#[derive(Debug, Clone, Default)]
pub struct GrantIndex {
    grants: HashMap<GrantId, Grant>,
    slots: HashMap<Slot, HashMap<String, Vec<GrantId>>>,
    /// Refusals for good, by principal, server and tool.
    refusals: HashMap<(String, String, String), Vec<GrantId>>,
}

/// What a grant and a call must have in common, apart from the scopes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Slot {
    principal: String,
    server: String,
    project: Option<String>,
    tools: GrantedTools,
    reach: Reach,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Reach {
    Always,
    Session(String),
    Once { session: String, arguments: String },
}

impl GrantIndex {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.grants.len()
    }

    pub fn is_empty(&self) -> bool {
        self.grants.is_empty()
    }

    pub fn get(&self, id: &GrantId) -> Option<&Grant> {
        self.grants.get(id)
    }

    pub fn all(&self) -> impl Iterator<Item = &Grant> {
        self.grants.values()
    }

    pub fn insert(&mut self, grant: Grant) {
        self.remove(&grant.id);
        if let Some(key) = refusal_key(&grant) {
            self.refusals.entry(key).or_default().push(grant.id.clone());
        }
        let by_scope = self.slots.entry(Slot::of_grant(&grant)).or_default();
        for key in keys(&grant.terms) {
            by_scope.entry(key).or_default().push(grant.id.clone());
        }
        self.grants.insert(grant.id.clone(), grant);
    }

    pub fn remove(&mut self, id: &GrantId) -> Option<Grant> {
        let grant = self.grants.remove(id)?;
        if let Some(key) = refusal_key(&grant)
            && let Some(ids) = self.refusals.get_mut(&key)
        {
            ids.retain(|other| other != id);
            if ids.is_empty() {
                self.refusals.remove(&key);
            }
        }
        let slot = Slot::of_grant(&grant);
        if let Some(by_scope) = self.slots.get_mut(&slot) {
            for key in keys(&grant.terms) {
                if let Some(ids) = by_scope.get_mut(&key) {
                    ids.retain(|other| other != id);
                    if ids.is_empty() {
                        by_scope.remove(&key);
                    }
                }
            }
            if by_scope.is_empty() {
                self.slots.remove(&slot);
            }
        }
        Some(grant)
    }

    /// Removes and returns every grant that meets the condition.
    pub fn remove_if(&mut self, condition: impl Fn(&Grant) -> bool) -> Vec<Grant> {
        let ids: Vec<GrantId> =
            self.all().filter(|grant| condition(grant)).map(|grant| grant.id.clone()).collect();
        ids.iter().filter_map(|id| self.remove(id)).collect()
    }

    /// Returns a grant that permits this call. A lasting grant is preferred to one that would be
    /// used up.
    pub fn covering(&self, need: &Need<'_>, now: u64) -> Option<&Grant> {
        // A grant for the current project, or a grant for every project.
        let projects = [need.project, None].into_iter().take(if need.project.is_some() { 2 } else { 1 });
        let reaches = Reach::of_need(need);
        let named = GrantedTools::One(need.tool.to_owned());
        let tools =
            [Some(named), need.only_reads.then_some(GrantedTools::Reading), Some(GrantedTools::Every)];
        let mut slots = tools.iter().flatten().flat_map(|tools| {
            let projects = &projects;
            reaches.iter().flat_map(move |reach| {
                projects
                    .clone()
                    .map(move |project| Slot::of_need(need, project, tools.clone(), reach.clone()))
            })
        });
        slots.find_map(|slot| {
            let by_scope = self.slots.get(&slot)?;
            let permits = |id: &GrantId| self.grants.get(id).filter(|grant| grant.permits(need, now));
            candidates(by_scope, need.scopes).into_iter().find_map(permits)
        })
    }

    /// Returns the refusal for good that covers this call, if there is one.
    pub fn refusing(&self, need: &Need<'_>, now: u64) -> Option<&Grant> {
        let key = (need.holder.principal.clone(), need.server.to_owned(), need.tool.to_owned());
        let refusals = self.refusals.get(&key)?;
        refusals.iter().find_map(|id| self.grants.get(id).filter(|grant| grant.refuses(need, now)))
    }

    /// Returns the grant with exactly these terms, unless it is for one call. Giving the same grant
    /// twice adds nothing.
    pub fn find_equal(&self, of: &Grant) -> Option<&Grant> {
        if of.terms.lifetime == GrantLifetime::Once {
            return None;
        }
        let by_scope = self.slots.get(&Slot::of_grant(of))?;
        let is_same = |id: &GrantId| self.grants.get(id).filter(|grant| grant.terms == of.terms);
        candidates(by_scope, &of.terms.scopes).into_iter().find_map(is_same)
    }
}

impl Slot {
    fn of_grant(grant: &Grant) -> Self {
        let session = grant.holder.session.clone();
        let reach = match grant.terms.lifetime {
            GrantLifetime::Always => Reach::Always,
            GrantLifetime::Session => Reach::Session(session),
            GrantLifetime::Once => {
                Reach::Once { session, arguments: grant.terms.arguments.clone().unwrap_or_default() }
            }
        };
        Self {
            principal: grant.holder.principal.clone(),
            server: grant.terms.server.clone(),
            project: grant.terms.project.clone(),
            tools: grant.terms.tools.clone(),
            reach,
        }
    }

    fn of_need(need: &Need<'_>, project: Option<&str>, tools: GrantedTools, reach: Reach) -> Self {
        Self {
            principal: need.holder.principal.clone(),
            server: need.server.to_owned(),
            project: project.map(str::to_owned),
            tools,
            reach,
        }
    }
}

impl Reach {
    fn of_need(need: &Need<'_>) -> [Self; 3] {
        let session = need.holder.session.clone();
        let once = Self::Once { session: session.clone(), arguments: need.arguments.to_owned() };
        [Self::Always, Self::Session(session), once]
    }
}

/// Returns the key of a refusal. `None` for a grant that allows.
fn refusal_key(grant: &Grant) -> Option<(String, String, String)> {
    let tool = grant.terms.tools.name().filter(|_| grant.terms.verdict == GrantVerdict::Refuse)?;
    Some((grant.holder.principal.clone(), grant.terms.server.clone(), tool.to_owned()))
}

/// Returns the grants that may cover one of the scopes. It uses the scope with the fewest
/// candidates.
fn candidates<'a>(by_scope: &'a HashMap<String, Vec<GrantId>>, scopes: &[Scope]) -> Vec<&'a GrantId> {
    let of_scope = |scope: &Scope| -> Vec<&'a GrantId> {
        let text = scope.to_string();
        wider_or_same(&text).iter().filter_map(|key| by_scope.get(*key)).flatten().collect()
    };
    scopes.iter().map(of_scope).min_by_key(Vec::len).unwrap_or_default()
}

fn keys(terms: &Terms) -> Vec<String> {
    let mut keys: Vec<String> = terms.scopes.iter().map(Scope::to_string).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Returns the texts of all scopes that may cover this one, including itself: `a:b:/c/d`, `a:b:/c`,
/// `a:b:/`, `a:b` and `a`. [`Grant::permits`] decides whether they do.
fn wider_or_same(text: &str) -> Vec<&str> {
    let mut found = vec![text];
    for (at, _) in text.char_indices().rev().filter(|(_, c)| matches!(c, ':' | '/')) {
        let before = &text[..at];
        if before.ends_with(':') && at + 1 < text.len() {
            found.push(&text[..=at]);
        }
        found.push(before);
    }
    found
}

#[cfg(test)]
mod tests;
