//! Checks the rules for every Rust file: it opens with a sentence about its job, it is short, and
//! it uses none of the forbidden shortcuts.

use super::code::Code;
use super::tree::{Tree, Violation};

/// The most lines of a file, without its tests.
const LONGEST: usize = 800;

/// The most lines of a file with only tests.
const LONGEST_TEST: usize = 1500;

/// Files that may be longer, each with its reason. A listed file that is short enough is a
/// violation.
const MAY_BE_LONGER: &[(&str, &str)] = &[];

/// Code that is forbidden everywhere, and what to write instead. It is split in two, so that this
/// file passes the check.
const NOWHERE: &[(&str, &str)] = &[
    (concat!("#[all", "ow("), "write `#[expect(lint, reason = \"…\")]`"),
    (concat!("#![all", "ow("), "write `#![expect(lint, reason = \"…\")]`"),
    (concat!("to", "do!("), "finish it, or leave it out"),
    (concat!("db", "g!("), "remove it"),
];

pub(crate) fn check(tree: &Tree) -> Vec<Violation> {
    check_with(tree, MAY_BE_LONGER)
}

fn check_with(tree: &Tree, may_be_longer: &[(&str, &str)]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (name, text) in tree.rust() {
        let code = Code::read(text);
        violations.extend(check_opening(name, text));
        violations.extend(check_length(name, &code, may_be_longer));
        violations.extend(check_words(name, &code));
        if name.ends_with("/lib.rs") || name.ends_with("/mod.rs") {
            violations.extend(check_contents_table(name, &code));
        }
    }
    for (name, _) in may_be_longer.iter().filter(|(name, _)| tree.get(name).is_none()) {
        violations.push(Violation::new(name, 1, "no such file; remove it from the list of longer files"));
    }
    violations
}

fn check_opening(name: &str, text: &str) -> Option<Violation> {
    // An example is shown in the documents as a whole, after a sentence that says what it is for.
    if name.contains("/examples/") {
        return None;
    }
    let opening = text.lines().find(|line| !line.trim().is_empty())?;
    let says_its_job = opening.strip_prefix("//!").is_some_and(|rest| !rest.trim().is_empty());
    let what = "the file does not open with a `//!` sentence; say what it is for";
    (!says_its_job).then(|| Violation::new(name, 1, what))
}

fn check_length(name: &str, code: &Code, may_be_longer: &[(&str, &str)]) -> Option<Violation> {
    let limit = if is_test(name) { LONGEST_TEST } else { LONGEST };
    let length = code.length();
    let listed = may_be_longer.iter().any(|(known, _)| *known == name);
    let what = match (length > limit, listed) {
        (true, false) => format!(
            "{length} lines without tests, {limit} are allowed; move the second job to a file of its own"
        ),
        (false, true) => format!(
            "{length} lines without tests, so it need not be listed as longer; remove it from the list"
        ),
        _ => return None,
    };
    Some(Violation::new(name, 1, what))
}

fn check_words(name: &str, code: &Code) -> Vec<Violation> {
    let unwrap = concat!(".unw", "rap()");
    let shipped = !is_test(name) && (name.starts_with("crates/") || name.starts_with("xtask/"));
    let mut violations = Vec::new();
    for (number, line) in code.lines() {
        for (word, instead) in NOWHERE.iter().filter(|(word, _)| line.text.contains(word)) {
            violations.push(Violation::new(name, number, format!("`{word}` is not used here; {instead}")));
        }
        if shipped && !line.test && line.text.contains(unwrap) {
            let what = format!("`{unwrap}` outside tests; use `?`, or `expect` with why it can't fail");
            violations.push(Violation::new(name, number, what));
        }
    }
    violations
}

fn check_contents_table(name: &str, code: &Code) -> Vec<Violation> {
    let is_function = |text: &str| {
        let mut words = text.split_whitespace();
        words.any(|word| word == "fn")
    };
    let functions = code.lines().filter(|(_, line)| is_function(&line.text));
    let what = "a function in a table of contents; move it to a module of its own";
    functions.map(|(number, _)| Violation::new(name, number, what)).collect()
}

fn is_test(name: &str) -> bool {
    name.contains("/tests/") || name.ends_with("/tests.rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> Vec<String> {
        check(&Tree::from([(name, text)])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_file_that_does_not_say_its_job_is_found() {
        assert_eq!(found("crates/a/src/x.rs", "use std::fs;\n").len(), 1);
        assert_eq!(found("crates/a/src/main.rs", "//!\nfn main() {}\n").len(), 1);
        assert!(found("crates/a/src/x.rs", "//! Says its job.\n").is_empty());
    }

    #[test]
    fn a_long_file_is_found_and_its_tests_are_not_counted() {
        let long = format!("//! Long.\n{}", "x\n".repeat(LONGEST));
        assert!(found("crates/a/src/x.rs", &long)[0].contains("801 lines"));
        assert!(found("crates/a/src/x/tests.rs", &long).is_empty());
        let tested = format!("//! Short.\n#[cfg(test)]\nmod tests {{\n{}}}\n", "x\n".repeat(LONGEST));
        assert!(found("crates/a/src/x.rs", &tested).is_empty());
    }

    #[test]
    fn the_list_of_longer_files_fails_both_ways() {
        let name = "crates/a/src/x.rs";
        let list = &[(name, "a flat table")];
        let long = format!("//! Long.\n{}", "x\n".repeat(LONGEST));
        assert!(check_with(&Tree::from([(name, long.as_str())]), list).is_empty());
        assert_eq!(check_with(&Tree::from([(name, "//! Short.\n")]), list).len(), 1);
        assert_eq!(check_with(&Tree::default(), list).len(), 1);
    }

    #[test]
    fn shortcuts_are_found() {
        for (word, _) in NOWHERE {
            assert_eq!(found("crates/a/src/x.rs", &format!("//! X.\n{word}x)\n")).len(), 1, "{word}");
            assert!(found("crates/a/src/x.rs", &format!("//! X.\n// {word}\n")).is_empty(), "{word}");
        }
    }

    #[test]
    fn unwrap_is_for_tests() {
        let body = concat!("fn f() { x.unw", "rap(); }\n");
        assert_eq!(found("crates/a/src/x.rs", &format!("//! X.\n{body}")).len(), 1);
        assert!(
            found("crates/a/src/x.rs", &format!("//! X.\n#[cfg(test)]\nmod tests {{\n{body}}}\n")).is_empty()
        );
        assert!(found("crates/a/tests/it/x.rs", &format!("//! X.\n{body}")).is_empty());
    }

    #[test]
    fn a_function_in_a_table_of_contents_is_found() {
        let text = "//! Contents.\nmod a; // the fn of it\npub fn f() {}\n";
        assert_eq!(
            found("crates/a/src/lib.rs", text),
            ["crates/a/src/lib.rs:3: a function in a table of contents; move it to a module of its own"]
        );
        assert!(found("crates/a/src/f.rs", text).is_empty());
    }
}
