//! Checks that `docs/security-cases.md` names what covers each case, and nothing that does not
//! exist.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The kinds of cases in the table.
const KINDS: [&str; 8] = ["rpc", "http", "card", "up", "pol", "scp", "aud", "fs"];

#[test]
fn every_case_names_what_holds_it() {
    let tests = test_prefixes();
    let table = rows();
    let cases = "20 RPC cases, 18 HTTP cases, 6 CARD cases, 17 UP cases, 24 POL cases, 15 SCP cases, 10 AUD cases and 44 FS cases";
    assert_eq!(table.len(), 154, "{cases}");
    for (id, held_by) in &table {
        let prefix = format!("{}_", id.to_lowercase().replace('-', "_"));
        let named = held_by.contains(&format!("`{prefix}*`"));
        assert_eq!(named, tests.contains(&prefix), "{id}: the tests `{prefix}*` and the table must agree");
        if let Some(file) = transcript(held_by) {
            let text = fs::read_to_string(here().join("tests/transcripts").join(&file)).unwrap();
            assert!(text.contains(id.as_str()), "{id}: `{file}` does not name it");
        }
        assert!(
            named || transcript(held_by).is_some() || held_by.contains("later: "),
            "{id}: neither held nor left for later"
        );
    }
}

fn rows() -> BTreeMap<String, String> {
    fs::read_to_string(here().join("../../docs/security-cases.md"))
        .unwrap()
        .lines()
        .filter_map(|line| {
            let mut cells = line.split('|').map(str::trim);
            let kind =
                |id: &&str| KINDS.iter().any(|kind| id.starts_with(&format!("{}-", kind.to_uppercase())));
            let id = cells.nth(1).filter(kind)?;
            Some((id.to_owned(), cells.nth(1)?.to_owned()))
        })
        .collect()
}

fn transcript(held_by: &str) -> Option<String> {
    let (_, rest) = held_by.split_once("transcript `")?;
    Some(rest.split('`').next()?.to_owned())
}

/// Returns the prefix, such as `rpc_05_`, of every test whose name starts with an id.
fn test_prefixes() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![here().join("..")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.extend(fs::read_to_string(&path).unwrap().lines().filter_map(prefix));
            }
        }
    }
    found
}

fn prefix(line: &str) -> Option<String> {
    let name = line.trim_start().trim_start_matches("async ").strip_prefix("fn ")?;
    let mut words = name.split('_');
    let (kind, number) = (words.next()?, words.next()?);
    let numbered = number.len() == 2 && number.bytes().all(|byte| byte.is_ascii_digit());
    (KINDS.contains(&kind) && numbered).then(|| format!("{kind}_{number}_"))
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}
