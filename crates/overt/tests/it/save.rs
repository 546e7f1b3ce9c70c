//! `--out`: writes binary content to files.
use tempfile::TempDir;

use crate::output::snapshot;
use crate::support::{Script, file};

fn one() -> Script {
    Script::with_tools(r#"[{"name":"../t"}]"#)
        .result("tools/call", r#"{"content":[{"type":"text","text":"here"},{"type":"image","data":"aGVsbG8=","mimeType":"image/png"}]}"#)
}

fn two() -> Script {
    Script::with_tools(r#"[{"name":"../t"}]"#).result(
        "tools/call",
        r#"{"content":[{"type":"resource","resource":{"uri":"file:///../../evil","blob":"aGk=","mimeType":"application/pdf"}},{"type":"audio","data":"aG8=","mimeType":"x/../y"}]}"#,
    )
}

#[test]
fn one_item_goes_to_a_file() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("x.png");
    let out = path.to_str().unwrap();
    snapshot!(one().run(&["call", "../t", "--out", out, "--format", "text"]), @"
    exit 0
    --- stdout
    here
    [image/png, 5 B]
    --- stderr
    saved image/png, 5 B: [TMP]/x.png
    ");
    assert_eq!(std::fs::read(&path).unwrap(), b"hello");
    std::fs::write(&path, "mine").unwrap();
    let server = one();
    snapshot!(server.run(&["call", "../t", "--out", out]), @"
    exit 2
    --- stderr
    error: `[TMP]/x.png` exists already

    hint: `--force` replaces it
    ");
    assert_eq!(server.received(), "", "a file in the way is noticed before anything is called");
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    let output = one().run(&["call", "../t", "--out", out, "--force", "--quiet"]);
    assert!(output.starts_with("exit 0\n--- stdout\n{\"content\":") && !output.contains("saved"), "{output}");
    assert_eq!(std::fs::read(&path).unwrap(), b"hello");
}

#[test]
fn several_items_go_to_a_directory_under_our_names() {
    let directory = TempDir::new().unwrap();
    let out = directory.path().join("new");
    snapshot!(two().run(&["call", "../t", "--out", out.to_str().unwrap(), "--format", "text"]), @"
    exit 0
    --- stdout
    [application/pdf, 2 B file:///../../evil]
    [x/../y, 2 B]
    --- stderr
    saved application/pdf, 2 B: [TMP]/new/___t-1.pdf
    saved x/../y, 2 B: [TMP]/new/___t-2.bin
    ");
    assert_eq!(std::fs::read(out.join("___t-1.pdf")).unwrap(), b"hi");
    assert_eq!(std::fs::read(out.join("___t-2.bin")).unwrap(), b"ho");
    snapshot!(two().run(&["call", "../t", "--out", out.to_str().unwrap()]), @r#"
    exit 2
    --- stdout
    {"content":[{"type":"resource","resource":{"uri":"file:///../../evil","blob":"aGk=","mimeType":"application/pdf"}},{"type":"audio","data":"aG8=","mimeType":"x/../y"}]}
    --- stderr
    error: failed to write `[TMP]/new/___t-1.pdf`
      caused by: File exists (os error 17)

    hint: `--force` replaces it
    "#);
}

#[test]
fn nothing_to_save_and_what_is_no_base64() {
    let directory = TempDir::new().unwrap();
    let out = file(directory.path(), "x", "");
    std::fs::remove_file(&out).unwrap();
    let server = |result: &str| Script::with_tools(r#"[{"name":"t"}]"#).result("tools/call", result);
    snapshot!(server(r#"{"content":[]}"#).run(&["call", "t", "--out", &out]), @r#"
    exit 0
    --- stdout
    {"content":[]}
    --- stderr
    warning: the result has nothing to save: no image, audio or other binary content
    "#);
    snapshot!(server(r#"{"content":[{"type":"image","data":"%%%"}]}"#).run(&["call", "t", "--out", &out]), @r#"
    exit 3
    --- stdout
    {"content":[{"type":"image","data":"%%%"}]}
    --- stderr
    error: item 1 of the result is not valid base64
      caused by: Invalid symbol 37, offset 0.
    "#);
}
