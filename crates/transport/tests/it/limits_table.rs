//! The table in the docs matches the code.
use std::collections::BTreeMap;

use overt_transport::limits::Limits;

#[test]
fn docs_list_every_limit_with_its_default() {
    let table: BTreeMap<String, String> = include_str!("../../../../docs/limits.md")
        .lines()
        .take_while(|line| !line.starts_with("What the gateway holds"))
        .filter_map(|line| {
            let mut cells = line.split('|').map(str::trim);
            let name = cells.nth(1)?.strip_prefix('`')?.strip_suffix('`')?;
            Some((name.to_owned(), as_debug(cells.next()?)))
        })
        .collect();
    let code: BTreeMap<String, String> = format!("{:#?}", Limits::default())
        .lines()
        .filter_map(|line| line.trim().trim_end_matches(',').split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    assert_eq!(table, code);
}

/// Converts `16 MiB` and `300 s` to their `Debug` output.
fn as_debug(cell: &str) -> String {
    match cell.split_once(' ') {
        Some((number, "MiB")) => (number.parse::<usize>().unwrap() << 20).to_string(),
        Some((number, "KiB")) => (number.parse::<usize>().unwrap() << 10).to_string(),
        Some((number, "s")) => format!("{number}s"),
        _ => cell.to_owned(),
    }
}
