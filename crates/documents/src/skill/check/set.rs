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

/// Returns the skills in dependency cycles, and those on a path between two cycles. First removes,
/// repeatedly, every skill whose dependencies are all removed; the rest is in a cycle or leads into
/// one.
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
    // The same removal in the other direction drops skills that only lead into a cycle.
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
