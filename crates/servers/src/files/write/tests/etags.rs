//! Tests of etags, and of arguments as models write them.
use serde_json::{Value, json};

use super::stage::Stage;

/// I-15: a change by a person after the model's read is not overwritten, and the model learns what
/// changed.
#[tokio::test]
async fn i_15_what_was_changed_since_it_was_read_is_not_overwritten() {
    let stage = Stage::new();
    stage.write("a.txt", "one\ntwo\nthree\n");
    let etag = stage.call("read_file", json!({ "path": "a.txt" })).await.ok()["etag"].clone();
    stage.write("a.txt", "one\n2\nthree\n");
    let write = |etag: &Value| json!({ "path": "a.txt", "content": "new\n", "if_etag": etag });
    let edit = |etag: &Value| json!({ "path": "a.txt", "edits": [{ "find": "one", "replace": "1" }], "if_etag": etag });
    for (tool, arguments) in [("write_file", write(&etag)), ("edit_file", edit(&etag))] {
        let refused = stage.call(tool, arguments).await;
        assert_eq!(refused.code(), "CONFLICT");
        let said = refused.text();
        assert!(said.contains("-two\n+2\n"), "{said}");
        assert!(said.ends_with("[CONFLICT]"), "{said}");
        assert_eq!(stage.read("a.txt"), "one\n2\nthree\n");
    }
    // With the new etag the call succeeds, and each answer has the etag for the next call.
    let now = stage.call("read_file", json!({ "path": "a.txt" })).await.ok()["etag"].clone();
    let edited = stage.call("edit_file", edit(&now)).await;
    let next = edited.ok()["files"][0]["etag"].clone();
    let written = stage.call("write_file", write(&next)).await;
    assert_eq!(stage.read("a.txt"), "new\n");
    let read = stage.call("read_file", json!({ "path": "a.txt" })).await;
    assert_eq!(read.ok()["etag"], written.ok()["etag"]);
    // The etag of a small file depends only on its content.
    stage.write("b.txt", "new\n");
    std::fs::rename(stage.root.join("b.txt"), stage.root.join("a.txt")).unwrap();
    stage.call("write_file", write(&read.ok()["etag"])).await.ok();
    std::fs::remove_file(stage.root.join("a.txt")).unwrap();
    assert_eq!(stage.call("write_file", write(&next)).await.code(), "CONFLICT");
    assert!(!stage.has("a.txt"));
}

/// The etag of a large file depends on size and time. `if_etag` does not apply to other files of
/// the call.
#[tokio::test]
async fn an_etag_is_about_the_path_of_the_call() {
    let stage = Stage::new();
    stage.write("large", "0123456789\n".repeat(9_000));
    stage.write("other", "x\n");
    let etag = stage.call("read_file", json!({ "path": "large" })).await.ok()["etag"].clone();
    assert!(etag.as_str().unwrap().starts_with("m-"), "{etag}");
    let edits = json!([{ "path": "other", "find": "x", "replace": "y" }, { "find": "0123456789\n", "replace": "", "expected_count": 9_000 }]);
    let call = json!({ "path": "large", "edits": edits, "if_etag": etag });
    stage.call("edit_file", call.clone()).await.ok();
    assert_eq!((stage.read("large"), stage.read("other")), (String::new(), "y\n".into()));
    stage.write("large", "0123456789\n".repeat(9_000));
    stage.write("other", "x\n");
    let refused = stage.call("edit_file", call).await;
    assert_eq!(refused.code(), "CONFLICT");
    assert_eq!(stage.read("other"), "x\n");
}

#[tokio::test]
async fn edits_answer_with_the_changed_lines_and_their_numbers() {
    let stage = Stage::new();
    let text: String = (1..=30).map(|n| format!("line {n}\n")).collect();
    stage.write("a", &text);
    let edits = json!([
        { "find": "line 3\n", "replace": "three\nand more\n" },
        { "find": "line 20\n", "replace": "" },
    ]);
    let done = stage.call("edit_file", json!({ "path": "a", "edits": edits })).await;
    let wanted = json!([
        { "start_line": 2, "text": "line 2\nthree\nand more\nline 4" },
        { "start_line": 20, "text": "line 19\nline 21" },
    ]);
    assert_eq!(done.ok()["files"][0]["changed"], wanted);
    let numbered = stage
        .call("read_file", json!({ "path": "a", "start_line": 3, "limit": 2, "line_numbers": true }))
        .await;
    assert_eq!(numbered.text(), "     3| three\n     4| and more\n");
    assert_eq!(numbered.ok()["content"], "three\nand more\n");
    // The answer shows only a limited number of lines.
    let many = json!({ "path": "a", "edits": [{ "find": "line", "replace": "row\n".repeat(200), "expected_count": 28 }] });
    let done = stage.call("edit_file", many).await;
    assert_eq!(
        (&done.ok()["files"][0]["truncated"], &done.ok()["files"][0]["changed"]),
        (&json!(true), &json!([]))
    );
}

