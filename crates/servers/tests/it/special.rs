//! FS-13 to FS-16: special files, and huge ones.
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode};
use serde_json::json;

use super::paths::refused;
use super::stage::Stage;

#[tokio::test]
async fn fs_13_a_pipe_makes_nobody_wait() {
    let stage = Stage::new();
    rustix::fs::mknodat(CWD, stage.root.join("p"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    stage.link("link", "p");
    let client = stage.client();
    // More calls than there are workers: none of the workers may block.
    for _ in 0..40 {
        for path in ["p", "link"] {
            let read = client.call("read_file", json!({ "path": path }));
            let answer = tokio::time::timeout(Duration::from_secs(20), read).await.unwrap();
            assert_eq!(answer.code(), "NOT_A_FILE");
            assert!(answer.text(0).contains("a pipe"), "{}", answer.text(0));
        }
    }
    let info = client.call("get_file_info", json!({ "path": "p" })).await;
    assert_eq!(info.value()["type"], "other");
    assert!(client.call("read_file", json!({ "path": "a/ok.txt" })).await.is_ok());
}

#[tokio::test]
async fn fs_14_sockets_and_devices_are_not_opened() {
    let stage = Stage::new();
    let _socket = std::os::unix::net::UnixListener::bind(stage.root.join("sock")).unwrap();
    let client = stage.client();
    let answer = client.call("read_file", json!({ "path": "sock" })).await;
    assert!(!answer.is_ok(), "{}", answer.0);
    assert_eq!(client.call("get_file_info", json!({ "path": "sock" })).await.value()["type"], "other");
    // Creating a device needs privileges, so the test uses `/dev` as a root.
    let devices = stage.start(super::stage::Setup { roots: vec!["/dev".into()], ..stage.setup() });
    for name in ["zero", "null", "tty", "full"] {
        if fs::metadata(format!("/dev/{name}")).is_err() {
            continue;
        }
        let read = devices.call("read_file", json!({ "path": name }));
        let answer = tokio::time::timeout(Duration::from_secs(20), read).await.unwrap();
        assert!(
            ["NOT_A_FILE", "IO_ERROR", "PERMISSION_DENIED", "PATH_NOT_ALLOWED"].contains(&answer.code()),
            "{}",
            answer.0
        );
    }
}

/// Returns the peak memory of the process, in KiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn fs_15_a_file_of_one_terabyte_costs_nothing() {
    let stage = Stage::new();
    let holes = File::create(stage.root.join("holes")).unwrap();
    holes.set_len(1 << 40).unwrap();
    let text = File::create(stage.root.join("text")).unwrap();
    text.set_len(1 << 40).unwrap();
    text.write_all_at(&b"line\n".repeat(4_000), 0).unwrap();
    text.write_all_at(b"\nlast\n", (1 << 40) - 6).unwrap();
    let client = stage.client();
    let before = resident();
    let answer = client.call("read_file", json!({ "path": "holes", "binary": true })).await;
    assert_eq!(answer.code(), "FILE_TOO_LARGE");
    assert!(answer.text(0).contains("1099511627776"), "{}", answer.text(0));
    let answer = client.call("read_file", json!({ "path": "text" })).await;
    let value = answer.value();
    assert_eq!((&value["truncated"], &value["count"]), (&json!(true), &json!(2_000)));
    assert_eq!((&value["total_lines"], &value["size"]), (&json!(null), &json!(1_u64 << 40)));
    let answer = client.call("read_file", json!({ "path": "text", "tail": 1 })).await;
    assert_eq!(answer.text(0), "last\n");
    assert_eq!(
        client.call("get_file_info", json!({ "path": "text" })).await.value()["total_lines"],
        json!(null)
    );
    assert!(resident() - before < 64 << 10, "{} KiB", resident() - before);
}

#[tokio::test]
async fn fs_16_a_file_that_grows_has_an_end() {
    let stage = Stage::new();
    let path = stage.write("log", "line\n".repeat(100));
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = std::thread::spawn({
        let is_over = Arc::clone(&is_over);
        move || {
            let mut file = File::options().append(true).open(path).unwrap();
            let block = b"more\n".repeat(4_000);
            // Bounded, so that a slow reader does not fill the disk.
            for _ in 0..2_000 {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                file.write_all(&block).unwrap();
            }
        }
    });
    let client = stage.client();
    for arguments in [json!({ "path": "log" }), json!({ "path": "log", "tail": 3 })] {
        let answer = client.call("read_file", arguments).await;
        let value = answer.value();
        let size = usize::try_from(value["size"].as_u64().unwrap()).unwrap();
        assert!(answer.text(0).len() <= size.min(50 << 10));
    }
    is_over.store(true, Ordering::Relaxed);
    writer.join().unwrap();
}

/// B-17: reading one line of a large file does not load the whole file.
#[tokio::test]
async fn b_17_one_line_of_200_mb() {
    let stage = Stage::new();
    let file = File::create(stage.root.join("big")).unwrap();
    let block = b"0123456789abcdef0123456789abcde\n".repeat(1 << 15);
    for index in 0..32 {
        file.write_all_at(&block, index * (1 << 20)).unwrap();
    }
    file.set_len(200 << 20).unwrap();
    let client = stage.client();
    let before = resident();
    let answer = client.call("read_file", json!({ "path": "big", "limit": 1 })).await;
    assert_eq!(answer.value()["content"], "0123456789abcdef0123456789abcde\n");
    let answer =
        client.call("read_file", json!({ "path": "big", "start_line": 1_000_000, "limit": 1 })).await;
    assert_eq!(answer.value()["start_line"], 1_000_000);
    assert!(resident() - before < 32 << 10, "{} KiB", resident() - before);
}

/// B-16: errors of reading say in words what is wrong.
#[tokio::test]
async fn b_22_what_can_t_be_read_says_why() {
    let stage = Stage::new();
    let client = stage.client();
    refused(&client, "nothing", "FILE_NOT_FOUND").await;
    let answer = client.call("read_file", json!({ "path": "a" })).await;
    assert_eq!(answer.code(), "NOT_A_FILE");
    assert!(
        answer.text(0).contains("`a`") && answer.text(0).contains("list_directory"),
        "{}",
        answer.text(0)
    );
}
