//! Listing, page by page.
use serde_json::{Value, json};

use super::super::super::error::code;
use super::super::super::tests::Trial;
use super::*;

fn list_in(view: &View, arguments: &Value) -> Result<Listing, FileError> {
    let input: Input = serde_json::from_value(arguments.clone()).unwrap();
    let page = Page::of(input.limit, 100_000);
    list(view, &input, page, &Snapshots::default(), (&Stop::default(), &Tally::default()))
}

/// I-13: further pages come from the first read, and equal those of a new read.
#[test]
fn i_13_a_directory_is_read_once() {
    let tree = Trial::new(&[("no/x", "")]);
    for number in 0..500 {
        tree.write(&format!("f{:03}/x", number * 7 % 500), b"12");
    }
    let view = tree.view_without(&["no", "no/**", "f100/**", "f100"]);
    for arguments in
        [json!({}), json!({ "max_depth": 2, "sizes": true }), json!({ "max_depth": 2, "sort": "size" })]
    {
        let snapshots = Snapshots::default();
        let pages = |snapshots: Option<&Snapshots>| {
            let (mut all, mut cursor, mut read) = (Vec::new(), None, 0);
            loop {
                let mut arguments = arguments.clone();
                arguments["cursor"] = json!(cursor);
                let input: Input = serde_json::from_value(arguments).unwrap();
                let (stop, tally) = (Stop::default(), Tally::default());
                let none = Snapshots::default();
                let page = list(&view, &input, Page::first(60), snapshots.unwrap_or(&none), (&stop, &tally))
                    .unwrap();
                read += usize::from(tally.get() > 0);
                assert!(!page.changed);
                all.extend(page.entries.iter().map(|entry| (entry.path.clone(), entry.r#type, entry.size)));
                assert_eq!(page.total_count, if arguments_depth(&input) == 1 { 499 } else { 998 });
                cursor = page.next_cursor;
                if cursor.is_none() {
                    return (all, read);
                }
            }
        };
        let (kept, read) = pages(Some(&snapshots));
        let (again, _) = pages(None);
        assert_eq!(kept, again, "{arguments}");
        assert_eq!(read, 1, "{arguments}");
    }
}

fn arguments_depth(input: &Input) -> u32 {
    input.max_depth.map_or(1, |depth| depth.0)
}

/// The number of entries in a large directory. `OVERT_ENTRIES=1000000` sets it to the million of
/// I-13.
#[expect(clippy::disallowed_methods, reason = "a test has no settings")]
fn many() -> u64 {
    std::env::var("OVERT_ENTRIES").map_or(20_000, |text| text.parse().unwrap())
}

/// I-13: a large directory is read once, into a bounded snapshot. Further pages don't read it.
#[test]
fn i_13_a_large_directory_is_read_once_into_a_bounded_snapshot() {
    let tree = Trial::new(&[]);
    for number in 0..many() {
        std::fs::File::create(tree.root.join(format!("entry-{number:07}"))).unwrap();
    }
    let (view, snapshots, tally) = (tree.view(), Snapshots::default(), Tally::default());
    let page = |cursor: &Option<String>| {
        let input: Input = serde_json::from_value(json!({ "cursor": cursor })).unwrap();
        list(&view, &input, Page::first(1_000), &snapshots, (&Stop::default(), &tally)).unwrap()
    };
    let first = page(&None);
    let read = tally.get();
    assert_eq!(read, many(), "each entry once");
    let (mut cursor, mut given, mut last) = (first.next_cursor, first.count as u64, String::new());
    let mut times = Vec::new();
    while cursor.is_some() {
        let began = std::time::Instant::now();
        let next = page(&cursor);
        times.push(began.elapsed());
        assert!(next.entries.iter().all(|entry| entry.path > last), "in order, and nothing twice");
        last = next.entries.last().map(|entry| entry.path.clone()).unwrap_or_default();
        given += next.count as u64;
        cursor = next.next_cursor;
    }
    assert_eq!((given, tally.get()), (many(), read), "further pages read no directory");
    times.sort_unstable();
    println!(
        "{} entries: half of the further pages of 1,000 took at most {:?}",
        many(),
        times[times.len() / 2]
    );
}

/// I-13: an entry that was hidden after the first page is on no later page.
#[test]
fn i_13_pages_are_decided_again() {
    let tree = Trial::new(&[]);
    (0..300).for_each(|number| tree.write(&format!("f{number:03}"), b""));
    let snapshots = Snapshots::default();
    let view = tree.view();
    let page = |cursor: Option<String>| {
        let input: Input = serde_json::from_value(json!({ "cursor": cursor })).unwrap();
        list(&view, &input, Page::first(100), &snapshots, (&Stop::default(), &Tally::default())).unwrap()
    };
    let first = page(None);
    tree.write("f0000", b"");
    std::fs::remove_file(tree.root.join("f150")).unwrap();
    // A small directory is read again, and the answer says that it has changed.
    let second = page(first.next_cursor);
    assert!(second.changed && !paths(&second).contains("f150"), "{}", paths(&second));
}

fn paths(listing: &Listing) -> String {
    let paths: Vec<&str> = listing.entries.iter().map(|entry| entry.path.as_str()).collect();
    paths.join(" ")
}

#[test]
fn orders_depths_and_what_is_left_out() {
    let tree = Trial::new(&[
        ("b/x", "12345"),
        ("b/y/z", ""),
        ("a.txt", "123"),
        (".env", ""),
        ("b-c", "1"),
        ("no/x", ""),
    ]);
    tree.link("link", "b");
    let view = tree.view_without(&["no/**"]);
    let table = [
        (json!({}), "a.txt b b-c link"),
        (json!({ "path": "b" }), "b/x b/y"),
        (json!({ "path": "link" }), "b/x b/y"),
        (json!({ "hidden": true }), ".env a.txt b b-c link"),
        (json!({ "max_depth": 2 }), "a.txt b b/x b/y b-c link"),
        (json!({ "max_depth": 9 }), "a.txt b b/x b/y b/y/z b-c link"),
        (json!({ "path": "b", "sort": "size" }), "b/y b/x"),
    ];
    for (arguments, wanted) in table {
        assert_eq!(paths(&list_in(&view, &arguments).unwrap()), wanted, "{arguments}");
    }
    let listing = list_in(&view, &json!({ "sizes": true })).unwrap();
    let kinds: Vec<&str> = listing.entries.iter().map(|entry| entry.r#type).collect();
    assert_eq!(kinds, ["file", "directory", "file", "symlink"]);
    assert_eq!(listing.entries[0].size, Some(3));
    assert!(listing.entries[0].modified.as_ref().unwrap().starts_with("20"));
    assert_eq!((listing.hidden_count, listing.total_count, listing.truncated), (1, 4, false));
    for (path, wanted) in
        [("a.txt", code::NOT_A_FOLDER), ("no", code::NOT_ALLOWED), ("..", code::OUTSIDE_ROOT)]
    {
        assert_eq!(list_in(&view, &json!({ "path": path })).unwrap_err().code, wanted);
    }
}

/// FS-26: pages of a large directory. Only one page is held in memory, and the order does not
/// depend on the directory's own order.
#[test]
fn fs_26_pages_are_stable() {
    let tree = Trial::new(&[]);
    for number in 0..2_000 {
        tree.write(&format!("f{:04}", number * 7_919 % 2_000), b"");
    }
    let view = tree.view();
    for sort in ["name", "size", "modified"] {
        let (mut all, mut cursor) = (Vec::new(), Value::Null);
        loop {
            let page = list_in(&view, &json!({ "limit": 300, "cursor": cursor, "sort": sort })).unwrap();
            assert_eq!((page.total_count, page.changed), (2_000, false));
            assert_eq!(page.truncated, page.has_more);
            all.extend(page.entries.into_iter().map(|entry| entry.path));
            match page.next_cursor {
                Some(next) => cursor = next.into(),
                None => break,
            }
        }
        assert_eq!(all.len(), 2_000);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 2_000, "nothing twice, by {sort}");
    }
    let first = list_in(&view, &json!({ "limit": 2 })).unwrap();
    let cursor = first.next_cursor.unwrap();
    std::fs::remove_file(tree.root.join("f0001")).unwrap();
    tree.write("f0000x", b"");
    tree.write("f0001x", b"");
    let next = list_in(&view, &json!({ "limit": 2, "cursor": cursor })).unwrap();
    assert_eq!(paths(&next), "f0001x f0002", "goes on after the last one, although that one is gone");
    assert!(next.changed);
    for wrong in [json!({ "cursor": cursor, "max_depth": 2 }), json!({ "cursor": "x" })] {
        assert_eq!(list_in(&view, &wrong).unwrap_err().code, code::INVALID_CURSOR);
    }
}
