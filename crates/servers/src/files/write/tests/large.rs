//! Files that are too large to be held in memory while they are overwritten (I-12). They must
//! behave like small ones.
use std::fs;

use serde_json::{Value, json};

use super::stage::Stage;

/// More text than is held in memory, in lines with this ending.
fn lines(ending: &str) -> String {
    (1..=100_000).map(|number| format!("line number {number}{ending}")).collect()
}

#[tokio::test]
async fn i_12_a_large_file_is_overwritten_as_a_small_one_is() {
    let stage = Stage::new();
    let before = lines("\n");
    assert!(before.len() > 1 << 20);
    stage.write("large", &before);
    let after = before.replace("line number 50000\n", "row\nand another\n");
    let made = stage.call("write_file", json!({"path": "large", "content": after})).await;
    assert!(stage.read("large") == after);
    // The diff shows the lines that differ, with their numbers.
    let hunks = &made.0["result"]["_meta"]["dev.overt/diff"]["changes"][0]["hunks"];
    assert_eq!(
        (hunks[0]["old_start"].as_u64(), hunks.as_array().map(Vec::len)),
        (Some(49_997), Some(1)),
        "{}",
        made.0
    );
    stage.call("revert_change", json!({"change": made.change()})).await.ok();
    assert!(stage.read("large") == before);
    // Changes at both ends, and of everything.
    for after in [before.replacen("line", "x", 1), format!("{before}more"), lines(" other\n"), String::new()]
    {
        let made = stage.call("write_file", json!({"path": "large", "content": after})).await;
        assert!(stage.read("large") == after);
        stage.call("revert_change", json!({"change": made.change()})).await.ok();
        assert!(stage.read("large") == before);
    }
}

#[tokio::test]
async fn i_12_line_endings_of_a_large_file_are_kept_and_converted() {
    let stage = Stage::new();
    let path = stage.write("large", lines("\r\n"));
    let other = lines(" other\n");
    let made = stage.call("write_file", json!({"path": "large", "content": other})).await;
    assert_eq!(
        (&made.ok()["line_ending"], &made.ok()["line_ending_adapted"]),
        (&json!("crlf"), &json!(true))
    );
    assert!(fs::read_to_string(&path).unwrap() == lines(" other\r\n"));
    // Content that differs only in line endings changes them.
    let made = stage.call("write_file", json!({"path": "large", "content": other})).await;
    assert_eq!((&made.ok()["line_ending"], &made.ok()["line_ending_adapted"]), (&json!("lf"), &json!(false)));
    assert!(fs::read_to_string(&path).unwrap() == other);
}

/// A plan of a large file is bound to its content. If the content has changed since the preview,
/// the caller gets an error.
#[tokio::test]
async fn i_12_a_plan_of_a_large_file_is_bound_to_its_content() {
    let stage = Stage::new();
    stage.write("large", lines("\n"));
    let arguments = json!({"path": "large", "content": lines(" other\n")});
    let preview = stage.preview("write_file", arguments.clone()).await;
    let plan = preview.0["result"]["_meta"]["dev.overt/plan"].clone();
    assert!(plan.is_string(), "{}", preview.0);
    let changed = lines("\n").replace("line number 70000\n", "LINE NUMBER 70000\n");
    stage.write("large", &changed);
    let meta = |plan: &Value| json!({ "dev.overt/plan": plan });
    let refused = stage.call_with("write_file", arguments.clone(), meta(&plan)).await;
    assert!(refused.is_error(), "{}", refused.0);
    assert!(stage.read("large") == changed);
}

/// I-11: windows-1252 without a mark stays, as long as it has the letters. Only replacing the whole
/// content can turn the file into UTF-8.
#[tokio::test]
async fn i_11_an_older_encoding_stays() {
    let stage = Stage::new();
    let old = b"caf\xe9 and more of it\n";
    let cases: [(&str, &str, &[u8]); 4] = [
        ("overwrite", "na\u{ef}ve text\n", b"na\xefve text\n"),
        ("append", "\u{e9}\n", b"caf\xe9 and more of it\n\xe9\n"),
        ("prepend", "\u{20ac}\n", b"\x80\ncaf\xe9 and more of it\n"),
        ("overwrite", "\u{2192} arrow\n", "\u{2192} arrow\n".as_bytes()),
    ];
    for (mode, content, wanted) in cases {
        let path = stage.write("old", old);
        stage.call("write_file", json!({"path": "old", "content": content, "mode": mode})).await.ok();
        assert_eq!(fs::read(&path).unwrap(), wanted, "{mode} {content}");
    }
    let path = stage.write("old", old);
    let refused =
        stage.call("write_file", json!({"path": "old", "content": "\u{2192}", "mode": "append"})).await;
    assert_eq!(refused.code(), "NOT_TEXT");
    assert_eq!(fs::read(&path).unwrap(), old);
}

#[tokio::test]
async fn what_is_wrong_with_every_file_is_said_in_whole_lines() {
    let stage = Stage::new();
    let refused = stage.call("read_multiple_files", json!({"paths": ["no", "nor"]})).await;
    assert!(refused.text().contains("\nCorrect the paths and call again."), "{}", refused.text());
}
