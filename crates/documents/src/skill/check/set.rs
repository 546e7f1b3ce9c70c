//! Checks several skills together: duplicate ids, and missing or circular dependencies (F-17).
use std::collections::{BTreeMap, BTreeSet};

use overt_policy::finding::Pointer;
use serde_json::Value;

use super::fields::REPOSITORY;
use super::{Report, Rule, Violation};
use crate::front_matter::split;
use crate::yaml::{self, LineColumn};

/// The id of a skill and its dependencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    id: String,
    depends_on: Vec<String>,
    place: LineColumn,
}

impl Member {
    /// Reads the text of a SKILL.md. Returns `None` if it has no readable repository metadata.
    pub fn read(text: &str) -> Option<Self> {
        let front = split(text).ok()?.front.filter(|front| front.contains(REPOSITORY))?;
        let yaml = yaml::read(front, 2).ok()?;
        let block = yaml.value.get(REPOSITORY)?;
        let id = block.get("id")?.as_str()?.trim().to_owned();
        let listed = block.get("depends_on").and_then(Value::as_array);
        let depends_on =
            listed.into_iter().flatten().filter_map(|id| Some(id.as_str()?.trim().to_owned())).collect();
        let at = Pointer::root().join(REPOSITORY);
        let place = yaml.place(&at.join("depends_on")).or_else(|| yaml.place(&at.join("id")))?;
        Some(Self { id, depends_on, place })
    }
}

/// Checks the skills together, and adds the violations to the report of each.
pub fn check_set(members: &[Option<Member>], reports: &mut [Report]) {
    let mut by_id: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, member) in members.iter().enumerate() {
        if let Some(member) = member {
            by_id.entry(&member.id).or_default().push(index);
        }
    }
    let circular = in_circles(members, &by_id);
    for (index, (member, report)) in members.iter().zip(reports).enumerate() {
        let Some(member) = member else { continue };
        let mut add = |rule, field: &str, problem: String, fix: &str| {
            let at = Pointer::root().join(REPOSITORY).join(field);
            report.add(Violation { rule, at, place: member.place, problem, fix: fix.to_owned(), edit: None });
        };
        if by_id.get(member.id.as_str()).is_some_and(|same| same.len() > 1) {
            let problem = format!("`{}` is the id of another skill too", member.id);
            add(Rule::RepositoryDuplicate, "id", problem, "rename one of them");
        }
        for dependency in member.depends_on.iter().filter(|id| !by_id.contains_key(id.as_str())) {
            let problem = format!("`{dependency}` is not a skill here");
            add(Rule::RepositoryDependency, "depends_on", problem, "add the skill, or leave it out");
        }
        if circular.contains(&index) {
            let problem = format!("`{}` depends on itself, directly or through others", member.id);
            add(Rule::RepositoryDependency, "depends_on", problem, "break the circle");
        }
    }
}

/// Returns the skills in dependency cycles: those in a strongly connected component with another
/// skill, and those that name themselves (Kosaraju's algorithm).
fn in_circles(members: &[Option<Member>], by_id: &BTreeMap<&str, Vec<usize>>) -> BTreeSet<usize> {
    let uses: Vec<Vec<usize>> = members
        .iter()
        .map(|member| {
            let ids = member.iter().flat_map(|member| &member.depends_on);
            ids.filter_map(|id| by_id.get(id.as_str())?.first().copied()).collect()
        })
        .collect();
    let mut users = vec![Vec::new(); uses.len()];
    for (index, used) in uses.iter().enumerate() {
        used.iter().for_each(|used| users[*used].push(index));
    }
    let mut circular = BTreeSet::new();
    let mut is_placed = vec![false; uses.len()];
    for index in finished_last(&uses) {
        if std::mem::replace(&mut is_placed[index], true) {
            continue;
        }
        let mut component = vec![index];
        let mut looked_at = 0;
        while let Some(&member) = component.get(looked_at) {
            looked_at += 1;
            for &user in &users[member] {
                if !std::mem::replace(&mut is_placed[user], true) {
                    component.push(user);
                }
            }
        }
        if component.len() > 1 || uses[index].contains(&index) {
            circular.extend(component);
        }
    }
    circular
}

/// The nodes of a graph in the reverse order in which a depth-first search leaves them.
fn finished_last(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut finished = Vec::with_capacity(edges.len());
    let mut is_seen = vec![false; edges.len()];
    for start in 0..edges.len() {
        if std::mem::replace(&mut is_seen[start], true) {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((node, edge)) = path.last_mut() {
            let Some(&next) = edges[*node].get(*edge) else {
                finished.push(*node);
                path.pop();
                continue;
            };
            *edge += 1;
            if !std::mem::replace(&mut is_seen[next], true) {
                path.push((next, 0));
            }
        }
    }
    finished.reverse();
    finished
}
