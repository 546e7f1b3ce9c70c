//! Searches, as tables, and files that are hard to search.
use std::fs::File;

use serde_json::{Value, json};

use super::super::super::access::View;
use super::super::super::error::FileError;
use super::super::super::search::Line;
use super::super::super::tests::{CANARY, Trial};
use super::super::super::walk::Tally;
use super::super::super::work::Stop;
use super::super::search_schema::{FileMatches, Mode};
use super::*;

fn limits(input: &Input, bytes: u64) -> SearchLimits {
    SearchLimits { page: Page::of(input.limit, 200), bytes, summary: 2 }
}

fn search_in(view: &View, arguments: &Value, bytes: u64) -> Result<Searching, FileError> {
    let input: Input = serde_json::from_value(arguments.clone()).unwrap();
    search(view, &input, &limits(&input, bytes), &Stop::default(), &Tally::default())
}

fn all_of(view: &View, arguments: &Value) -> Searching {
    search_in(view, arguments, 50 << 10).unwrap_or_else(|error| panic!("{arguments}: {error:?}"))
}

/// Formats every line as `path:line:text`, with `|` for the second `:` on context lines.
fn lines(found: &Searching) -> Vec<String> {
    let each = |file: &FileMatches| {
        let line = |line: &Line| {
            let mark = if line.ranges.is_empty() { '|' } else { ':' };
            format!("{}:{}{mark}{}", file.path, line.line, line.text)
        };
        file.lines.iter().map(line).collect::<Vec<_>>()
    };
    found.files.iter().flat_map(each).collect()
}

fn tree() -> Trial {
    let tree = Trial::new(&[
        ("a.txt", "one\ntwo One\nthree\nfour\n"),
        ("src/b.rs", "fn main() {\r\n    -x --one\r\n}\r\n"),
        ("src/c.md", "a.c\nabc\n"),
        (".hidden", "one\n"),
        ("skip/d.txt", "one\n"),
        (".gitignore", "skip\n"),
        ("empty", ""),
    ]);
    tree.write("binary", b"one\0two\n");
    tree.write("utf16", b"\xff\xfeo\0n\0e\0 \0\xfc\0\n\0");
    tree.write("latin", b"caf\xe9 one\n");
    tree.link("out", "../outside/canary.txt");
    tree
}

#[test]
fn patterns_and_places() {
    let tree = tree();
    let view = tree.view();
    let table: [(Value, &[&str]); 16] = [
        (
            json!({ "pattern": "one" }),
            &[
                "a.txt:1:one",
                "a.txt:2:two One",
                "latin:1:café one",
                "src/b.rs:2:    -x --one",
                "utf16:1:one ü",
            ],
        ),
        (json!({ "pattern": "One" }), &["a.txt:2:two One"]),
        (json!({ "pattern": "café" }), &["latin:1:café one"]),
        (
            json!({ "pattern": "ONE", "case_sensitive": "false", "include": ["*.txt"] }),
            &["a.txt:1:one", "a.txt:2:two One"],
        ),
        (json!({ "pattern": "one", "case_sensitive": "true", "path": "a.txt" }), &["a.txt:1:one"]),
        (json!({ "pattern": "a.c" }), &["src/c.md:1:a.c", "src/c.md:2:abc"]),
        (json!({ "pattern": "a.c", "literal": true }), &["src/c.md:1:a.c"]),
        (json!({ "pattern": "one$", "include": ["*.rs"] }), &["src/b.rs:2:    -x --one"]),
        (
            json!({ "pattern": "one", "include": ["!*.txt", "!latin", "!utf16"] }),
            &["src/b.rs:2:    -x --one"],
        ),
        (json!({ "pattern": "one", "include": ["src/**"] }), &["src/b.rs:2:    -x --one"]),
        (json!({ "pattern": "one", "path": "skip" }), &["skip/d.txt:1:one"]),
        (
            json!({ "pattern": "^one", "no_ignore": true, "hidden": true, "include": ["*.txt", ".hidden"] }),
            &[".hidden:1:one", "a.txt:1:one", "skip/d.txt:1:one"],
        ),
        (json!({ "pattern": "three", "context": 1 }), &["a.txt:2|two One", "a.txt:3:three", "a.txt:4|four"]),
        (
            json!({ "pattern": "three", "before_context": 2 }),
            &["a.txt:1|one", "a.txt:2|two One", "a.txt:3:three"],
        ),
        (json!({ "pattern": "One\nthr", "multiline": true }), &["a.txt:2:two One\nthree"]),
        (json!({ "pattern": "o", "max_count": 1, "include": ["a.txt"] }), &["a.txt:1:one"]),
    ];
    for (arguments, wanted) in table {
        assert_eq!(lines(&all_of(&view, &arguments)), wanted, "{arguments}");
    }
    let found = all_of(&view, &json!({ "pattern": "one" }));
    assert_eq!((found.total_count, found.match_count, found.binary_files), (4, Some(5), 1));
    assert_eq!((found.hidden_count, found.ignored_count, found.truncated), (2, 1, false));
    let files = all_of(&view, &json!({ "pattern": "one", "output": "files" }));
    let paths: Vec<&str> = files.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a.txt", "latin", "src/b.rs", "utf16"]);
    let counts = all_of(&view, &json!({ "pattern": "o", "output": "count", "limit": 2 }));
    let counts_of: Vec<_> =
        counts.files.iter().map(|file| (file.path.as_str(), file.match_count.unwrap())).collect();
    assert_eq!(counts_of, [("a.txt", 4), ("latin", 1)]);
    assert_eq!((counts.total_count, counts.next_cursor.is_some()), (4, true));
}

