//! The configuration in `overt.toml`, which says what may be done: everything that is wrong is
//! reported at once, with its line.
use std::sync::Arc;

use overt_documents::manifest::Manifest;
use overt_settings::config::Config;
use overt_settings::{DeclaredSettings, FieldScope, Kind, Narrowing, Setting, SettingValues};
use serde_json::json;

fn declared() -> DeclaredSettings {
    let settings = vec![
        Setting::new("max_results", Kind::Integer { min: 1, max: 1000 }, "How many")
            .default(json!(100))
            .narrows(Narrowing::Min),
        Setting::new("hide", Kind::Globs, "What is hidden")
            .narrows(Narrowing::Union)
            .scope(FieldScope::Policy),
        Setting::new("folder", Kind::Text, "Where").fixed(),
    ];
    DeclaredSettings::new(settings).unwrap()
}

const WHOLE: &str = r#"
[server]
description = "Keeps notes. Use when the user asks for a note."

[tools.read]
effect = "read"

[settings]
max_results = 20
folder = "/notes"

[policy]
effect = "mutating"
max_results = 10
hide = ["secret/**"]
scopes = { deny = ["execute"] }

[[rules]]
id = "no-deletes"
action = "deny"
when = { effect_at_least = "destructive" }
"#;

#[test]
fn one_file_holds_both_parts_and_each_reader_leaves_the_other_alone() {
    let config = Config::parse(WHOLE, "overt.toml", &declared()).unwrap();
    let values = SettingValues::defaults(Arc::new(declared())).over(config.settings);
    assert_eq!(values.get::<u64>("max_results"), Some(20));
    assert_eq!(values.origin("max_results").unwrap().to_string(), "overt.toml:9");
    assert_eq!(config.rules.iter().count(), 1);
    assert_eq!(config.policy.domain.len(), 2);
    let narrowed = values.narrowed_by_policy(&config.policy, overt_settings::Author::Human).unwrap();
    assert_eq!(narrowed.get::<u64>("max_results"), Some(10));
    assert!(Manifest::parse(WHOLE).unwrap().declaration.tools.contains_key("read"));
}

#[test]
fn everything_that_is_wrong_is_named_with_its_line_and_place() {
    let wrong = r#"
[settings]
max_results = 0
folder = 3
hide = []
colour = "red"

[policy]
effect = "nasty"
folder = "/"
hide = ["ok", "["]
tools = { allow = [1] }

[[rules]]
id = "x"
action = "explode"

[setings]
"#;
    let error = Config::parse(wrong, "overt.toml", &declared()).unwrap_err().to_string();
    let found: Vec<String> =
        error.lines().map(|line| line.splitn(3, ": ").take(2).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        found,
        [
            "line 3 /settings/max_results",
            "line 4 /settings/folder",
            "line 5 /settings/hide",
            "line 6 /settings/colour",
            "line 10 /policy/folder",
            "line 11 /policy/hide/1",
            "line 12 /policy/tools/allow/0",
            "line 9 /policy/effect",
            "line 16 /rules/0/action",
            "line 18 /setings",
        ],
        "{error}"
    );
}

#[test]
fn a_file_that_says_nothing_changes_nothing() {
    assert_eq!(Config::parse("", "overt.toml", &declared()).unwrap(), Config::default());
    assert!(Config::parse("[settings", "overt.toml", &declared()).is_err());
    assert!(Config::parse("settings = 1\npolicy = 2\nrules = 3", "overt.toml", &declared()).is_err());
}
