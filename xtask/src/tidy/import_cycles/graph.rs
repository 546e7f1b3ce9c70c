//! Finds cycles in a graph of imports, and the shortest path around each.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

pub(crate) type Edges<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// Returns the groups of files that all reach each other, each with the shortest cycle through its
/// first file.
pub(crate) fn cycles<'a>(edges: &Edges<'a>) -> Vec<(BTreeSet<&'a str>, Vec<&'a str>)> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        edges.keys().map(|file| (*file, reached_from(edges, file))).collect();
    let mut seen = BTreeSet::new();
    let mut cycles = Vec::new();
    for (file, reaches) in &reached {
        if !reaches.contains(file) || seen.contains(file) {
            continue;
        }
        let together = |other: &&&str| reached.get(**other).is_some_and(|back| back.contains(file));
        let group: BTreeSet<&str> = reaches.iter().filter(together).copied().collect();
        seen.extend(group.iter().copied());
        cycles.push((group, shortest(edges, file)));
    }
    cycles
}

fn reached_from<'a>(edges: &Edges<'a>, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = edges.get(from).into_iter().flatten().copied().collect();
    while let Some(file) = open.pop() {
        if reached.insert(file) {
            open.extend(edges.get(file).into_iter().flatten());
        }
    }
    reached
}

/// Returns the shortest path from a file back to itself, with that file at both ends.
fn shortest<'a>(edges: &Edges<'a>, start: &'a str) -> Vec<&'a str> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(file) = open.pop_front() {
        for next in edges.get(file).into_iter().flatten() {
            if *next == start {
                let back = std::iter::successors(Some(file), |file| came_from.get(file).copied());
                let mut way: Vec<&str> = [start].into_iter().chain(back).collect();
                way.reverse();
                return way;
            }
            if !came_from.contains_key(next) {
                came_from.insert(next, file);
                open.push_back(next);
            }
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_the_shortest_way_around_are_found() {
        let edges = Edges::from([
            ("a", BTreeSet::from(["b"])),
            ("b", BTreeSet::from(["c", "d"])),
            ("c", BTreeSet::from(["a"])),
            ("d", BTreeSet::from(["e"])),
            ("e", BTreeSet::new()),
        ]);
        assert_eq!(cycles(&edges), [(BTreeSet::from(["a", "b", "c"]), vec!["a", "b", "c", "a"])]);
    }
}
