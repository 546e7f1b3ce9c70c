//! Changes of 100 MB on the page: what is shown stays short and correct, and undo restores
//! everything.
use std::fs;
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::Client;
use crate::day::everything_verifies;
use crate::environment::TestEnvironment;
use crate::ui::Page;

/// The most bytes that an answer of the page about one change may have.
const MOST_ANSWER: usize = 5 << 20;
const LINES: usize = 2_000_000;
const LINE: &str = "the quick brown fox jumps over the lazy dog, again";

fn write_lines(path: &Path) {
    let mut file = std::io::BufWriter::new(fs::File::create(path).unwrap());
    for number in 0..LINES {
        writeln!(file, "{LINE} {number}").unwrap();
    }
}

/// Overwrites a file, and returns the id of the change.
fn overwrite(client: &mut Client, path: &str, content: &str) -> String {
    client.call("write_file", &json!({ "path": path, "content": content, "overwrite": true }));
    let change = &client.last["result"]["structuredContent"]["change"];
    change.as_str().unwrap_or_else(|| panic!("{}", client.last)).to_owned()
}

/// Gets an answer of the page, and checks that it is not too long.
fn get(page: &Page, path: &str) -> Value {
    let (status, said) = page.get(path);
    assert_eq!(status, 200, "{path}: {said}");
    assert!(said.to_string().len() < MOST_ANSWER, "{path}: {} bytes", said.to_string().len());
    said
}

#[test]
fn a_file_of_100_megabytes_that_was_overwritten_is_shown_by_its_size_and_comes_back() {
    let day = TestEnvironment::with_projects();
    let path = day.path("site/big.txt");
    write_lines(&path);
    let size = fs::metadata(&path).unwrap().len();
    assert!(size > 100_000_000, "{size}");
    let before = day.path("before");
    fs::copy(&path, &before).unwrap();
    let mut files = day.files("claude-code", "site", &["."]);
    let change = overwrite(&mut files, "big.txt", "short\n");
    let next = overwrite(&mut files, "big.txt", "short\nand more\n");
    files.end();

    let page = Page::of_day(&day);
    let detail = get(&page, &format!("/api/activity/{change}"));
    let diff = detail["diff"].as_str().unwrap();
    assert!(diff.contains("before: ") && diff.contains("bytes"), "{diff}");
    assert!(!diff.contains("-0,0"), "it was not empty before: {diff}");
    assert_eq!(get(&page, &format!("/api/activity/{next}"))["canUndo"], true);

    for change in [&next, &change] {
        let preview = get(&page, &format!("/api/undo/{change}"));
        let undo = json!({ "change": change, "digest": preview["digest"] });
        let (status, said) = page.post("/api/undo", &undo);
        assert_eq!(status, 200, "{said}");
    }
    assert!(fs::read(&path).unwrap() == fs::read(&before).unwrap(), "it is not what it was");
    everything_verifies(&day);
}

#[test]
fn a_diff_that_is_too_long_ends_with_a_line_that_says_so() {
    let day = TestEnvironment::with_projects();
    let text = |word: &str| (0..30_000).map(|number| format!("{word} {LINE} {number}\n")).collect::<String>();
    day.write("site/long.txt", &text("old"));
    let mut files = day.files("claude-code", "site", &["."]);
    let change = overwrite(&mut files, "long.txt", &text("new"));
    files.end();
    let page = Page::of_day(&day);
    for path in [format!("/api/activity/{change}"), format!("/api/undo/{change}")] {
        let said = get(&page, &path);
        let diff = said["diff"].as_str().unwrap();
        assert!(diff.len() < (2 << 20) + 1_000, "{path}: {} bytes", diff.len());
        let cut =
            diff.ends_with("\\ The rest is too long to be shown.\n") || said["diffLeftOut"]["of"].is_u64();
        assert!(cut, "{path}: {:?}", diff.lines().last());
    }
}
