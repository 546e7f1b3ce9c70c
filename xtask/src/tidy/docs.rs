//! Checks that paths in documents exist; in ARCHITECTURE.md also short ones such as
//! `serve/run.rs::answer`, with the item that they name.

use super::tree::{Tree, Violation};

/// The document whose short paths are checked too.
const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// Words that look like paths but are methods of the protocol.
const METHODS: &[&str] = &["tools/call", "tools/list"];

/// A word in backticks that starts with one of these is taken for a path of this repository.
const TOP: &[&str] = &["crates/", "xtask/", "docs/", "tools/", "bench/", "fuzz/", ".ci/"];

pub(crate) fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (name, text) in tree.iter().filter(|(name, _)| name.ends_with(".md")) {
        let mut in_block = false;
        for (index, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                in_block = !in_block;
            }
            if in_block {
                continue;
            }
            let links = between(line, "](", ")").filter_map(|link| resolve(name, link));
            let named = between(line, "`", "`").filter(|word| is_path(word)).map(str::to_owned);
            if name == ARCHITECTURE {
                let unknown = between(line, "`", "`").filter(|word| is_stale(tree, word));
                violations.extend(unknown.map(|word| {
                    let what = format!("no file has `{word}`; name one that exists, and what is in it");
                    Violation::new(name, index + 1, what)
                }));
            }
            for path in links.chain(named).filter(|path| !path.is_empty() && !tree.has(path)) {
                let what = format!("there is no `{path}`; name a file that exists");
                violations.push(Violation::new(name, index + 1, what));
            }
        }
    }
    violations
}

/// Says whether a word is a short path to a Rust file, with or without an item, but the file or the
/// item does not exist.
fn is_stale(tree: &Tree, word: &str) -> bool {
    let Some((path, item)) = word.split_once(".rs") else { return false };
    let is_path = path.chars().all(|c| c.is_ascii_alphanumeric() || "_/".contains(c)) && !path.is_empty();
    let is_item = item.is_empty() || item.starts_with("::");
    if !is_path || !is_item {
        return false;
    }
    let end = format!("/{path}.rs");
    let item = item.rsplit("::").next().unwrap_or_default();
    let names_item =
        |text: &str| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == item);
    !tree
        .rust()
        .any(|(name, text)| format!("/{name}").ends_with(&end) && (item.is_empty() || names_item(text)))
}

/// Returns the texts between each pair of marks.
fn between<'a>(line: &'a str, open: &'a str, close: &'a str) -> impl Iterator<Item = &'a str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once(open)?;
        let (inside, after) = after.split_once(close)?;
        rest = after;
        Some(inside)
    })
}

/// Returns the path from the root that a link in `document` leads to, or `None` for a link to
/// elsewhere.
fn resolve(document: &str, link: &str) -> Option<String> {
    if link.contains(':') || link.starts_with('#') || link.starts_with('<') {
        return None;
    }
    let path = link.split('#').next()?;
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn is_path(word: &str) -> bool {
    TOP.iter().any(|top| word.starts_with(top) && word.len() > top.len())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c))
        && !word.ends_with(['/', '.'])
        && !METHODS.contains(&word)
        // `TARGET` is a placeholder for a name; corpora and build output are not tracked.
        && !word.split('/').any(|part| part == "target" || part.chars().all(|c| c.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let tree = Tree::from([("docs/a.md", text), ("README.md", ""), ("crates/wire/src/lib.rs", "")]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_link_to_nowhere_is_found() {
        assert_eq!(
            found("x\n[gone](gone.md#part)"),
            ["docs/a.md:2: there is no `docs/gone.md`; name a file that exists"]
        );
        assert_eq!(found("[up](../GONE.md)").len(), 1);
    }

    #[test]
    fn a_path_in_backticks_must_exist() {
        assert_eq!(found("see `crates/wire/src/gone.rs`").len(), 1);
        assert!(
            found("see `crates/wire/src/lib.rs`, `crates/wire`, `crates/*/src`, `tools/call` and `fuzz/corpus/TARGET`").is_empty()
        );
    }

    #[test]
    fn a_short_path_in_the_architecture_leads_to_a_file_and_its_item() {
        let found = |text: &str| {
            let code = "pub fn serve() {}\nimpl Limits {}";
            let tree = Tree::from([(ARCHITECTURE, text), ("crates/wire/src/http/serve.rs", code)]);
            check(&tree).len()
        };
        assert_eq!(found("`http/serve.rs`, `serve.rs::serve`, `serve.rs::Limits::serve`, `lib.rst`"), 0);
        assert_eq!(found("`http/gone.rs` and `serve.rs::gone`"), 2);
    }

    #[test]
    fn links_that_lead_somewhere_are_content() {
        assert!(found("[a](a.md) [r](../README.md) [w](https://example.com/x) [s](#part)").is_empty());
    }
}