#[test]
fn ranges_are_characters_and_long_lines_are_cut() {
    let long = format!("{}ü needle {}", "x".repeat(5_000), "y".repeat(5_000));
    let tree = Trial::new(&[("a", "äö one one\n"), ("long", &long)]);
    let view = tree.view();
    let found = all_of(&view, &json!({ "pattern": "one" }));
    assert_eq!(found.files[0].lines[0].ranges, [(3, 6), (7, 10)]);
    assert_eq!(found.match_count, Some(2), "matches, not lines");
    let found = all_of(&view, &json!({ "pattern": "needle" }));
    let line = &found.files[0].lines[0];
    let &(from, to) = line.ranges.first().unwrap();
    let shown: String = line.text.chars().skip(from).take(to - from).collect();
    assert_eq!(shown, "needle");
    assert_eq!(line.text.chars().count(), 400);
    assert_eq!(line.cut_before.unwrap() + 400 + line.cut_after.unwrap(), long.chars().count());
}

/// FS-38, B-04: a pattern that looks like an option is a pattern, and nothing outside is read.
#[test]
fn fs_38_a_dash_is_a_character() {
    let tree = tree();
    let view = tree.view();
    assert_eq!(lines(&all_of(&view, &json!({ "pattern": "-x" }))), ["src/b.rs:2:    -x --one"]);
    assert_eq!(lines(&all_of(&view, &json!({ "pattern": "--one" }))), ["src/b.rs:2:    -x --one"]);
    let options = ["-Le.", "--pre=sh", "-f/etc/passwd", "--hostname-bin=x", "-.e.", "-L"];
    for pattern in options.into_iter().chain([CANARY]) {
        for follow in [false, true] {
            let found = all_of(
                &view,
                &json!({ "pattern": pattern, "follow": follow, "no_ignore": true, "hidden": true }),
            );
            assert_eq!(found.total_count, 0, "{pattern}");
        }
        let found = all_of(&view, &json!({ "pattern": "x", "include": [pattern] }));
        assert_eq!(found.total_count, 0, "{pattern}");
    }
}

