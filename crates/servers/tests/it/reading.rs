//! What the reading tools give.
use serde_json::{Value, json};

use super::stage::{Setup, Stage};

#[tokio::test]
async fn a_file_is_given_as_it_is() {
    let stage = Stage::new();
    stage.write("crlf.txt", "one\r\ntwo\r\nthree");
    let client = stage.client();
    let answer = client.call("read_file", json!({ "path": "crlf.txt" })).await;
    assert_eq!(answer.text(0), "one\r\ntwo\r\nthree");
    assert_eq!(
        answer.value(),
        &json!({
            "path": "crlf.txt", "content": "one\r\ntwo\r\nthree", "start_line": 1, "count": 3, "total": 3,
            "truncated": false, "truncated_reason": null, "next_start_line": null, "encoding": "utf-8",
            "line_ending": "crlf", "mime_type": "text/plain", "size": 15,
        })
    );
}

/// Some clients show a model `content`, others `structuredContent`: with the settings as they are by default both have the text.
#[tokio::test]
async fn whoever_reads_one_half_of_an_answer_has_the_text() {
    let stage = Stage::new();
    let line = format!("{}\n", "x".repeat(99));
    stage.write("long.txt", line.repeat(1_000));
    let answer = stage.client().call("read_file", json!({ "path": "long.txt" })).await;
    assert_eq!((answer.text(0).len(), &answer.value()["truncated_reason"]), (51_200, &json!("bytes")));
    assert_eq!(answer.value()["content"], answer.text(0));
}

