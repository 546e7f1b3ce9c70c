//! Walks over difficult trees.
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{CWD, Mode, OFlags};

use super::super::access::{Kind, View};
use super::super::error::FileError;
use super::super::tests::Trial;
use super::super::work::Stop;
use super::*;

#[derive(Default)]
struct Names(Vec<String>);

impl Visitor for Names {
    fn visit(&mut self, found: &WalkEntry<'_>) -> Result<WalkStep, FileError> {
        let mut path = String::new();
        found.relative(&mut path);
        assert!(found.path().as_str().ends_with(&path) && path.ends_with(found.name()), "{path}");
        let mark = match found.kind {
            Kind::Folder => "/",
            Kind::Link => "@",
            Kind::Other(_) => "?",
            Kind::File => "",
        };
        self.0.push(format!("{path}{mark}"));
        Ok(WalkStep::Into)
    }
}

fn options<'a>(view: &'a View, stop: &'a Stop, tally: &'a Tally) -> Walk<'a> {
    Walk { view, stop, tally, hidden: true, ignore: true, follow: false, max_depth: usize::MAX }
}

fn names(view: &View, at: &str, change: impl FnOnce(&mut Walk<'_>)) -> (Vec<String>, WalkTotals) {
    let (stop, tally) = (Stop::default(), Tally::default());
    let mut how = options(view, &stop, &tally);
    change(&mut how);
    let (visitors, totals) = walk(&how, view.folder(at).unwrap(), Names::default).unwrap();
    let mut names: Vec<String> = visitors.into_iter().flat_map(|visitor| visitor.0).collect();
    names.sort_unstable();
    (names, totals)
}

#[test]
fn rules_hold_from_the_root_down_and_the_inner_ones_win() {
    let tree = Trial::new(&[
        (".gitignore", "*.log\n/build/\n[broken\n"),
        ("a.log", ""),
        ("build/x", ""),
        ("src/build/y", ""),
        ("src/.gitignore", "!keep.log\n*.tmp\n"),
        ("src/keep.log", ""),
        ("src/b.log", ""),
        ("src/c.tmp", ""),
        ("src/deep/d.tmp", ""),
        (".ignore", "docs\n!src/c.tmp\n"),
        ("docs/x", ""),
        ("own/.git/info/exclude", "hidden.txt\n"),
        ("own/hidden.txt", ""),
        ("own/b.log", ""),
    ]);
    let view = tree.view();
    let (all, totals) = names(&view, ".", |_| {});
    // A nested repository ignores outer git rules; `.ignore` takes precedence over `.gitignore`.
    let wanted = [
        ".gitignore",
        ".ignore",
        "own/",
        "own/b.log",
        "src/",
        "src/.gitignore",
        "src/build/",
        "src/build/y",
        "src/c.tmp",
        "src/deep/",
        "src/keep.log",
    ];
    assert_eq!(all, wanted);
    assert_eq!(totals.ignored, 7);
    // A walk that starts further in obeys the rules of the folders around it too.
    assert_eq!(names(&view, "src/deep", |_| {}).0, [""; 0]);
    assert_eq!(names(&view, ".", |walk| walk.ignore = false).0.len(), 22);
    assert_eq!(names(&view, ".", |walk| walk.hidden = false).1.hidden, 4);
    assert_eq!(names(&view, ".", |walk| (walk.max_depth, walk.ignore) = (1, false)).0.len(), 7);
}

/// FS-40, B-21: denied entries are neither shown nor counted, whatever rules in the tree say.
#[test]
fn fs_40_rules_in_the_tree_bring_nothing_back() {
    let big = "x\n".repeat(100_000);
    let tree = Trial::new(&[
        (".gitignore", "!secret\n!**\n"),
        (".ignore", "!secret/**\n"),
        ("secret/key", ""),
        ("open/.ignore", &big),
        ("open/x", ""),
    ]);
    let view = tree.view_without(&["secret/**", "**/.ignore"]);
    let (all, totals) = names(&view, ".", |_| {});
    assert_eq!(all, [".gitignore", "open/", "open/x"]);
    assert_eq!((totals.hidden, totals.ignored), (0, 0));
    let (all, _) = names(&tree.view(), ".", |_| {});
    assert_eq!(all.last().unwrap(), "secret/key");
    assert!(!all.contains(&"open/x".to_owned()), "rules that are too many hold as far as they are read");
}

/// FS-40, B-09: links are followed only inside the roots, and no folder is walked twice.
#[test]
fn fs_40_following_never_leaves_and_always_ends() {
    let tree = Trial::new(&[("a/x", "1"), ("b/c/y", "2"), ("b/.gitignore", "nothing")]);
    for (from, to) in [
        ("out", "../outside"),
        ("root", "/"),
        ("a/up", ".."),
        ("a/self", "."),
        ("a/file", "../b/c/y"),
        ("a/dead", "nowhere"),
        ("a/to_c", "../b/c"),
        ("a/again", "../b/c"),
        ("b/c/loop", "loop"),
    ] {
        tree.link(from, to);
    }
    let view = tree.view();
    let (all, totals) = names(&view, "a", |_| {});
    assert_eq!(all, ["again@", "dead@", "file@", "self@", "to_c@", "up@", "x"]);
    assert_eq!(totals.dead_links, 0);
    let follow = |walk: &mut Walk<'_>| walk.follow = true;
    let (all, totals) = names(&view, ".", follow);
    let wanted = [
        "a/",
        "a/again/",
        "a/dead@",
        "a/file",
        "a/self/",
        "a/to_c/",
        "a/up/",
        "a/x",
        "b/",
        "b/.gitignore",
        "b/c/",
        "b/c/loop@",
        "b/c/y",
        "out@",
        "root@",
    ];
    assert_eq!(all, wanted);
    assert_eq!(totals.dead_links, 4);
    // A folder outside the start folder is walked only once, too.
    let (all, _) = names(&view, "a", follow);
    assert_eq!(all.iter().filter(|name| name.ends_with('y')).count(), 1, "{all:?}");
    for _ in 0..20 {
        assert_eq!(names(&view, "a", follow).0, all);
    }
    let view = tree.view_without(&["b/c"]);
    let (all, _) = names(&view, ".", follow);
    assert!(!all.iter().any(|name| name.contains('y')) && all.contains(&"a/to_c@".to_owned()), "{all:?}");
}

/// FS-25: a tree with the longest possible paths and longer ones, and with more queued folders than
/// handles may be open.
#[test]
fn fs_25_deep_trees_end_in_a_count() {
    let tree = Trial::new(&[]);
    let (deep, side) = ("d".repeat(15), "s".repeat(15));
    let flags = OFlags::DIRECTORY | OFlags::RDONLY;
    let mut folder = rustix::fs::openat(CWD, &tree.root, flags, Mode::empty()).unwrap();
    for _ in 0..300 {
        rustix::fs::mkdirat(&folder, &side, Mode::RWXU).unwrap();
        rustix::fs::mkdirat(&folder, &deep, Mode::RWXU).unwrap();
        folder = rustix::fs::openat(&folder, &deep, flags, Mode::empty()).unwrap();
    }
    let (all, totals) = names(&tree.view(), ".", |_| {});
    let levels = (4_095 - tree.root.as_os_str().len()) / 16;
    assert_eq!(all.len(), 2 * levels, "as many as paths have room for");
    assert_eq!(totals.too_deep, 2);
    assert!(totals.is_partial());
    let (all, totals) = names(&tree.view(), ".", |walk| walk.max_depth = 10);
    assert_eq!((all.len(), totals.too_deep), (20, 0));
}

/// FS-18: a name that is not UTF-8 is counted, but not returned.
#[test]
fn fs_18_names_that_are_no_text_are_counted() {
    let tree = Trial::new(&[("a", "")]);
    for name in [&b"\xff\xfe"[..], b"caf\xe9"] {
        std::fs::write(tree.root.join(OsStr::from_bytes(name)), "x").unwrap();
    }
    std::fs::create_dir(tree.root.join(OsStr::from_bytes(b"\xffdir"))).unwrap();
    let (all, totals) = names(&tree.view(), ".", |_| {});
    assert_eq!(all, ["a"]);
    assert_eq!(totals.unreadable_names, 3);
}

#[test]
fn large_folders_are_read_in_parts_by_several_threads() {
    let tree = Trial::new(&[]);
    let mut wanted = Vec::new();
    for folder in 0..12 {
        wanted.push(format!("d{folder:02}/"));
        for file in 0..700 {
            let path = format!("d{folder:02}/a-name-that-takes-some-room-{file:04}");
            tree.write(&path, b"");
            wanted.push(path);
        }
    }
    let (all, totals) = names(&tree.view(), ".", |_| {});
    assert_eq!(all, wanted);
    assert_eq!(totals.entries, 12 * 701);
}

#[test]
fn a_walk_that_nobody_waits_for_ends() {
    struct Stopping<'a>(&'a Stop);
    impl Visitor for Stopping<'_> {
        fn visit(&mut self, _: &WalkEntry<'_>) -> Result<WalkStep, FileError> {
            self.0.set();
            Ok(WalkStep::Into)
        }
    }
    let tree = Trial::new(&[("a/b/c/d", ""), ("a/e", "")]);
    let (view, stop, tally) = (tree.view(), Stop::default(), Tally::default());
    let error = walk(&options(&view, &stop, &tally), view.folder(".").unwrap(), || Stopping(&stop));
    assert_eq!(error.map(|_| ()).unwrap_err().code, super::super::error::code::CANCELLED);
}

#[test]
fn the_first_so_many_are_kept() {
    let mut numbers: Vec<u64> = (0..1_000).map(|number| number * 7_919 % 1_000).collect();
    let (one, two) = numbers.split_at(400);
    let of = |numbers: &[u64], most| {
        let mut kept = Smallest::new(most);
        numbers.iter().for_each(|number| kept.add(*number));
        kept
    };
    for most in [0, 1, 5, 63, 64, 65, 999, 1_000, 2_000] {
        let both = of(one, most).merge(of(two, most));
        assert_eq!(both.count, 1_000);
        let wanted: Vec<u64> = (0..1_000).take(most).collect();
        assert_eq!(both.into_sorted(), wanted, "{most}");
    }
    numbers.clear();
    let mut paths = ["a/b", "a", "a.x", "b", "a/", "a-b", "a/b/c"].map(PathOrder::new);
    paths.sort();
    assert_eq!(paths.map(|path| path.path()), ["a", "a/", "a/b", "a/b/c", "a-b", "a.x", "b"]);
}