/// FS-39: patterns take linear time and limited memory, or are refused clearly.
#[test]
fn fs_39_bombs_are_refused_or_harmless() {
    let tree = Trial::new(&[("a", &"a".repeat(100_000))]);
    let view = tree.view();
    assert_eq!(all_of(&view, &json!({ "pattern": "(a+)+$" })).total_count, 1);
    assert_eq!(all_of(&view, &json!({ "pattern": "(a*)*b" })).total_count, 0);
    for pattern in ["(?:x{1000}){1000}", r"(a)\1", "(", "a(?=b)", "a\nb"] {
        let error = search_in(&view, &json!({ "pattern": pattern }), 50 << 10).map(|_| pattern).unwrap_err();
        assert_eq!(error.code, code::INVALID_PATTERN, "{pattern}");
    }
    let error =
        search_in(&view, &json!({ "pattern": "x".repeat(10 << 20) }), 50 << 10).map(|_| ()).unwrap_err();
    assert_eq!(error.code, code::INVALID_PATTERN);
}

/// B-15, G-21: all matches are counted, the lines that are kept are bounded, and the answer is
/// always the same.
#[test]
fn b_15_large_results_are_counted_and_cut() {
    let every_line = "a line that matches with some text around it, needle and hay\n".repeat(5_000);
    let tree = Trial::new(&[("big", &every_line), ("c/small", "needle\n"), ("d/other", "needle needle\n")]);
    for number in 0..40 {
        tree.write(&format!("many/{number:02}"), b"needle\nneedle\nneedle\nneedle\nneedle\n");
    }
    let view = tree.view();
    let arguments = json!({ "pattern": "needle", "context": 1 });
    let summary = search_in(&view, &arguments, 1_000).unwrap();
    assert_eq!((summary.mode, summary.total_count), (Mode::Summary, 43));
    assert_eq!(summary.match_count, Some(5_000 + 3 + 200));
    let top: Vec<_> =
        summary.files.iter().map(|file| (file.path.as_str(), file.match_count.unwrap())).collect();
    assert_eq!(top, [("big", 5_000), ("many/00", 5)]);
    assert!(summary.truncated);
    let reduced = search_in(&view, &arguments, 20_000).unwrap();
    assert_eq!((reduced.mode, reduced.count, reduced.match_count), (Mode::Reduced, 43, Some(5_203)));
    assert!(reduced.files.iter().all(|file| file.lines.len() <= 3));
    let full = search_in(&view, &arguments, 10 << 20).unwrap();
    assert_eq!((full.mode, lines(&full).len(), full.truncated), (Mode::Full, 5_202, false));
    let text = serde_json::to_string(&reduced).unwrap();
    for _ in 0..10 {
        assert_eq!(serde_json::to_string(&search_in(&view, &arguments, 20_000).unwrap()).unwrap(), text);
    }
}

/// FS-13, FS-14: a pipe does not block the search, and only regular files are read.
#[test]
fn fs_13_pipes_and_sockets_are_counted_and_left_alone() {
    let tree = Trial::new(&[("a", "one")]);
    let pipe = tree.root.join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(tree.root.join("socket")).unwrap();
    let view = tree.view();
    let found = all_of(&view, &json!({ "pattern": "one" }));
    assert_eq!((found.total_count, found.special_files), (1, 2));
    let error =
        search_in(&view, &json!({ "pattern": "one", "path": "pipe" }), 1_000).map(|_| ()).unwrap_err();
    assert_eq!(error.code, code::NOT_A_FILE);
}

/// FS-15: a sparse file of a terabyte.
#[test]
fn fs_15_sparse_files_end() {
    let tree = Trial::new(&[("text", "needle\n")]);
    File::create(tree.root.join("sparse")).unwrap().set_len(1 << 40).unwrap();
    let view = tree.view();
    for multiline in [false, true] {
        let found = all_of(&view, &json!({ "pattern": "needle", "multiline": multiline }));
        assert_eq!((found.total_count, found.binary_files + found.partly_searched), (1, 1), "{multiline}");
    }
}

/// A line that does not fit into memory is reported, and the rest is searched.
#[test]
fn a_line_without_an_end_is_searched_in_part() {
    let tree = Trial::new(&[("a", "needle\n"), ("b", &"x".repeat(20 << 20))]);
    let found = all_of(&tree.view(), &json!({ "pattern": "needle" }));
    assert_eq!((found.total_count, found.partly_searched, found.truncated), (1, 1, true));
}
