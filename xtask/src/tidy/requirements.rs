//! Checks that every requirement id in the code is explained, and that every explained id is
//! mentioned in the code.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::{Tree, Violation};

const EXPLAINED: &str = "docs/requirements.md";
/// The document that explains the hostile cases. It says itself which of them have a test.
const CASES: &str = "docs/security-cases.md";

/// Prefixes that look like those of ids, but belong to standards or examples.
const NOT_IDS: &[&str] = &["KEY", "PDF", "SEP", "SHA", "UTF", "RFC", "ISO"];

type Id = (String, u32);

pub(crate) fn check(tree: &Tree) -> Vec<Violation> {
    let Some(explained) = tree.get(EXPLAINED) else { return Vec::new() };
    let rows = rows(explained);
    let cases: BTreeSet<Id> = tree.get(CASES).into_iter().flat_map(str::lines).flat_map(ids).collect();
    let mut mentioned = BTreeSet::new();
    let mut violations = Vec::new();
    let sources = tree.iter().filter(|(name, _)| !name.starts_with("docs/") && is_source(name));
    for (name, text) in sources {
        for (index, line) in text.lines().enumerate() {
            for id in ids(line).into_iter().chain(ids_in_names(line)) {
                if !rows.contains_key(&id) && !cases.contains(&id) {
                    let what = format!("{}-{:02} is not explained; add a line to {EXPLAINED}", id.0, id.1);
                    violations.push(Violation::new(name, index + 1, what));
                }
                mentioned.insert(id);
            }
        }
    }
    for (id, line) in rows.iter().filter(|(id, _)| !mentioned.contains(*id)) {
        if explained.lines().nth(line - 1).and_then(holder).is_some_and(|name| is_there(tree, name)) {
            continue;
        }
        let what = format!("nothing mentions {}-{:02}; name it in its test, or remove the line", id.0, id.1);
        violations.push(Violation::new(EXPLAINED, *line, what));
    }
    violations
}

fn is_source(name: &str) -> bool {
    [".rs", ".ts", ".mjs", ".py", ".transcript"].iter().any(|end| name.ends_with(end))
        && !name.starts_with("ui/dist/")
}

/// Returns the ids that have their own row, with the line number.
fn rows(text: &str) -> BTreeMap<Id, usize> {
    let row = |(index, line): (usize, &str)| {
        let cell = line.strip_prefix("| ")?.split(" |").next()?;
        Some(ids(cell).into_iter().map(move |id| (id, index + 1)))
    };
    text.lines().enumerate().filter_map(row).flatten().collect()
}

/// Returns the test or file that a row names at its end, as `… (\`name\`). |`, if a test with
/// another name covers the id.
fn holder(row: &str) -> Option<&str> {
    row.rsplit_once("(`")?.1.split('`').next()
}

fn is_there(tree: &Tree, name: &str) -> bool {
    tree.get(name).is_some() || tree.rust().any(|(_, text)| text.contains(&format!("fn {name}(")))
}

/// Returns ids in prose, such as `X-34`.
fn ids(line: &str) -> Vec<Id> {
    let words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_');
    words.filter_map(|word| id(word.split_once('-')?, char::is_ascii_uppercase)).collect()
}

/// Returns ids at the start of a test's name: `scp_10_a_scope_…`, `scp_07_scp_11_an_answer_…`.
fn ids_in_names(line: &str) -> Vec<Id> {
    let Some(name) = line.trim_start().trim_start_matches("async ").strip_prefix("fn ") else {
        return Vec::new();
    };
    let words: Vec<&str> = name.split('_').collect();
    words.chunks_exact(2).map_while(|pair| id((pair[0], pair[1]), char::is_ascii_lowercase)).collect()
}

fn id((letters, number): (&str, &str), letter: fn(&char) -> bool) -> Option<Id> {
    let named = (1..=4).contains(&letters.len()) && letters.chars().all(|c| letter(&c));
    let numbered = number.len() == 2 && number.bytes().all(|b| b.is_ascii_digit());
    let letters = letters.to_ascii_uppercase();
    let is_id = named && numbered && !NOT_IDS.contains(&letters.as_str());
    is_id.then(|| number.parse().ok().map(|number| (letters, number))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str, rows: &str) -> Vec<String> {
        let tree = Tree::from([("crates/a/src/x.rs", code), (EXPLAINED, rows), (CASES, "| RPC-01 | x |\n")]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_id_without_its_line_is_found() {
        assert_eq!(
            found("// (X-34)\n// RPC-01, UTF-16, SEP-414\n", ""),
            ["crates/a/src/x.rs:1: X-34 is not explained; add a line to docs/requirements.md"]
        );
        assert!(found("// (X-34)\n", "| X-34 | what must hold |\n").is_empty());
    }

    #[test]
    fn a_line_that_nothing_mentions_is_found() {
        assert_eq!(found("", "# Ids\n| B-09 | x |\n").len(), 1);
        assert!(found("    async fn b_09_x_01_it_holds() {}\n", "| B-09 | x |\n| X-01 | x |\n").is_empty());
        let row = "| B-09 | x (`another_test_holds_it`). |\n";
        assert!(found("fn another_test_holds_it() {}\n", row).is_empty());
        assert_eq!(found("", row).len(), 1);
    }
}
