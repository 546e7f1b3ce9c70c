//! Reports the cycles in every crate of the main workspace.

use std::collections::BTreeSet;

use super::graph;
use super::modules::Modules;
use crate::tidy::tree::{Tree, Violation};

pub(crate) fn check(tree: &Tree) -> Vec<Violation> {
    let roots = tree.rust().filter_map(|(name, _)| {
        let src = name.strip_suffix("/lib.rs").or_else(|| name.strip_suffix("/main.rs"))?;
        src.ends_with("/src").then_some(src)
    });
    let crates: BTreeSet<&str> = roots.collect();
    crates.into_iter().flat_map(|src| check_crate(tree, src)).collect()
}

fn check_crate(tree: &Tree, src: &str) -> Vec<Violation> {
    let modules = Modules::of(tree, src);
    let short = |file: &str| file.strip_prefix(src).unwrap_or(file).trim_start_matches('/').to_owned();
    let cycles = graph::cycles(&modules.edges());
    let told = cycles.iter().map(|(group, way)| {
        let way: Vec<String> = way.iter().map(|file| short(file)).collect();
        let others = match group.len() + 1 - way.len() {
            0 => String::new(),
            more => format!(" (and {more} more files)"),
        };
        let first = group.first().copied().unwrap_or(src);
        let what = format!(
            "imports in a circle: {}{others}; move what they share to a file of its own, and let only the assembling file import its parts",
            way.join(" → ")
        );
        Violation::new(first, 1, what)
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_told_once_with_its_way() {
        let tree = Tree::from([
            ("crates/a/src/lib.rs", "mod x; mod y;"),
            ("crates/a/src/x.rs", "use crate::y::Y;"),
            ("crates/a/src/y.rs", "use super::x::X;"),
        ]);
        let found: Vec<String> = check(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "crates/a/src/x.rs:1: imports in a circle: x.rs → y.rs → x.rs; move what they share to a file of its own, and let only the assembling file import its parts"
            ]
        );
    }

    #[test]
    fn a_table_of_contents_is_not_a_circle() {
        let tree = Tree::from([
            ("crates/a/src/lib.rs", "mod x; mod y;\npub use x::X;"),
            ("crates/a/src/x.rs", "use crate::y::Y;"),
            ("crates/a/src/y.rs", ""),
        ]);
        assert_eq!(check(&tree), []);
    }
}
