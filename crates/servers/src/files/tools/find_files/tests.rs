//! Finding files, as tables.
use serde_json::{Value, json};

use super::super::super::tests::{CANARY, Trial};
use super::*;

fn find_in(view: &View, arguments: &Value, most: u64) -> Result<Finding, FileError> {
    let input: Input = serde_json::from_value(arguments.clone()).unwrap();
    let page = Page::of(input.limit, most);
    find(view, &input, page, &Stop::default(), &Tally::default())
}

fn found(view: &View, arguments: &Value) -> String {
    let found = find_in(view, arguments, 200).unwrap_or_else(|error| panic!("{arguments}: {error:?}"));
    assert_eq!(found.count as u64, found.total_count);
    found.matches.join(" ")
}

fn tree() -> Trial {
    let tree = Trial::new(&[
        ("src/main.rs", "fn main() {}"),
        ("src/lib.rs", "x"),
        ("src/deep/Test_One.rs", "0123456789"),
        ("src/deep/-dash.txt", ""),
        ("README.md", "hello"),
        ("target/out.rs", ""),
        (".gitignore", "target\n"),
        (".hidden/x.rs", ""),
    ]);
    tree.link("inner", "src/lib.rs");
    tree.link("outer", "../outside/canary.txt");
    tree
}

#[test]
fn patterns_kinds_and_places() {
    let (tree, all) = (tree(), json!({}));
    let view = tree.view();
    let table = [
        (
            all,
            "README.md inner outer src/ src/deep/ src/deep/-dash.txt src/deep/Test_One.rs src/lib.rs src/main.rs",
        ),
        (json!({ "pattern": r"\.rs$" }), "src/deep/Test_One.rs src/lib.rs src/main.rs"),
        (json!({ "pattern": "*.rs" }), "src/deep/Test_One.rs src/lib.rs src/main.rs"),
        (
            json!({ "pattern": "*.rs", "no_ignore": true }),
            "src/deep/Test_One.rs src/lib.rs src/main.rs target/out.rs",
        ),
        (json!({ "pattern": "*.rs", "hidden": true, "path": ".hidden" }), ".hidden/x.rs"),
        (json!({ "pattern": "src/*.rs" }), "src/lib.rs src/main.rs"),
        (json!({ "pattern": "**/*.rs" }), "src/deep/Test_One.rs src/lib.rs src/main.rs"),
        (json!({ "pattern": "deep/.*rs" }), "src/deep/Test_One.rs"),
        // Smart case, and explicit case.
        (json!({ "pattern": "test" }), "src/deep/Test_One.rs"),
        (json!({ "pattern": "Test" }), "src/deep/Test_One.rs"),
        (json!({ "pattern": "TEST" }), ""),
        (json!({ "pattern": "TEST", "case_sensitive": "false" }), "src/deep/Test_One.rs"),
        (json!({ "pattern": "test", "case_sensitive": "true" }), ""),
        (json!({ "pattern": "TEST*", "case_sensitive": "false" }), "src/deep/Test_One.rs"),
        (json!({ "type": "directory" }), "src/ src/deep/"),
        (json!({ "type": "directory", "max_depth": 1 }), "src/"),
        (json!({ "type": "symlink" }), "inner outer"),
        (json!({ "type": "file", "path": "src/deep" }), "src/deep/-dash.txt src/deep/Test_One.rs"),
        (json!({ "type": "file", "exclude": ["deep", "*.md"] }), "src/lib.rs src/main.rs"),
        (json!({ "type": "file", "exclude": ["src/l*"], "max_depth": 2 }), "README.md src/main.rs"),
        (json!({ "min_size": 5, "max_size": 11 }), "README.md src/deep/Test_One.rs"),
        (json!({ "max_size": 1 }), "src/deep/-dash.txt src/lib.rs"),
        (json!({ "modified_after": "2000-01-01T00:00:00Z", "pattern": "lib" }), "src/lib.rs"),
        (json!({ "modified_before": "2000-01-01T00:00:00+02:00" }), ""),
        (
            json!({ "type": "file", "sort": "size", "path": "src" }),
            "src/main.rs src/deep/Test_One.rs src/lib.rs src/deep/-dash.txt",
        ),
        // The target of a link, if it may be followed.
        (json!({ "type": "file", "follow": true, "max_depth": 1 }), "README.md inner"),
        (json!({ "type": "symlink", "follow": true }), "outer"),
    ];
    for (arguments, wanted) in table {
        assert_eq!(found(&view, &arguments), wanted, "{arguments}");
    }
}

