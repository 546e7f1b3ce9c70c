//! Checks that every requirement id in the code is explained, that every explained id is mentioned
//! in the code, and that the requirements of the proposals have tests.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::{Tree, Violation};

const EXPLAINED: &str = "docs/requirements.md";
/// The document that explains the hostile cases. It says itself which of them have a test.
const CASES: &str = "docs/security-cases.md";

/// Prefixes that look like those of ids, but belong to standards or examples.
const NOT_IDS: &[&str] = &["KEY", "PDF", "SEP", "SHA", "UTF", "RFC", "ISO"];

/// The tests of the proposals from outside. Each has an id in its name.
const SEED_TESTS: &str = "crates/overt/tests/it/seeds/";

/// The requirements of the proposals: their prefixes, and how many there are.
const SEEDS: &[(&str, u32)] = &[("D", 36), ("F", 24), ("H", 25), ("G", 33), ("C", 16), ("X", 47)];

/// The first words of a status. A requirement that waits needs no test.
const STATUSES: &[&str] = &["holds", "differs", "open", "waits", "decided"];
const WAITS: &str = "waits";

type Id = (String, u32);

/// A row with a status and tests.
struct TestedRow<'a> {
    line: usize,
    status: &'a str,
    tests: Vec<&'a str>,
}

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
    let tested = tested_rows(explained);
    violations.extend(check_seeds(tree, &tested));
    let is_tested = |id: &Id| tested.get(id).is_some_and(|row| !row.tests.is_empty() || row.waits());
    for (id, line) in rows.iter().filter(|(id, _)| !mentioned.contains(*id) && !is_tested(id)) {
        if explained.lines().nth(line - 1).and_then(holder).is_some_and(|name| is_there(tree, name)) {
            continue;
        }
        let what = format!("nothing mentions {}-{:02}; name it in its test, or remove the line", id.0, id.1);
        violations.push(Violation::new(EXPLAINED, *line, what));
    }
    violations
}

/// Checks the requirements of the proposals: each has a row with a status and tests that are there,
/// and each of their tests has an id.
fn check_seeds(tree: &Tree, tested: &BTreeMap<Id, TestedRow<'_>>) -> Vec<Violation> {
    let mut violations = Vec::new();
    if !tested.is_empty() {
        let all =
            SEEDS.iter().flat_map(|(letter, last)| (1..=*last).map(|number| ((*letter).to_owned(), number)));
        violations.extend(all.filter(|id| !tested.contains_key(id)).map(|id| {
            Violation::new(
                EXPLAINED,
                1,
                format!("{}-{:02} has no row with status and tests; add one", id.0, id.1),
            )
        }));
    }
    for (id, row) in tested {
        let name = format!("{}-{:02}", id.0, id.1);
        if row.tests.is_empty() && !row.waits() {
            let what = format!("{name} has no test; name one, or write one");
            violations.push(Violation::new(EXPLAINED, row.line, what));
        }
        for test in row.tests.iter().filter(|test| !is_there(tree, test)) {
            let what = format!("the test `{test}` of {name} is not there; name another one");
            violations.push(Violation::new(EXPLAINED, row.line, what));
        }
    }
    for (file, text) in tree.rust().filter(|(file, _)| file.starts_with(SEED_TESTS)) {
        let lines: Vec<&str> = text.lines().collect();
        let tests = lines.windows(2).enumerate().filter(|(_, pair)| pair[0].trim() == "#[test]");
        violations.extend(tests.filter(|(_, pair)| ids_in_names(pair[1]).is_empty()).map(|(index, _)| {
            Violation::new(file, index + 2, "this test has no id in its name; begin with one".to_owned())
        }));
    }
    violations
}

/// Returns the rows that have four cells: id, status, what must hold, tests.
fn tested_rows(text: &str) -> BTreeMap<Id, TestedRow<'_>> {
    text.lines().enumerate().filter_map(|(index, line)| tested_row(index + 1, line)).collect()
}

fn tested_row(line: usize, text: &str) -> Option<(Id, TestedRow<'_>)> {
    let cells: Vec<&str> = text.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
    let [id, status, .., tests] = cells[..] else { return None };
    let is_status = STATUSES.iter().any(|known| status.split(':').next() == Some(*known));
    let id = ids(id).into_iter().next().filter(|_| is_status && cells.len() >= 4)?;
    let tests = tests.split('`').skip(1).step_by(2).collect();
    Some((id, TestedRow { line, status, tests }))
}

impl TestedRow<'_> {
    fn waits(&self) -> bool {
        self.status.starts_with(WAITS)
    }
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
    fn a_requirement_of_a_proposal_has_its_tests_and_they_have_its_id() {
        let all: Vec<Id> = SEEDS
            .iter()
            .flat_map(|(letter, last)| (1..=*last).map(|number| ((*letter).to_owned(), number)))
            .collect();
        let table = |cell: &dyn Fn(&str) -> String| -> String {
            let row = |(letter, number): &Id| {
                let id = format!("{letter}-{number:02}");
                format!("| {id} | {} |\n", cell(&id))
            };
            all.iter().map(row).collect()
        };
        let code = "fn d_01_it_holds() {}\n";
        let good = |_: &str| "holds | x | `d_01_it_holds`".to_owned();
        assert!(found(code, &table(&good)).is_empty(), "{:?}", found(code, &table(&good)));
        let problems = [
            ("holds | x | -", "has no test"),
            ("differs: X-06 | x | `gone`", "`gone` of F-02 is not there"),
            ("done | x | `d_01_it_holds`", "F-02 has no row with status and tests"),
        ];
        for (wrong, expected) in problems {
            let said = found(code, &table(&|id| if id == "F-02" { wrong.to_owned() } else { good(id) }));
            assert!(said.iter().any(|said| said.contains(expected)), "{wrong}: {said:?}");
        }
        let waiting =
            table(&|id| if id == "F-02" { "waits: Many servers | x | -".to_owned() } else { good(id) });
        assert!(found(code, &waiting).is_empty());
        let rows = table(&good);
        let tests = "#[test]\nfn it_holds() {}\n#[test]\nfn d_01_it_holds() {}\n";
        let tree = Tree::from([("crates/overt/tests/it/seeds/a.rs", tests), (EXPLAINED, rows.as_str())]);
        let said: Vec<String> = check(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].contains("seeds/a.rs:2: this test has no id"), "{said:?}");
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
