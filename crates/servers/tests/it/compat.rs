//! The tools of the official filesystem server, with its arguments and result formats, built from
//! ours.
use overt_servers::files::Compat;
use serde_json::{Value, json};

use crate::stage::{Client, Setup, Stage};

fn official(stage: &Stage) -> Client {
    stage.start(Setup { compat: Some(Compat::Official), ..stage.setup() })
}

/// Returns the text of a result, which is its value too.
async fn said(client: &Client, tool: &str, arguments: Value) -> String {
    let answer = client.call(tool, arguments).await;
    let content = answer.value()["content"].as_str().unwrap_or_else(|| panic!("{}", answer.0)).to_owned();
    assert_eq!(answer.text(0), content);
    content
}

fn folder(stage: &Stage) {
    stage.write("docs/one.md", "first\nsecond\nthird\n");
    stage.write("docs/two.txt", "x".repeat(1536));
    stage.write("docs/deep/three.md", "3");
    stage.write("docs/.hidden", "");
}

#[tokio::test]
async fn files_are_read_as_text() {
    let stage = Stage::new();
    folder(&stage);
    let client = official(&stage);
    for tool in ["read_file", "read_text_file"] {
        assert_eq!(said(&client, tool, json!({ "path": "docs/one.md" })).await, "first\nsecond\nthird\n");
        let whole = stage.root.join("docs/one.md");
        assert_eq!(said(&client, tool, json!({ "path": whole, "head": 1 })).await, "first\n");
        assert_eq!(said(&client, tool, json!({ "path": whole, "tail": 1 })).await, "third\n");
        assert!(!client.call(tool, json!({ "path": whole, "tail": 1, "head": 1 })).await.is_ok());
    }
    assert_eq!(
        client.call("read_file", json!({ "path": "../outside/s.txt" })).await.code(),
        "PATH_OUTSIDE_ROOT"
    );
    let many =
        said(&client, "read_multiple_files", json!({ "paths": ["a/ok.txt", "gone", "docs/deep/three.md"] }))
            .await;
    let parts: Vec<_> = many.split("\n---\n").collect();
    assert_eq!((parts[0], parts[2]), ("a/ok.txt:\nok\n\n", "docs/deep/three.md:\n3\n"));
    assert!(parts[1].starts_with("gone: Error - `gone` does not exist"), "{many}");
}

/// One answer is bounded as a whole, although it takes several calls of our tool.
#[tokio::test]
async fn many_files_share_one_answer() {
    let stage = Stage::new();
    stage.write("big.txt", "0123456789\n".repeat(1_000));
    let many = said(&official(&stage), "read_multiple_files", json!({ "paths": vec!["big.txt"; 200] })).await;
    assert!(many.len() < 5 * 50 * 1024, "{}", many.len());
    let parts: Vec<_> = many.split("\n---\n").collect();
    assert_eq!(parts.len(), 200);
    assert!(parts[17].len() > 11_000 && parts[199].contains("filled the answer"), "{}", parts[199]);
}

#[tokio::test]
async fn what_is_no_text_comes_as_it_is() {
    let stage = Stage::new();
    stage.write("dot.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01");
    stage.write("zeros.bin", [0_u8; 64]);
    let client = official(&stage);
    let answer = client.call("read_media_file", json!({ "path": "dot.png" })).await;
    let item = &answer.value()["content"][0];
    assert_eq!((&item["type"], &item["mimeType"]), (&json!("image"), &json!("image/png")));
    assert_eq!(answer.0["result"]["content"][0], *item);
    let answer = client.call("read_media_file", json!({ "path": "zeros.bin" })).await;
    let item = &answer.value()["content"][0];
    assert_eq!(item["type"], "resource");
    assert!(item["resource"]["blob"].is_string() && item["resource"]["uri"].is_string(), "{item}");
    let answer = client.call("read_media_file", json!({ "path": "a/ok.txt" })).await;
    assert_eq!(answer.value()["content"][0]["resource"]["blob"], "b2sK");
    assert!(!client.call("read_text_file", json!({ "path": "zeros.bin" })).await.is_ok());
}

#[tokio::test]
async fn directories_are_listed_in_its_form() {
    let stage = Stage::new();
    folder(&stage);
    let client = official(&stage);
    let listed = said(&client, "list_directory", json!({ "path": "docs" })).await;
    let mut lines: Vec<_> = listed.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["[DIR] deep", "[FILE] .hidden", "[FILE] one.md", "[FILE] two.txt"]);
    let sized = said(&client, "list_directory_with_sizes", json!({ "path": "docs", "sortBy": "size" })).await;
    assert!(sized.contains(&format!("[FILE] {:<30} {:>10}\n", "two.txt", "1.50 KB")), "{sized}");
    assert!(sized.ends_with("\nTotal: 3 files, 1 directories\nCombined size: 1.52 KB"), "{sized}");
    // The page size of our tools does not limit the result.
    for number in 0..450 {
        stage.write(&format!("many/{number:03}"), "");
    }
    assert_eq!(said(&client, "list_directory", json!({ "path": "many" })).await.lines().count(), 450);
    let all = said(&client, "search_files", json!({ "path": "many", "pattern": "*" })).await;
    assert_eq!(all.lines().count(), 450);
}