/// Text in other encodings is edited as text, and keeps its encoding.
#[tokio::test]
async fn other_encodings_are_edited_as_text() {
    let stage = Stage::new();
    stage.write("latin", b"caf\xe9 is closed\n");
    stage.write("wide", b"\xff\xfeh\0i\0\n\0");
    let edit = |path: &str, find: &str, replace: &str| json!({ "path": path, "edits": [{ "find": find, "replace": replace }] });
    stage.call("edit_file", edit("latin", "café is closed", "thé is £5")).await.ok();
    assert_eq!(std::fs::read(stage.root.join("latin")).unwrap(), b"th\xe9 is \xa35\n");
    stage.call("edit_file", edit("wide", "hi", "hä")).await.ok();
    assert_eq!(std::fs::read(stage.root.join("wide")).unwrap(), b"\xff\xfeh\0\xe4\0\n\0");
    let refused = stage.call("edit_file", edit("latin", "thé", "→")).await;
    assert_eq!(refused.code(), "NOT_TEXT");
    assert!(refused.text().contains("has no `→`"), "{}", refused.text());
    stage.write("bin", b"a\0b\xff");
    assert_eq!(stage.call("edit_file", edit("bin", "a", "b")).await.code(), "NOT_TEXT");
}

/// I-15: every tool accepts the names and forms that models write for its parameters.
#[tokio::test]
async fn i_15_arguments_as_models_write_them() {
    let stage = Stage::new();
    stage.write("src/a.rs", "fn a() {}\n");
    for (tool, arguments) in [
        ("find_files", json!({ "pattern": "*.rs" })),
        ("find_files", json!({ "pattern": "**/*.rs", "root": "." })),
        ("find_files", json!({ "glob": "*.rs", "limit": "20", "hidden": "false" })),
        ("search_files", json!({ "query": "fn a", "glob": "*.rs", "path": "src" })),
        (
            "search_files",
            json!({ "pattern": "FN A", "-i": true, "output_mode": "files_with_matches", "head_limit": 5 }),
        ),
        ("read_file", json!({ "file_path": "src/a.rs", "offset": 1, "limit": "5" })),
        ("read_file", json!({ "path": "src/a.rs", "view_range": [1, 1], "tail": null })),
        ("read_multiple_files", json!({ "paths": "src/a.rs" })),
        ("list_directory", json!({ "directory": "src", "recursive": true })),
        ("write_file", json!({ "file_path": "n/e/w.txt", "contents": "x\n" })),
        ("write_file", json!({ "path": "n/e/w.txt", "text": "y\n", "append": true })),
        ("create_directory", json!({ "path": "m/n" })),
        ("edit_file", json!({ "file_path": "n/e/w.txt", "old_string": "x", "new_string": "z" })),
        ("edit_file", json!({ "path": "n/e/w.txt", "edits": "[{\"oldText\": \"z\", \"newText\": \"x\"}]" })),
        (
            "edit_file",
            json!({ "file_path": "n/e/w.txt", "old_string": "\n", "new_string": ";\n", "replace_all": true }),
        ),
        (
            "edit_file",
            json!({ "path": "n/e/w.txt", "edits": "[{\"oldText\": \";\", \"newText\": \"\", \"replaceAll\": \"true\"}]" }),
        ),
        ("move_file", json!({ "source": "n/e/w.txt", "destination": "n/w.txt" })),
        ("list_changes", json!({ "limit": 2.0 })),
    ] {
        let answer = stage.call(tool, arguments.clone()).await;
        assert!(!answer.is_error(), "{tool} {arguments}: {}", answer.0);
    }
    assert_eq!(stage.read("n/w.txt"), "x\ny\n");
    let wrong = stage.call("read_file", json!({ "path": "src/a.rs", "colour": "red" })).await;
    assert_eq!(wrong.code(), "INVALID_ARGUMENTS");
    assert!(
        wrong.text().contains("`colour`") && wrong.text().ends_with("[INVALID_ARGUMENTS]"),
        "{}",
        wrong.text()
    );
}
