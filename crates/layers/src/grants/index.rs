//! An index of grants by holder and scope. Pure: no clock, no IO. A lookup costs a few steps for
//! each part of a scope, however many grants there are (SCP-14).
use std::collections::HashMap;

use overt_policy::scope::Scope;
use overt_wire::Principal;

use super::{
    CandidateQuery, Grant, GrantId, GrantLifetime, GrantVerdict, GrantedTools, HolderClient, Terms,
    TrustedServerKey, TrustedTool,
};

#[derive(Debug, Clone, Default)]
pub struct GrantIndex {
    grants: HashMap<GrantId, Grant>,
    slots: HashMap<Slot, HashMap<String, Vec<GrantId>>>,
    /// Refusals for good, by principal, server and tool.
    refusals: HashMap<RefusalKey, Vec<GrantId>>,
}

/// What a grant and a call must have in common, apart from the scopes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Slot {
    principal: Principal,
    server: String,
    project: Option<String>,
    tools: GrantedTools,
    reach: Reach,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Reach {
    Always,
    Session(HolderClient),
    Once { client: HolderClient, arguments: String },
}

/// The principal, server and tool of a refusal for good.
type RefusalKey = (Principal, String, String);

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

    /// Returns the grants and refusals that may apply to a call. [`Grant::permits`] and
    /// [`Grant::refuses`] decide whether they do.
    pub fn candidates<'a>(&'a self, query: &'a CandidateQuery) -> impl Iterator<Item = &'a Grant> {
        let TrustedTool { server: TrustedServerKey { server, project, .. }, tool, .. } = &query.tool;
        // A grant for the current project, or a grant for every project.
        let projects = [project.clone(), None].into_iter().take(if project.is_some() { 2 } else { 1 });
        let client = &query.holder.client;
        let once = Reach::Once { client: client.clone(), arguments: query.arguments.clone() };
        let reaches = [Reach::Always, Reach::Session(client.clone()), once];
        let tools = [GrantedTools::One(tool.clone()), GrantedTools::Reading, GrantedTools::Every];
        let mut found: Vec<&GrantId> = Vec::new();
        for project in projects {
            for (tools, reach) in
                tools.iter().flat_map(|tools| reaches.iter().map(move |reach| (tools, reach)))
            {
                let slot = Slot {
                    principal: query.holder.principal.clone(),
                    server: server.clone(),
                    project: project.clone(),
                    tools: tools.clone(),
                    reach: reach.clone(),
                };
                if let Some(by_scope) = self.slots.get(&slot) {
                    found.extend(query.wanted.iter().flat_map(|scopes| fewest(by_scope, scopes)));
                }
            }
        }
        let key = (query.holder.principal.clone(), server.clone(), tool.clone());
        found.extend(self.refusals.get(&key).into_iter().flatten());
        found.sort_unstable();
        found.dedup();
        found.into_iter().filter_map(|id| self.grants.get(id))
    }

    /// Returns the grant with exactly these terms, unless it is for one call. Giving the same grant
    /// twice adds nothing.
    pub fn find_equal(&self, of: &Grant) -> Option<&Grant> {
        if of.terms.lifetime == GrantLifetime::Once {
            return None;
        }
        let by_scope = self.slots.get(&Slot::of_grant(of))?;
        let is_same = |id: &GrantId| self.grants.get(id).filter(|grant| grant.terms == of.terms);
        fewest(by_scope, &of.terms.scopes).into_iter().find_map(is_same)
    }
}

impl Slot {
    fn of_grant(grant: &Grant) -> Self {
        let client = grant.holder.client.clone();
        let reach = match grant.terms.lifetime {
            GrantLifetime::Always => Reach::Always,
            GrantLifetime::Session => Reach::Session(client),
            GrantLifetime::Once => {
                Reach::Once { client, arguments: grant.terms.arguments.clone().unwrap_or_default() }
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
}

/// Returns the key of a refusal. `None` for a grant that allows.
fn refusal_key(grant: &Grant) -> Option<RefusalKey> {
    let tool = grant.terms.tools.name().filter(|_| grant.terms.verdict == GrantVerdict::Refuse)?;
    Some((grant.holder.principal.clone(), grant.terms.server.clone(), tool.to_owned()))
}

/// Returns the grants that may cover all of these scopes: those that may cover the one with the
/// fewest of them.
fn fewest<'a>(by_scope: &'a HashMap<String, Vec<GrantId>>, scopes: &[Scope]) -> Vec<&'a GrantId> {
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
pub fn wider_or_same(text: &str) -> Vec<&str> {
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
