//! Skills together: ids that are there twice, dependencies that are missing or go in circles
//! (F-17).
use std::collections::{BTreeMap, BTreeSet};

use overt_policy::finding::Pointer;
use serde_json::Value;

use super::fields::REPOSITORY;
use super::{Report, Rule, Violation};
use crate::front_matter::split;
use crate::yaml::{self, LineColumn};

/// What one skill says of itself and of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    id: String,
    depends_on: Vec<String>,
    place: LineColumn,
}

impl Member {
    /// Reads it from the text of a SKILL.md; none if it has no repository metadata that can be
    /// read.
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

/// Adds what is wrong with the skills together to the report of each.
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

/// The skills that depend on themselves. What depends on nothing that is left is taken away until
/// nothing changes; the rest is in a circle or leads into one, and of those the ones are told that
/// reach themselves.
fn in_circles(members: &[Option<Member>], by_id: &BTreeMap<&str, Vec<usize>>) -> BTreeSet<usize> {
    let next = |index: usize| {
        let ids = members[index].iter().flat_map(|member| &member.depends_on);
        ids.filter_map(|id| by_id.get(id.as_str())?.first().copied())
    };
    let mut users: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut open: Vec<usize> = (0..members.len()).map(|index| next(index).count()).collect();
    for index in 0..members.len() {
        next(index).for_each(|used| users.entry(used).or_default().push(index));
    }
    let mut ready: Vec<usize> = (0..members.len()).filter(|index| open[*index] == 0).collect();
    let mut left: BTreeSet<usize> = (0..members.len()).collect();
    while let Some(index) = ready.pop() {
        left.remove(&index);
        for user in users.get(&index).into_iter().flatten() {
            open[*user] -= 1;
            if open[*user] == 0 {
                ready.push(*user);
            }
        }
    }
    // The same in the other direction takes away what only leads into a circle.
    let mut used: BTreeMap<usize, usize> = BTreeMap::new();
    for index in &left {
        next(*index)
            .filter(|target| left.contains(target))
            .for_each(|target| *used.entry(target).or_default() += 1);
    }
    let mut unused: Vec<usize> = left.iter().copied().filter(|index| !used.contains_key(index)).collect();
    while let Some(index) = unused.pop() {
        left.remove(&index);
        for target in next(index).filter(|target| left.contains(target)) {
            let count = used.entry(target).or_default();
            *count = count.saturating_sub(1);
            if *count == 0 {
                unused.push(target);
            }
        }
    }
    left
}