#[tokio::test]
async fn a_tree_is_json() {
    let stage = Stage::new();
    folder(&stage);
    let client = official(&stage);
    for path in ["docs", stage.root.join("docs").to_str().unwrap()] {
        let tree =
            said(&client, "directory_tree", json!({ "path": path, "excludePatterns": ["*.txt", ".hidden"] }))
                .await;
        let tree: Value = serde_json::from_str(&tree).unwrap();
        let deep = json!({ "name": "deep", "type": "directory", "children": [{ "name": "three.md", "type": "file" }] });
        assert_eq!(tree, json!([deep, { "name": "one.md", "type": "file" }]));
    }
    stage.write("docs/.d/in/f", "");
    let tree = said(&client, "directory_tree", json!({ "path": "docs/.d" })).await;
    let deep = json!([{ "name": "in", "type": "directory", "children": [{ "name": "f", "type": "file" }] }]);
    assert_eq!(serde_json::from_str::<Value>(&tree).unwrap(), deep);
    stage.write(".d/in/f", "");
    let tree = said(&client, "directory_tree", json!({ "path": ".d" })).await;
    assert_eq!(serde_json::from_str::<Value>(&tree).unwrap(), deep);
    std::fs::remove_dir_all(stage.root.join(".d")).unwrap();
    let tree = said(&client, "directory_tree", json!({ "path": "." })).await;
    assert_eq!(serde_json::from_str::<Value>(&tree).unwrap().as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn files_are_found_by_globs_over_their_paths() {
    let stage = Stage::new();
    folder(&stage);
    let client = official(&stage);
    let root = stage.root.to_str().unwrap();
    let find = |pattern: &str| json!({ "path": "docs", "pattern": pattern });
    assert_eq!(said(&client, "search_files", find("*.md")).await, format!("{root}/docs/one.md"));
    let all = said(&client, "search_files", find("**/*.md")).await;
    let mut lines: Vec<_> = all.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, [format!("{root}/docs/deep/three.md"), format!("{root}/docs/one.md")]);
    assert_eq!(said(&client, "search_files", find("*.rs")).await, "No matches found");
}

#[tokio::test]
async fn files_and_roots_are_described() {
    let stage = Stage::new();
    let client = official(&stage);
    let info = said(&client, "get_file_info", json!({ "path": "a/ok.txt" })).await;
    for line in ["size: 3", "isDirectory: false", "isFile: true"] {
        assert!(info.lines().any(|other| other == line), "{info}");
    }
    assert!(
        info.lines().any(|line| line.starts_with("modified: ")) && info.contains("permissions: 6"),
        "{info}"
    );
    let roots = said(&client, "list_allowed_directories", json!({})).await;
    assert_eq!(roots, format!("Allowed directories:\n{}", stage.root.display()));
}

#[tokio::test]
async fn files_are_written_edited_and_moved() {
    let stage = Stage::new();
    let journal = Some(stage.open_folder("journal"));
    let client = stage.start(Setup { compat: Some(Compat::Official), journal, ..stage.setup() });
    let at = |inner: &str| stage.root.join(inner);
    let text = |inner: &str| std::fs::read_to_string(stage.root.join(inner)).unwrap();

    let words = said(&client, "create_directory", json!({ "path": "new/deep" })).await;
    assert_eq!(words, "Successfully created directory new/deep");
    assert!(at("new/deep").is_dir());
    // Creating an existing directory succeeds; a file in its place is an error.
    said(&client, "create_directory", json!({ "path": "new/deep" })).await;
    assert!(!client.call("create_directory", json!({ "path": "a/ok.txt" })).await.is_ok());

    let write = json!({ "path": "new/f.txt", "content": "one\ntwo\n" });
    assert!(client.preview("write_file", write.clone()).await.is_ok());
    assert!(!at("new/f.txt").exists());
    let answer = client.call("write_file", write).await;
    assert_eq!(answer.text(0), "Successfully wrote to new/f.txt");
    assert_eq!(answer.0["result"]["_meta"]["dev.overt/diff"]["changes"][0]["kind"], "created");
    assert_eq!(text("new/f.txt"), "one\ntwo\n");

    let edit = |dry: bool| json!({ "path": "new/f.txt", "edits": [{ "oldText": "two", "newText": "2" }], "dryRun": dry });
    let shown =
        "```diff\n--- new/f.txt\toriginal\n+++ new/f.txt\tmodified\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n```\n\n";
    assert_eq!(said(&client, "edit_file", edit(true)).await, shown);
    assert_eq!(text("new/f.txt"), "one\ntwo\n");
    assert_eq!(said(&client, "edit_file", edit(false)).await, shown);
    assert_eq!(text("new/f.txt"), "one\n2\n");
    assert_eq!(client.call("edit_file", edit(false)).await.code(), "FIND_NOT_FOUND");

    let words =
        said(&client, "move_file", json!({ "source": "new/f.txt", "destination": "new/g.txt" })).await;
    assert_eq!(words, "Successfully moved new/f.txt to new/g.txt");
    assert_eq!(text("new/g.txt"), "one\n2\n");
    let taken = client.call("move_file", json!({ "source": "a/ok.txt", "destination": "new/g.txt" })).await;
    assert!(!taken.is_ok(), "{}", taken.0);
    let outside = client.call("write_file", json!({ "path": "../outside/s.txt", "content": "" })).await;
    assert_eq!(outside.code(), "PATH_OUTSIDE_ROOT");
}

#[tokio::test]
async fn it_has_its_tools() {
    let stage = Stage::new();
    let list = official(&stage).send("tools/list", json!({})).await;
    let names: Vec<_> = list.0["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    let expected = [
        "read_file",
        "read_text_file",
        "read_media_file",
        "read_multiple_files",
        "create_directory",
        "write_file",
        "edit_file",
        "list_directory",
        "list_directory_with_sizes",
        "directory_tree",
        "move_file",
        "search_files",
        "get_file_info",
        "list_allowed_directories",
    ];
    assert_eq!(names, expected);
}
