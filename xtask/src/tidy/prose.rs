//! Checks that prose wraps at 100 columns and avoids phrases that STYLE rules out, in documents and
//! in comments that have their own line.

use super::tree::{Tree, Violation};

/// The most characters of a line of prose.
const WIDTH: usize = 100;

const NAME_IT: &str = "name who it is: the client, the caller, a program that …";

/// Phrases that are not idiomatic English, and what to write instead. They are split in two, so
/// that this file passes the check.
const PHRASES: &[(&str, &str)] = &[
    (concat!("who", "ever"), NAME_IT),
    (concat!("Who", "ever"), NAME_IT),
    (concat!("The sa", "me of "), "say what it does; each comment is read alone"),
    (concat!("none if the", "re is no"), "write `None` without …, or: if there is one"),
];

pub(crate) fn check(tree: &Tree) -> Vec<Violation> {
    let documents = tree.iter().filter(|(name, _)| name.ends_with(".md") && !is_data(name));
    let documents = documents.flat_map(|(name, text)| check_document(name, text));
    let sources = tree.rust().filter(|(name, _)| !is_data(name));
    documents.chain(sources.flat_map(|(name, text)| check_comments(name, text))).collect()
}

/// Says whether a file is input of tests.
fn is_data(name: &str) -> bool {
    ["/data/", "/fixtures/", "fuzz/seeds/"].iter().any(|part| name.contains(part))
}

fn check_document(name: &str, text: &str) -> Vec<Violation> {
    check_lines(name, text.lines().enumerate().map(|(index, line)| (index + 1, line)))
}

fn check_comments(name: &str, text: &str) -> Vec<Violation> {
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    check_lines(name, numbered.filter(|(_, line)| line.trim_start().starts_with("//")))
}

/// Checks the lines, except examples between fences, tables, images, and lines with a single long
/// word such as a link.
fn check_lines<'a>(name: &str, lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut in_example = false;
    for (number, line) in lines {
        let prose = line.trim_start().trim_start_matches("//!").trim_start_matches('/').trim_start();
        if prose.starts_with("```") {
            in_example = !in_example;
        }
        if in_example || prose.starts_with(['|', '<']) || prose.starts_with("![") {
            continue;
        }
        let width = line.chars().count();
        if width > WIDTH && prose.split_whitespace().filter(|word| word.chars().count() > 2).count() > 1 {
            let what = format!("{width} columns of prose, {WIDTH} are allowed; wrap the line");
            violations.push(Violation::new(name, number, what));
        }
        for (phrase, instead) in PHRASES.iter().filter(|(phrase, _)| line.contains(phrase)) {
            violations.push(Violation::new(name, number, format!("\"{phrase}\" in prose; {instead}")));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> Vec<String> {
        check(&Tree::from([(name, text)])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn long_lines_of_prose_are_found() {
        let long = "word ".repeat(21);
        assert_eq!(
            found("docs/a.md", &long),
            ["docs/a.md:1: 105 columns of prose, 100 are allowed; wrap the line"]
        );
        assert_eq!(found("crates/a/src/x.rs", &format!("x\n    /// {long}\n")).len(), 1);
        assert!(found("crates/a/src/x.rs", &format!("let x = \"{long}\";\n")).is_empty());
    }

    #[test]
    fn examples_tables_and_links_may_be_long() {
        let long = "word ".repeat(21);
        assert!(
            found("docs/a.md", &format!("```\n{long}\n```\n| {long} |\n- {}\n", "x".repeat(120))).is_empty()
        );
        assert!(found("crates/a/src/x.rs", &format!("/// ```\n/// {long}\n/// ```\n")).is_empty());
    }

    #[test]
    fn phrases_that_style_rules_out_are_found() {
        for (phrase, _) in PHRASES {
            assert_eq!(found("crates/a/src/x.rs", &format!("// {phrase} x\n")).len(), 1, "{phrase}");
            assert!(found("crates/a/src/x.rs", &format!("say(\"{phrase} x\")\n")).is_empty(), "{phrase}");
        }
    }
}
