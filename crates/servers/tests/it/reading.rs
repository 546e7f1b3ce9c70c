//! Results of the reading tools.
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
            "path": "crlf.txt", "content": "one\r\ntwo\r\nthree", "start_line": 1, "count": 3, "total_lines": 3,
            "truncated": false, "encoding": "utf-8", "line_ending": "crlf", "mime_type": "text/plain", "size": 15,
            "etag": "s-ae43f8212c906ca7",
        })
    );
}

/// G-05: a text of up to 20,000 bytes is in both parts of the answer, because some clients show a
/// model only one of them. A longer text is sent once.
#[tokio::test]
async fn g_05_a_long_text_is_sent_once() {
    let stage = Stage::new();
    let line = format!("{}\n", "x".repeat(99));
    stage.write("long.txt", line.repeat(1_000));
    let answer = stage.client().call("read_file", json!({ "path": "long.txt" })).await;
    assert_eq!((answer.text(0).len(), &answer.value()["truncated_reason"]), (51_200, &json!("bytes")));
    assert_eq!(answer.value()["content"], Value::Null);
    let short = json!({ "path": "long.txt", "limit": 200 });
    let answer = stage.client().call("read_file", short).await;
    assert_eq!((answer.text(0).len(), &answer.value()["content"]), (20_000, &json!(answer.text(0))));
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
    assert_eq!((&value["count"], &value["total_lines"]), (&json!(2_000), &json!(5_000)));
    assert_eq!((&value["truncated_reason"], &value["next_start_line"]), (&json!("limit"), &json!(2_001)));
    assert_eq!(answer.text(1), "[This is lines 1 to 2000 of 5000; continue with `start_line` 2001.]");
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
    // B-21: a value that is not a valid number of lines is an error.
    for wrong in [
        json!({ "limit": 0 }),
        json!({ "start_line": 0 }),
        json!({ "start_line": -1 }),
        json!({ "start_line": "one" }),
        json!({ "tail": 0 }),
        json!({ "tail": 1, "limit": 1 }),
        json!({ "foot": 3 }),
    ] {
        assert_eq!(read(wrong.clone()).await.code(), "INVALID_ARGUMENTS", "{wrong}");
    }
    let answer = read(json!({ "limit": -1 })).await;
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

/// B-22: binary files are returned with their type.
#[tokio::test]
async fn b_22_pictures_sounds_and_bytes_are_typed() {
    let stage = Stage::new();
    stage.write("p.txt", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    stage.write("s.wav", b"RIFF\x04\0\0\0WAVEfmt ");
    stage.write("latin.txt", b"caf\xe9\n");
    let late = [&b"ascii\n".repeat(3_000)[..], b"caf\xe9\n"].concat();
    stage.write("late.txt", late);
    stage.write("raw.bin", b"caf\xe9\0\n");
    stage.write("utf16.txt", b"\xff\xfeh\0i\0\n\0");
    stage.write("doc.pdf", b"%PDF-1.7\n");
    let client = stage.client();
    let read = async |path: &str| client.call("read_file", json!({ "path": path })).await;
    let bytes = async |path: &str| client.call("read_file", json!({ "path": path, "binary": true })).await;
    for (path, kind, mime_type) in [("p.txt", "image", "image/png"), ("s.wav", "audio", "audio/wav")] {
        let answer = bytes(path).await;
        let item = &answer.0["result"]["content"][1];
        assert_eq!((&item["type"], &item["mimeType"]), (&json!(kind), &json!(mime_type)));
        assert_eq!(
            (&answer.value()["mime_type"], &answer.value()["content"]),
            (&json!(mime_type), &json!(null))
        );
    }
    for (path, mime_type) in [("raw.bin", "application/octet-stream"), ("doc.pdf", "application/pdf")] {
        // I-15: the file is described, and its bytes are returned only on request.
        let described = read(path).await;
        assert_eq!(described.0["result"]["content"].as_array().unwrap().len(), 1, "{described:?}");
        assert!(described.text(0).contains("Set `binary` to true"), "{described:?}");
        assert_eq!(
            (&described.value()["mime_type"], &described.value()["truncated"]),
            (&json!(mime_type), &json!(true))
        );
        let answer = bytes(path).await;
        let item = &answer.0["result"]["content"][1];
        assert_eq!((&item["type"], &item["resource"]["mimeType"]), (&json!("resource"), &json!(mime_type)));
        assert!(answer.text(0).contains(mime_type), "{}", answer.text(0));
    }
    let answer = read("utf16.txt").await;
    assert_eq!((answer.text(0), &answer.value()["encoding"]), ("hi\n", &json!("utf-16le")));
    // I-15: Latin-1 is text, even if the first bytes don't show it.
    let answer = read("latin.txt").await;
    assert_eq!((answer.text(0), &answer.value()["encoding"]), ("café\n", &json!("windows-1252")));
    let answer = client.call("read_file", json!({ "path": "late.txt", "tail": 1 })).await;
    assert_eq!((answer.text(0), &answer.value()["encoding"]), ("café\n", &json!("windows-1252")));
    let small = stage.with(json!({ "media_max_bytes": 4 }));
    let answer = small.call("read_file", json!({ "path": "p.txt", "binary": true })).await;
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
    for wrong in [json!({ "paths": [] }), json!({ "paths": vec!["a"; 51] }), json!({ "paths": 7 })] {
        assert_eq!(client.call("read_multiple_files", wrong).await.code(), "INVALID_ARGUMENTS");
    }
    // The answer is bounded, whatever the arguments.
    stage.write("big.txt", "0123456789\n".repeat(10_000));
    stage.write("big.bin", vec![0_u8; 60_000]);
    stage.write("empty", "");
    let client = stage.with(json!({ "media_max_bytes": "100KiB" }));
    let mut paths = vec!["big.txt"; 46];
    paths.extend(["big.bin", "big.bin", "empty", "a/ok.txt"]);
    let answer = client.call("read_multiple_files", json!({ "paths": paths })).await;
    let files = answer.value()["files"].as_array().unwrap();
    let texts = files.iter().filter_map(|entry| entry["file"]["content"].as_str());
    // A line that fills the room still gets its line break.
    assert!(texts.map(str::len).sum::<usize>() <= 4 * 50 * 1024 + paths.len());
    let full = |index: usize| files[index]["error"]["code"] == "ANSWER_FULL";
    // A file that is only described takes no room.
    assert!(full(45) && !full(46) && !full(47) && !full(48) && full(49), "{files:?}");
    // G-08: if no file could be read, the call fails.
    let none = client.call("read_multiple_files", json!({ "paths": ["none", "neither"] })).await;
    assert_eq!(none.code(), "FILE_NOT_FOUND");
    assert!(none.text(0).contains("`neither` does not exist"), "{}", none.text(0));
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
        ("total_lines", json!(2)),
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
