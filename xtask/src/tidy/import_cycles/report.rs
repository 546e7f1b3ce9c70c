//! Reports the cycles in every crate, in every example of several files and in the page.

use std::collections::BTreeSet;

use super::graph::{self, Edges};
use super::modules::Modules;
use super::typescript;
use crate::tidy::tree::{Tree, Violation};

pub(crate) fn check(tree: &Tree) -> Vec<Violation> {
    let roots = tree.rust().filter_map(|(name, _)| {
        let src = name.strip_suffix("/lib.rs").or_else(|| name.strip_suffix("/main.rs"))?;
        (src.ends_with("/src") || src.contains("/examples/")).then_some(src)
    });
    let crates: BTreeSet<&str> = roots.collect();
    let rust = crates.into_iter().flat_map(|src| report(&Modules::of(tree, src).edges(), src));
    rust.chain(report(&typescript::edges(tree), "ui")).collect()
}

fn report(edges: &Edges<'_>, src: &str) -> Vec<Violation> {
    let short = |file: &str| file.strip_prefix(src).unwrap_or(file).trim_start_matches('/').to_owned();
    let cycles = graph::cycles(edges);
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
    fn examples_and_the_page_are_checked_too() {
        let tree = Tree::from([
            ("crates/a/examples/e/main.rs", "mod x; mod y;"),
            ("crates/a/examples/e/x.rs", "use crate::y::Y;"),
            ("crates/a/examples/e/y.rs", "use crate::x::X;"),
            ("ui/src/p.ts", "import { q } from \"./q\";"),
            ("ui/src/q.ts", "import type { P } from \"./p\";"),
        ]);
        let found: Vec<String> = check(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 2, "{found:#?}");
        assert!(found[0].starts_with("crates/a/examples/e/x.rs:1: imports in a circle: x.rs → y.rs → x.rs;"));
        assert!(found[1].starts_with("ui/src/p.ts:1: imports in a circle: src/p.ts → src/q.ts → src/p.ts;"));
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
