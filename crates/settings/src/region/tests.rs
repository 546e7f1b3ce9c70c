//! Regions as tables: what can be seen and changed, and which changes allow too much.
use serde_json::{Value, json};

use super::Regions;
use super::path::Path;
use overt_policy::finding::Pointer;

fn regions(value: &Value) -> Regions {
    Regions::parse(value).unwrap_or_else(|findings| panic!("{findings}"))
}

#[test]
fn what_is_left_of_a_tree() {
    let tree = regions(&json!([
        { "path": "/r", "allow": ["src/**", "*.md"], "deny": ["**/.git/**", "src/secret"], "immutable": ["src/gen"] },
        { "path": "/r/src/open" },
        { "path": "/b" },
        { "path": "/b/no", "blocked": true },
        "rel/a",
    ]));
    // Path, visible, writable.
    let table = [
        ("/r", true, true),
        ("/r/", true, true),
        ("/r/src", true, true),
        ("/r/src/a/b.rs", true, true),
        ("/r/x.md", true, true),
        ("/r/docs/x.md", true, true),
        ("/r-evil/src/a", false, false),
        ("/", false, false),
        ("", false, false),
        ("/r/src/.git", false, false),
        ("/r/src/.git/config", false, false),
        ("/r/src/.gitignore", true, true),
        ("/r/src/secret", false, false),
        ("/r/src/secret/deep/er", false, false),
        ("/r/src/gen", true, false),
        ("/r/src/gen/a.rs", true, false),
        ("/r/src/generic", true, true),
        // A region inside another shows nothing that the outer one denies.
        ("/r/src/open/.git/x", false, false),
        ("/b/x", true, true),
        ("/b/no", false, false),
        ("/b/no/x", false, false),
        ("/b/nono", true, true),
        ("rel/a", true, true),
        ("rel/a/b", true, true),
        ("rel", false, false),
        ("/rel/a", false, false),
        ("/r/src/../docs", false, false),
        ("/r/src/./a", false, false),
        ("/r//src/a", false, false),
        ("/r/src/a\0", false, false),
        ("//", false, false),
    ];
    for (path, is_visible, is_writable) in table {
        assert_eq!(tree.visible(path), is_visible, "{path} visible");
        assert_eq!(tree.writable(path), is_writable, "{path} writable");
    }
}

/// `all_visible_beneath` needs no look at each path; if it returns true, no path beneath is hidden.
#[test]
fn all_beneath_is_only_said_where_nothing_is_hidden() {
    let tree = regions(&json!([
        { "path": "/r", "deny": ["x/y"] },
        { "path": "/a", "allow": ["src/**"] },
        { "path": "/b", "deny": [], "immutable": ["**"] },
        { "path": "/b/c", "blocked": true },
        { "path": "/d" },
    ]));
    let is_all = |path| tree.all_visible_beneath(path);
    assert!(is_all("/d") && is_all("/d/e") && is_all("/b/cc"));
    for path in ["/r", "/r/z", "/a", "/a/src", "/b", "/b/c", "/b/c/d", "/", "/e", "/d/../r", ""] {
        assert!(!is_all(path), "{path}");
    }
    assert!(Regions::top().all_visible_beneath("/any"));
    let both = tree.meet(&regions(&json!(["/d/e"])));
    assert!(both.all_visible_beneath("/d/e") && !both.all_visible_beneath("/d"));
}

#[test]
fn an_empty_list_is_not_an_absent_one() {
    let all =
        regions(&json!([{ "path": "/r", "allow": null, "deny": null, "immutable": [], "blocked": null }]));
    assert!(all.writable("/r/x"));
    let nothing = regions(&json!([{ "path": "/r", "allow": [] }]));
    assert!(!nothing.visible("/r/x") && !nothing.visible("/r"));
    assert!(!regions(&json!([])).visible("/r"));
    assert!(regions(&Value::Null).visible("/r"));
    assert!(!regions(&json!([{ "path": "/r", "deny": ["**"] }])).visible("/r"));
    // The root of all paths, and the folder in which relative paths begin.
    assert!(regions(&json!(["/"])).visible("/any/where") && !regions(&json!(["/"])).visible("any"));
    assert!(regions(&json!([""])).visible("any") && !regions(&json!([""])).visible("/any"));
    assert!(regions(&json!([""])).visible(""));
}

