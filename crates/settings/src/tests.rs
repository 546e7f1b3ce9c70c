//! A declaration means the same wherever it is used: in the schema, in a file, in a flag, in a
//! policy.
mod laws; // the laws of narrowing, as property tests

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::*;
use overt_policy::finding::{Findings, Pointer};

/// Returns settings of each kind, for each place and each audience.
pub(super) fn declared() -> Arc<DeclaredSettings> {
    let hour = Duration::from_secs(3600);
    let settings = vec![
        Setting::new("max_results", Kind::Integer { min: 1, max: 1000 }, "How many results")
            .default(json!(100))
            .narrows(Narrowing::Min),
        Setting::new("max_bytes", Kind::Bytes { min: 1, max: 1 << 30 }, "How much is read")
            .narrows(Narrowing::Min)
            .audience(Audience::Human),
        Setting::new("wait", Kind::Duration { min: Duration::ZERO, max: hour }, "How long")
            .default(json!("45s"))
            .narrows(Narrowing::Min),
        Setting::new("rate", Kind::Rate, "How often").narrows(Narrowing::Min),
        Setting::new("mode", Kind::Choice(&["strict", "usual", "lax"]), "How strictly")
            .default(json!("usual"))
            .narrows(Narrowing::Min),
        Setting::new("may_write", Kind::Flag, "Whether it writes")
            .default(json!(true))
            .narrows(Narrowing::Off),
        Setting::new("read_only", Kind::Flag, "Whether it only reads")
            .default(json!(false))
            .narrows(Narrowing::On),
        Setting::new("allow", Kind::Scopes, "What is allowed")
            .default(json!(["read", "write"]))
            .narrows(Narrowing::All),
        Setting::new("paths", Kind::Globs, "Where it works").narrows(Narrowing::All),
        Setting::new("deny", Kind::Globs, "Where it doesn't").default(json!([])).narrows(Narrowing::Union),
        Setting::new("tags", Kind::Texts, "Only for policies")
            .scope(FieldScope::Policy)
            .narrows(Narrowing::Union),
        Setting::new("roots", Kind::Regions, "Where it may look").narrows(Narrowing::All),
        Setting::new("folder", Kind::Text, "Set at the start only").fixed(),
        Setting::new("language", Kind::Text, "Only for configurations").scope(FieldScope::Configuration),
    ];
    Arc::new(DeclaredSettings::new(settings).unwrap())
}

fn map(value: Value) -> Map<String, Value> {
    let Value::Object(members) = value else { panic!("no object") };
    members
}

fn places(findings: &Findings) -> Vec<String> {
    findings.iter().map(|finding| finding.at.to_string()).collect()
}

fn read(value: Value) -> Result<SettingValues, Vec<String>> {
    let declared = declared();
    let mut findings = Findings::default();
    let file = |_: &Pointer| Origin::File { path: "overt.toml".into(), line: Some(1) };
    let given = declared.read(&map(value), &Pointer::root(), file, &mut findings);
    if findings.is_empty() {
        Ok(SettingValues::defaults(declared).over(given))
    } else {
        Err(places(&findings))
    }
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let wrong = json!({
        "max_results": 0, "max_bytes": "12 lumps", "wait": "2h", "rate": "often", "mode": "Strict", "may_write": "yes",
        "allow": ["read", "eat", 4], "paths": ["a/[", "ok"], "deny": "x", "roots2": true, "tags": [], "Mode": "lax",
    });
    assert_eq!(
        read(wrong).unwrap_err(),
        [
            "/max_results",
            "/max_bytes",
            "/wait",
            "/rate",
            "/mode",
            "/may_write",
            "/allow/1",
            "/allow/2",
            "/paths/0",
            "/deny",
            "/roots2",
            "/tags",
            "/Mode"
        ]
    );
}

#[test]
fn a_value_is_the_same_from_json_and_from_words() {
    let declared = declared();
    let table: &[(&str, Value, &[&str])] = &[
        ("max_results", json!(7), &["7"]),
        ("max_bytes", json!(65536), &["64KiB"]),
        ("max_bytes", json!("64KiB"), &["65536"]),
        ("wait", json!(120), &["2m"]),
        ("wait", json!("0s"), &["0"]),
        ("rate", json!("10/minute"), &["10/minute"]),
        ("mode", json!("lax"), &["strict", "lax"]),
        ("may_write", json!(false), &["off"]),
        ("allow", json!(["read:file", "write"]), &["write, read:file"]),
        ("allow", json!(["read:*", "write"]), &["write", "read"]),
        ("deny", json!([]), &[""]),
        ("roots", json!(["a", "b/c"]), &["b/c,a"]),
    ];
    for (key, value, words) in table {
        let setting = declared.get(key).unwrap();
        let mut findings = Findings::default();
        let read = setting.read(value, &Pointer::root(), &mut findings).unwrap();
        assert_eq!(setting.parse(words.iter().copied()), Ok(read.clone()), "{key}");
        let again = setting.read(&read.to_json(), &Pointer::root(), &mut findings).unwrap();
        assert_eq!(again, read, "{key}: written and read again");
        assert!(findings.is_empty());
    }
    for (key, words) in [
        ("max_results", "-1"),
        ("wait", "5 parsecs"),
        ("may_write", ""),
        ("allow", "eat"),
        ("deny", "["),
        ("roots", "a/../b"),
    ] {
        assert!(declared.get(key).unwrap().parse([words]).is_err(), "{key} {words}");
    }
}

