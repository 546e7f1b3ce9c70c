//! The table of limits in the docs matches the code.
use std::collections::BTreeMap;

use overt_gateway::GatewayLimits;

#[test]
fn docs_list_everything_that_is_held_with_its_default() {
    let table: BTreeMap<String, String> = include_str!("../../../../docs/limits.md")
        .lines()
        .skip_while(|line| !line.starts_with("What the gateway holds"))
        .take_while(|line| !line.starts_with("Fixed bounds"))
        .filter_map(|line| {
            let mut cells = line.split('|').map(str::trim);
            let name = cells.nth(1)?.strip_prefix('`')?.strip_suffix('`')?;
            Some((name.to_owned(), cells.next()?.replace(" s", "s")))
        })
        .collect();
    let code: BTreeMap<String, String> = format!("{:#?}", GatewayLimits::default())
        .lines()
        .filter_map(|line| line.trim().trim_end_matches(',').split_once(": "))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    assert_eq!(table, code);
}