#[tokio::test]
async fn lines_are_chosen_and_what_is_missing_is_told() {
    let stage = Stage::new();
    let lines: Vec<String> = (1..=5_000).map(|number| format!("line {number}\n")).collect();
    stage.write("long.txt", lines.concat());
    let client = stage.client();
    let read = async |more: Value| {
        let mut arguments = json!({ "path": "long.txt" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.call("read_file", arguments).await
    };
    let answer = read(json!({})).await;
    let value = answer.value();
    assert_eq!((&value["count"], &value["total"]), (&json!(2_000), &json!(5_000)));
    assert_eq!((&value["truncated_reason"], &value["next_start_line"]), (&json!("limit"), &json!(2_001)));
    assert_eq!(answer.text(1), "[These are lines 1 to 2000 of 5000; go on with `start_line` 2001.]");
    let answer = read(json!({ "start_line": 4_999, "limit": 10 })).await;
    assert_eq!(answer.text(0), "line 4999\nline 5000\n");
    assert_eq!(
        (&answer.value()["truncated"], answer.0["result"]["content"].as_array().unwrap().len()),
        (&json!(false), 1)
    );
    let answer = read(json!({ "tail": 2 })).await;
    assert_eq!((answer.text(0), &answer.value()["start_line"]), ("line 4999\nline 5000\n", &json!(4_999)));
    let answer = read(json!({ "start_line": 5_001 })).await;
    assert_eq!(answer.code(), "LINE_OUT_OF_RANGE");
    assert!(answer.text(0).contains("5000 lines"), "{}", answer.text(0));
    // B-21: what is no number of lines is an error and nothing else.
    for wrong in [
        json!({ "limit": 0 }),
        json!({ "limit": 4_294_967_296_u64 }),
        json!({ "start_line": 0 }),
        json!({ "start_line": -1 }),
        json!({ "start_line": "1" }),
        json!({ "tail": 0 }),
        json!({ "tail": 1, "limit": 1 }),
        json!({ "head": 3 }),
    ] {
        assert_eq!(read(wrong.clone()).await.code(), "INVALID_ARGUMENTS", "{wrong}");
    }
    let answer = read(json!({ "limit": 4_294_967_296_u64 })).await;
    assert!(answer.text(0).contains("limit"), "{}", answer.text(0));
    let small = stage.with(json!({ "read_max_bytes": 100, "read_max_line_bytes": 5 }));
    let answer = small.call("read_file", json!({ "path": "long.txt", "limit": 2 })).await;
    assert_eq!(
        (answer.text(0), &answer.value()["truncated_reason"]),
        ("line \nline \n", &json!("line_bytes"))
    );
    let small = stage.with(json!({ "read_max_bytes": 100 }));
    let answer = small.call("read_file", json!({ "path": "long.txt" })).await;
    assert_eq!(
        (&answer.value()["truncated_reason"], &answer.value()["count"]),
        (&json!("bytes"), &json!(13))
    );
}

/// B-22: what is no text comes as what it is, and it is said what that is.
#[tokio::test]
async fn b_22_pictures_sounds_and_bytes_are_typed() {
    let stage = Stage::new();
    stage.write("p.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    stage.write("s.wav", b"RIFF\x04\0\0\0WAVEfmt ");
    stage.write("latin.txt", b"caf\xe9\n");
    stage.write("utf16.txt", b"\xff\xfeh\0i\0\n\0");
    stage.write("doc.pdf", b"%PDF-1.7\n");
    let client = stage.client();
    let read = async |path: &str| client.call("read_file", json!({ "path": path })).await;
    for (path, kind, mime_type) in [("p.txt", "image", "image/png"), ("s.wav", "audio", "audio/wav")] {
        let answer = read(path).await;
        let item = &answer.0["result"]["content"][1];
        assert_eq!((&item["type"], &item["mimeType"]), (&json!(kind), &json!(mime_type)));
        assert_eq!(
            (&answer.value()["mime_type"], &answer.value()["content"]),
            (&json!(mime_type), &json!(null))
        );
    }
    for (path, mime_type) in [("latin.txt", "application/octet-stream"), ("doc.pdf", "application/pdf")] {
        let answer = read(path).await;
        let item = &answer.0["result"]["content"][1];
        assert_eq!((&item["type"], &item["resource"]["mimeType"]), (&json!("resource"), &json!(mime_type)));
        assert!(answer.text(0).contains(mime_type), "{}", answer.text(0));
    }
    let answer = read("utf16.txt").await;
    assert_eq!((answer.text(0), &answer.value()["encoding"]), ("hi\n", &json!("utf-16le")));
    let small = stage.with(json!({ "media_max_bytes": 4 }));
    let answer = small.call("read_file", json!({ "path": "p.txt" })).await;
    assert_eq!(answer.code(), "FILE_TOO_LARGE");
    assert!(answer.text(0).contains("image/png"), "{}", answer.text(0));
}

#[tokio::test]
async fn several_files_come_with_what_is_wrong_with_each() {
    let stage = Stage::new();
    stage.write("b.txt", "b\n");
    stage.link("out", "../outside/s.txt");
    let client = stage.client();
    let paths = ["a/ok.txt", "none", "out", "a", "b.txt"];
    let answer = client.call("read_multiple_files", json!({ "paths": paths })).await;
    let value = answer.value();
    assert_eq!((&value["count"], &value["failed"]), (&json!(2), &json!(3)));
    let codes: Vec<&Value> =
        value["files"].as_array().unwrap().iter().map(|file| &file["error"]["code"]).collect();
    assert_eq!(json!(codes), json!([null, "FILE_NOT_FOUND", "PATH_OUTSIDE_ROOT", "NOT_A_FILE", null]));
    assert_eq!(value["files"][4]["file"]["content"], "b\n");
    for wrong in [json!({ "paths": [] }), json!({ "paths": vec!["a"; 51] }), json!({ "paths": "a" })] {
        assert_eq!(client.call("read_multiple_files", wrong).await.code(), "INVALID_ARGUMENTS");
    }
    // The answer has an end, whatever is asked for.
    stage.write("big.txt", "0123456789\n".repeat(10_000));
    stage.write("big.bin", vec![0_u8; 60_000]);
    stage.write("empty", "");
    let client = stage.with(json!({ "media_max_bytes": "100KiB" }));
    let mut paths = vec!["big.txt"; 46];
    paths.extend(["big.bin", "big.bin", "empty", "a/ok.txt"]);
    let answer = client.call("read_multiple_files", json!({ "paths": paths })).await;
    let files = answer.value()["files"].as_array().unwrap();
    let texts = files.iter().filter_map(|entry| entry["file"]["content"].as_str());
    // A line that fills its room still ends.
    assert!(texts.map(str::len).sum::<usize>() <= 4 * 50 * 1024 + paths.len());
    let full = |index: usize| files[index]["error"]["code"] == "ANSWER_FULL";
    // Text has no part in the room of what is no text.
    assert!(full(45) && !full(46) && full(47) && !full(48) && full(49), "{files:?}");
}

#[tokio::test]
async fn the_roots_and_what_holds_in_them() {
    let stage = Stage::new();
    let second = stage.open_folder("second");
    let regions = json!([{ "path": stage.root, "deny": ["secrets/**"], "default": true }, second]);
    let client = stage.start(Setup {
        roots: vec![stage.root.clone(), second.clone()],
        settings: json!({ "roots": regions, "hidden": ["*.key"] }),
        ..stage.setup()
    });
    let answer = client.call("list_roots", json!({})).await;
    let value = answer.value();
    assert_eq!(value["roots"][0]["path"], json!(stage.root));
    assert_eq!((&value["roots"][0]["default"], &value["roots"][1]["default"]), (&json!(true), &json!(false)));
    assert_eq!(value["roots"][0]["rules"][0]["deny"], json!(["secrets/**"]));
    assert_eq!(value["hidden"], json!(["*.key"]));
    assert!(value["sandbox"].is_string());
    assert_eq!(value["roots"][0]["writable"], true);
    let client = client.saying(json!({ "policy": { "read_only": true } }));
    assert_eq!(client.call("list_roots", json!({})).await.value()["roots"][0]["writable"], false);
}

#[tokio::test]
async fn what_stands_at_a_path() {
    let stage = Stage::new();
    stage.write("t.txt", "one\ntwo\n");
    let client = stage.with(json!({ "immutable": ["t.*"] }));
    let about =
        async |path: &str| client.call("get_file_info", json!({ "path": path })).await.value().clone();
    let file = about("t.txt").await;
    for (name, wanted) in [
        ("path", json!("t.txt")),
        ("type", json!("file")),
        ("size", json!(8)),
        ("lines", json!(2)),
        ("encoding", json!("utf-8")),
        ("links", json!(1)),
        ("writable", json!(false)),
    ] {
        assert_eq!(file[name], wanted, "{name}");
    }
    assert!(file["modified"].as_str().unwrap().ends_with('Z'));
    let folder = about("a").await;
    assert_eq!(
        (&folder["type"], &folder["mime_type"], &folder["writable"]),
        (&json!("directory"), &json!(null), &json!(true))
    );
    assert_eq!(about(".").await["path"], ".");
    assert_eq!(about(stage.root.to_str().unwrap()).await["type"], "directory");
}