#[test]
fn a_value_is_read_as_a_rust_type() {
    let values = read(json!({"max_results": 5, "rate": "3/second", "deny": ["b", "a"]})).unwrap();
    assert_eq!(values.get::<u64>("max_results"), Some(5));
    assert_eq!(values.get::<Option<u64>>("max_bytes"), Some(None), "nothing is set");
    assert_eq!(values.get::<u64>("max_bytes"), None);
    assert_eq!(values.get::<Duration>("wait"), Some(Duration::from_secs(45)));
    assert_eq!(values.get::<String>("mode").as_deref(), Some("usual"));
    assert_eq!(values.get::<bool>("may_write"), Some(true));
    assert_eq!(values.get::<List>("deny").unwrap().len(), 2);
    assert_eq!(values.get::<Vec<overt_policy::rate::RateLimit>>("rate").unwrap()[0].to_string(), "3/second");
    assert_eq!(values.get::<bool>("max_results"), None, "another type");
    assert_eq!(values.get::<Option<bool>>("nonsense"), None, "no such setting");
}

#[test]
fn the_schema_says_what_was_declared() {
    let schema = declared().schema();
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(
        schema["properties"]["max_results"],
        json!({
            "type": "integer", "minimum": 1, "maximum": 1000, "description": "How many results", "default": 100,
            "scope": "any", "audience": "any",
        })
    );
    let folder = &schema["properties"]["folder"];
    assert_eq!((&folder["scope"], &folder["readOnly"]), (&json!("configuration"), &json!(true)));
    let for_policies = declared().policy_schema();
    assert!(for_policies["properties"]["tags"].is_object());
    assert!(for_policies["properties"].get("language").is_none());
}

/// H-16, H-17, POL-14: every field in every place and from every author.
#[test]
fn pol_14_a_field_is_set_where_and_by_whom_its_attributes_say() {
    let values = SettingValues::defaults(declared());
    let configuration =
        |key: &str, value: Value| values.configured_by(&map(json!({key: value})), ReplacementRight::Started);
    let policy = |author: Author, key: &str, value: Value| {
        values.narrowed_by(&map(json!({key: value})), Source::Policy(author))
    };
    // The key, a value, and whether it may be set: in the file, by a client, by a person's policy,
    // by a model's policy.
    let table = [
        ("max_results", json!(5), [true, true, true, true]),
        ("max_bytes", json!(5), [true, true, true, false]),
        ("tags", json!(["a"]), [false, false, true, true]),
        ("folder", json!("/a"), [true, false, false, false]),
        ("language", json!("de"), [true, true, false, false]),
    ];
    for (key, value, expected) in table {
        let found = [
            read(json!({key: value})).is_ok(),
            configuration(key, value.clone()).is_ok(),
            policy(Author::Human, key, value.clone()).is_ok(),
            policy(Author::Llm, key, value.clone()).is_ok(),
        ];
        assert_eq!(found, expected, "{key}");
    }
    let why = |refused: OverlayRefusal| refused.into_findings().to_string();
    assert!(why(policy(Author::Llm, "max_bytes", json!(1)).unwrap_err()).contains("the audience `human`"));
    assert!(
        why(policy(Author::Human, "language", json!("x")).unwrap_err()).contains("the scope `configuration`")
    );
    assert!(why(configuration("tags", json!([])).unwrap_err()).contains("the scope `policy`"));
    assert!(why(configuration("folder", json!("/")).unwrap_err()).contains("`readOnly`"));
}