#[test]
fn layers_are_anded() {
    let outer = regions(&json!([{ "path": "/r", "deny": ["secrets/**"] }]));
    let inner = regions(&json!([{ "path": "/r/secrets" }, { "path": "/r/a", "immutable": ["**"] }]));
    for both in [outer.meet(&inner), inner.meet(&outer), inner.meet(&outer).meet(&outer)] {
        assert_eq!(both, outer.meet(&inner));
        assert!(!both.visible("/r/secrets/x"));
        assert!(!both.visible("/r/b"));
        assert!(both.visible("/r/a/x") && !both.writable("/r/a/x"));
    }
    assert_eq!(outer.meet(&Regions::top()), outer);
    assert_eq!(Regions::top().meet(&outer), outer);
}

/// POL-03, POL-04: a region that allows more is an error with its place; a folder inside is legal
/// (X-32).
#[test]
fn widening_is_found() {
    let base = regions(&json!([{ "path": "/t/top", "allow": ["src/**"], "deny": ["x"] }, "/u"]));
    let table: [(Value, &[&str]); 14] = [
        (json!(["/t/top"]), &[]),
        (json!(["/t/top/"]), &[]),
        (json!(["/t/top/sub", "/u/a"]), &[]),
        (json!(["/other"]), &["/0/path"]),
        (json!(["/u", "/t"]), &["/1/path"]),
        (json!(["/"]), &["/0/path"]),
        (json!(["/t/top-evil"]), &["/0/path"]),
        (json!(["/T/top"]), &["/0/path"]),
        (json!(["t/top"]), &["/0/path"]),
        (json!([""]), &["/0/path"]),
        (json!([{ "path": "/t/top", "allow": ["**"] }]), &["/0/allow/0"]),
        (json!([{ "path": "/t/top", "allow": ["src/a", "src/b/**", "srcs/x"] }]), &["/0/allow/2"]),
        (json!([{ "path": "/u", "allow": ["**"], "deny": [], "immutable": [], "blocked": false }]), &[]),
        (json!(null), &[]),
    ];
    for (overlay, places) in table {
        let findings = regions(&overlay).widens(&base, &Pointer::root());
        let found: Vec<&str> = findings.iter().map(|finding| finding.at.as_str()).collect();
        assert_eq!(found, places, "{overlay}");
    }
    assert!(base.widens(&Regions::top(), &Pointer::root()).is_empty());
}

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
    let wrong = json!([
        "/a/../b",
        { "path": "/a", "allow": ["[", 1], "Deny": [] },
        { "allow": "x" },
        7,
        { "path": "/a", "blocked": "no", "immutable": ["{a"] },
    ]);
    let findings = Regions::parse(&wrong).unwrap_err();
    let found: Vec<&str> = findings.iter().map(|finding| finding.at.as_str()).collect();
    let places = [
        "/0",
        "/1/allow/1",
        "/1/allow/0",
        "/1/Deny",
        "/2/path",
        "/2/allow",
        "/3",
        "/4/immutable/0",
        "/4/blocked",
    ];
    assert_eq!(found, places, "{findings}");
    for value in [json!({}), json!("x"), json!(1), json!(true)] {
        assert!(Regions::parse(&value).is_err(), "{value}");
    }
    assert!(Regions::parse(&Value::Array(vec![json!("/a"); 257])).is_err());
}

#[test]
fn a_path_is_shown_as_it_is_written() {
    for path in ["/", "/a", "/a/b", "a", "a/b", ""] {
        assert_eq!(Path::parse(path).unwrap().to_string(), path);
    }
    let longest = format!("/{}", "a".repeat(4095));
    assert!(Path::parse(&longest).is_some());
    assert!(Path::parse(&format!("{longest}a")).is_none() && Path::parse(&longest.repeat(2)).is_none());
}

#[test]
fn regions_are_written_as_they_are_read() {
    assert_eq!(Regions::top().to_json(), Value::Null);
    let written =
        json!(["/", { "path": "/r", "allow": ["a"], "deny": ["b"], "immutable": [], "blocked": true }]);
    assert_eq!(regions(&written).to_json(), written);
    let both = regions(&json!(["/a"])).meet(&regions(&json!(["/b"])));
    assert_eq!(both.to_json(), json!([["/a"], ["/b"]]));
}