/// FS-38, B-04: a pattern that looks like an option is a pattern.
#[test]
fn fs_38_a_dash_is_a_character() {
    let tree = tree();
    let view = tree.view();
    assert_eq!(found(&view, &json!({ "pattern": "-dash" })), "src/deep/-dash.txt");
    for pattern in ["-Le.", "--pre=sh", "-f/etc/passwd", "--hostname-bin=x", "-x", "--exec=id"] {
        let all = found(&view, &json!({ "pattern": pattern, "follow": true }));
        assert!(all.is_empty() && !all.contains(CANARY), "{pattern}: {all}");
    }
}

/// B-21: the order is stable, and limits apply after everything else.
#[test]
fn b_21_limits_come_last_and_the_order_is_stable() {
    let tree = Trial::new(&[]);
    for number in 0..300 {
        tree.write(&format!("{}/secret-{number:03}", number % 7), b"");
        tree.write(&format!("{}/open-{number:03}", number % 7), b"");
    }
    let view = tree.view_without(&["**/secret-*"]);
    let first = find_in(&view, &json!({ "type": "file", "limit": 20 }), 200).unwrap();
    assert_eq!((first.count, first.total_count, first.truncated), (20, 300, true));
    let mut all = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = find_in(&view, &json!({ "type": "file", "limit": 90, "cursor": cursor }), 70).unwrap();
        assert_eq!(page.limit, 70, "the setting is the most");
        // I-15: a caller that asked for more is told the limit.
        assert!(page.note.unwrap().contains("`limit` was 90; one answer has at most 70"));
        all.extend(page.matches);
        match page.next_cursor {
            Some(next) => cursor = next.into(),
            None => break,
        }
    }
    assert_eq!(all.len(), 300);
    assert_eq!(all[..20], first.matches);
    let mut sorted = all.clone();
    sorted.sort_unstable();
    assert_eq!(all, sorted);
    assert!(all.iter().all(|path| path.contains("open")));
    let other = json!({ "type": "file", "hidden": true, "cursor": first.next_cursor });
    assert_eq!(find_in(&view, &other, 200).map(|_| ()).unwrap_err().code, code::INVALID_CURSOR);
}

/// FS-24, FS-39, G-19: invalid patterns are refused at once.
#[test]
fn fs_39_patterns_that_are_too_much_are_refused() {
    let tree = tree();
    let view = tree.view();
    let code_of = |arguments: Value| find_in(&view, &arguments, 200).map(|_| ()).unwrap_err().code;
    assert_eq!(code_of(json!({ "pattern": "(" })), code::INVALID_PATTERN);
    assert_eq!(code_of(json!({ "pattern": r"(a)\1" })), code::INVALID_PATTERN);
    assert_eq!(code_of(json!({ "pattern": "(?:x{1000}){1000}" })), code::INVALID_PATTERN);
    assert_eq!(code_of(json!({ "pattern": "x".repeat(10_000) })), code::INVALID_PATTERN);
    assert_eq!(code_of(json!({ "pattern": "[" })), code::INVALID_PATTERN);
    assert_eq!(code_of(json!({ "exclude": ["["] })), code::INVALID_GLOB);
    assert_eq!(code_of(json!({ "exclude": vec!["x"; 101] })), code::INVALID_GLOB);
    assert_eq!(code_of(json!({ "modified_after": "yesterday" })), code::INVALID_TIME);
    assert_eq!(code_of(json!({ "path": "../outside" })), code::OUTSIDE_ROOT);
    assert_eq!(code_of(json!({ "path": "README.md" })), code::NOT_A_FOLDER);
    assert_eq!(found(&view, &json!({ "pattern": "(a+)+$" })), "");
    let bomb = "{a,b}".repeat(30);
    assert_eq!(found(&view, &json!({ "pattern": bomb, "exclude": [bomb] })), "");
}
