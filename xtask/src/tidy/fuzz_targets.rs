//! Checks that each fuzz target has all four parts: a file, a `[[bin]]`, seeds, and a row in
//! `fuzz/README.md`.

use std::collections::BTreeSet;

use super::tree::{Tree, Violation};

const MANIFEST: &str = "fuzz/Cargo.toml";
const README: &str = "fuzz/README.md";

pub(crate) fn check(tree: &Tree) -> Vec<Violation> {
    let below = |prefix| tree.iter().filter_map(move |(name, _)| name.strip_prefix(prefix));
    let files: BTreeSet<&str> =
        below("fuzz/fuzz_targets/").filter_map(|name| name.strip_suffix(".rs")).collect();
    let seeds: BTreeSet<&str> =
        below("fuzz/seeds/").filter_map(|name| Some(name.split_once('/')?.0)).collect();
    let bins = cells(tree, MANIFEST, "path = \"fuzz_targets/", ".rs\"");
    let rows = cells(tree, README, "| `", "` |");
    let kinds = [
        ("fuzz/fuzz_targets", "file", &files),
        (MANIFEST, "`[[bin]]`", &bins),
        ("fuzz/seeds", "directory of seeds", &seeds),
        (README, "row", &rows),
    ];
    let all: BTreeSet<&str> = kinds.iter().flat_map(|(.., names)| names.iter().copied()).collect();
    let missing = |name: &str| {
        let without = kinds.iter().filter(|(.., names)| !names.contains(name));
        without
            .map(|(place, kind, _)| {
                Violation::new(place, 1, format!("the fuzz target `{name}` has no {kind} here; add it"))
            })
            .collect::<Vec<_>>()
    };
    all.into_iter().flat_map(missing).collect()
}

/// Returns the text between `start` and `end` of each line that starts with `start`.
fn cells<'a>(tree: &'a Tree, file: &str, start: &str, end: &str) -> BTreeSet<&'a str> {
    let lines = tree.get(file).into_iter().flat_map(str::lines);
    lines.filter_map(|line| Some(line.strip_prefix(start)?.split_once(end)?.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_without_one_of_its_four_parts_is_found() {
        let whole = [
            ("fuzz/fuzz_targets/scan.rs", ""),
            ("fuzz/seeds/scan/empty", ""),
            (MANIFEST, "[[bin]]\nname = \"scan\"\npath = \"fuzz_targets/scan.rs\"\n"),
            (README, "| target | held against |\n|---|---|\n| `scan` | a model |\n"),
        ];
        assert_eq!(check(&Tree::from(whole)), []);
        for (part, _) in whole {
            let mut rest = Tree::default();
            whole.iter().filter(|(name, _)| *name != part).for_each(|(name, text)| rest.insert(name, text));
            let found = check(&rest);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].to_string().contains("the fuzz target `scan` has no"), "{}", found[0]);
        }
    }
}