/// POL-05, POL-06, POL-07: a policy either narrows a value or is rejected.
#[test]
fn pol_07_nothing_gets_wider() {
    let base = read(json!({
        "max_results": 10, "max_bytes": 100, "wait": "10s", "rate": "10/minute", "mode": "usual", "may_write": false,
        "read_only": true, "allow": ["read:file"], "paths": ["src/**"], "deny": ["secret"],
        "roots": ["a", {"path": "c", "deny": ["x"]}],
    }))
    .unwrap();
    let person = Source::Policy(Author::Human);
    let wider = [
        json!({"max_results": 11}),
        json!({"max_bytes": "1MiB"}),
        json!({"wait": "11s"}),
        json!({"rate": "11/minute"}),
        json!({"rate": "601/hour"}),
        json!({"rate": "11/second"}),
        json!({"mode": "lax"}),
        json!({"may_write": true}),
        json!({"read_only": false}),
        json!({"allow": ["read"]}),
        json!({"allow": ["read:file", "write"]}),
        json!({"paths": ["**"]}),
        json!({"paths": ["docs/x"]}),
        json!({"roots": ["b"]}),
        json!({"roots": ["a", ""]}),
        json!({"roots": ["ab"]}),
    ];
    for policy in wider {
        let refused = base.narrowed_by(&map(policy.clone()), person).unwrap_err();
        assert!(refused.invalid.is_empty() && !refused.wider.is_empty(), "{policy}");
    }
    let unknown =
        [json!({"roots2": 1}), json!({"Mode": "strict"}), json!({"mode": {"a": 1}}), json!({"deny": ["["]})];
    for policy in unknown {
        assert!(!base.narrowed_by(&map(policy.clone()), person).unwrap_err().invalid.is_empty(), "{policy}");
    }
    let no_change = [
        json!({}),
        json!({"deny": []}),
        json!({"deny": null, "max_results": null}),
        json!({"max_results": 10, "wait": 10, "mode": "usual", "read_only": true, "may_write": false}),
        json!({"rate": "10/minute", "allow": ["read:file"], "paths": ["src/**"]}),
    ];
    for policy in no_change {
        assert_eq!(base.narrowed_by(&map(policy.clone()), person).unwrap(), base, "{policy}");
    }
    let narrowed = base
        .narrowed_by(
            &map(json!({
                "max_results": 1, "rate": "100/hour", "mode": "strict", "allow": [], "paths": ["src/a"], "deny": ["x"],
                "roots": ["a/b"],
            })),
            person,
        )
        .unwrap();
    assert_eq!(
        Value::Object(narrowed.to_json()),
        json!({
            "max_results": 1, "max_bytes": 100, "wait": "10s", "rate": ["10/minute", "100/hour"], "mode": "strict",
            "may_write": false, "read_only": true, "allow": [[], ["read:file"]], "paths": [["src/**"], ["src/a"]],
            "deny": ["secret", "x"], "roots": [["a", {"deny": ["x"], "path": "c"}], ["a/b"]],
        })
    );
    assert_eq!(narrowed.origin("mode").unwrap().to_string(), "policy of human");
    assert_eq!(narrowed.origin("wait").unwrap().to_string(), "overt.toml:1");
}

#[test]
fn a_declaration_checks_itself() {
    let flag = |key| Setting::new(key, Kind::Flag, "x").scope(FieldScope::Configuration);
    let wrong = [
        (vec![flag("a"), flag("a")], "/a"),
        (vec![flag("Camel")], "/Camel"),
        (vec![flag("")], "/"),
        (vec![flag("a").default(json!(1))], "/a/default"),
        (vec![flag("a").narrows(Narrowing::Min)], "/a/narrows"),
        (vec![Setting::new("a", Kind::Flag, "x")], "/a/scope"),
        (vec![Setting::new("a", Kind::Text, "x").narrows(Narrowing::Union)], "/a/narrows"),
    ];
    for (settings, place) in wrong {
        assert_eq!(places(&DeclaredSettings::new(settings).unwrap_err()), [place]);
    }
    let more = DeclaredSettings::new(vec![flag("max_results")]).unwrap();
    assert_eq!(places(&declared().with(&more).unwrap_err()), ["/max_results"]);
}

/// Tests `wider` for the ways of narrowing that a whole policy doesn't reach.
#[test]
fn pol_07_what_allows_more_is_known_for_each_kind() {
    let text = |text: &str| SettingValue::Text(text.to_owned());
    let lists =
        |items: &[&str]| SettingValue::Lists([items.iter().map(|item| (*item).to_owned()).collect()].into());
    let never = Setting::new("a", Kind::Text, "A name").narrows(Narrowing::Never);
    let words = Setting::new("b", Kind::Texts, "Some words").narrows(Narrowing::All);
    let scopes = Setting::new("c", Kind::Scopes, "Some scopes").narrows(Narrowing::All);
    let globs = Setting::new("d", Kind::Globs, "Some patterns").narrows(Narrowing::All);
    let table = [
        (&never, None, text("x"), true),
        (&never, Some(text("x")), text("y"), true),
        (&never, Some(text("x")), text("x"), false),
        (&words, None, lists(&["x"]), false),
        (&words, Some(lists(&["x", "y"])), lists(&["x"]), false),
        (&words, Some(lists(&["x", "y"])), lists(&["z"]), true),
        (&words, Some(lists(&["x"])), lists(&["x", "z"]), true),
        (&scopes, Some(lists(&["read:file"])), lists(&["read:file:/a"]), false),
        (&scopes, Some(lists(&["read:file:/a"])), lists(&["read:file"]), true),
        (&scopes, Some(lists(&["read:file:/a"])), lists(&["read:file:/ab"]), true),
        (&globs, Some(lists(&["**/*"])), lists(&["**"]), false),
        (&globs, Some(lists(&["**"])), lists(&["**/*"]), false),
        (&globs, Some(lists(&["**", "a"])), lists(&["a", "b/c"]), false),
        (&globs, Some(lists(&["a/*"])), lists(&["**"]), true),
        (&globs, Some(lists(&["a/*"])), lists(&["a/b"]), false),
        (&globs, Some(lists(&["a/*"])), lists(&["a/b/c"]), true),
    ];
    for (setting, held, asked, is_wider) in table {
        let found = super::meet::wider(setting, held.as_ref(), &asked);
        assert_eq!(found.is_some(), is_wider, "{held:?} {asked:?}");
    }
}
