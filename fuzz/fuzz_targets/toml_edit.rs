//! A person's `overt.toml`: whatever is added to it can be read back, nothing else changes, and
//! what is taken out again is gone.
#![no_main]
use libfuzzer_sys::fuzz_target;
use overt_settings::toml_edit::{DenyRule, ListItem, add_rule, add_to_list, remove_from_list, remove_rule};
use overt_settings::toml_file::TomlFile;

const DENY: [&str; 3] = ["policy", "scopes", "deny"];

fuzz_target!(|input: (&str, &str)| {
    let (text, item) = input;
    let texts = [item.to_owned()];
    let items = texts.clone().map(ListItem::from);
    if let Ok(with) = add_to_list(text, &DENY, &items) {
        let value = TomlFile::parse(&with).expect("it was checked").value;
        let list = value["policy"]["scopes"]["deny"].as_array().expect("a list");
        assert!(list.iter().any(|entry| entry.as_str() == Some(item)));
        if let Ok(without) = remove_from_list(&with, &DENY, &texts) {
            assert!(without.is_some());
        }
    }
    let rule =
        DenyRule { id: item.to_owned(), server: None, tool: Some(item.to_owned()), reason: String::new() };
    if let Ok(with) = add_rule(text, &rule) {
        let value = TomlFile::parse(&with).expect("it was checked").value;
        assert!(value["rules"].as_array().expect("a list").iter().any(|entry| entry["id"] == *item));
        if let Ok(without) = remove_rule(&with, item) {
            assert!(without.is_some());
        }
    }
});
