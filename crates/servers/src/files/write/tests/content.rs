//! Tests of `write_file`, `edit_file` and `create_directory`.
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use serde_json::{Value, json};

use super::stage::{Stage, mode};

#[tokio::test]
async fn a_file_is_created_replaced_and_added_to() {
    let stage = Stage::new();
    let write = |arguments: Value| stage.call("write_file", arguments);
    let made = write(json!({"path": "a.txt", "content": "one\n"})).await;
    assert_eq!(made.ok()["path"], "a.txt");
    assert_eq!((&made.ok()["created"], &made.ok()["size"]), (&json!(true), &json!(4)));
    write(json!({"path": "a.txt", "content": "two\n", "mode": "append"})).await.ok();
    let last = write(json!({"path": "a.txt", "content": "zero\n", "mode": "prepend"})).await;
    assert_eq!((&last.ok()["created"], &last.ok()["size"]), (&json!(false), &json!(13)));
    assert_eq!(stage.read("a.txt"), "zero\none\ntwo\n");
    write(json!({"path": "a.txt", "content": "new"})).await.ok();
    assert_eq!(stage.read("a.txt"), "new");
    let create = write(json!({"path": "a.txt", "content": "x", "mode": "create"})).await;
    assert_eq!(create.code(), "TARGET_EXISTS");
    for mode in ["append", "prepend", "create"] {
        write(json!({"path": format!("{mode}.txt"), "content": "x", "mode": mode})).await.ok();
        assert_eq!(stage.read(&format!("{mode}.txt")), "x");
    }
    assert_eq!(
        write(json!({"path": "no/a.txt", "content": "x", "create_parents": false})).await.code(),
        "FILE_NOT_FOUND"
    );
    assert!(!stage.has("no"));
    // I-15: without `create_parents`, missing folders are created.
    write(json!({"path": "no/more/a.txt", "content": "x"})).await.ok();
    assert_eq!(stage.read("no/more/a.txt"), "x");
    write(json!({"path": "no/more/a.txt", "content": "y", "create_parents": true})).await.ok();
    assert_eq!(stage.read("no/more/a.txt"), "y");
    assert_eq!(
        write(json!({"path": "a.txt/b", "content": "x", "create_parents": true})).await.code(),
        "NOT_A_DIRECTORY"
    );
    assert_eq!(write(json!({"path": "no", "content": "x"})).await.code(), "NOT_A_FILE");
    assert_eq!(write(json!({"path": ".", "content": "x"})).await.code(), "PATH_IS_ROOT");
}

/// FS-33, B-10: bytes that are not text stay unchanged.
#[tokio::test]
async fn b_10_fs_33_bytes_that_are_no_text_stay() {
    let stage = Stage::new();
    let binary: Vec<u8> = (0..=255).cycle().take(1024).collect();
    stage.write("b", &binary);
    stage.call("write_file", json!({"path": "b", "content": "tail", "mode": "append"})).await.ok();
    assert_eq!(fs::read(stage.root.join("b")).unwrap(), [&*binary, b"tail"].concat());
    stage.call("write_file", json!({"path": "b", "content": "head", "mode": "prepend"})).await.ok();
    assert_eq!(fs::read(stage.root.join("b")).unwrap(), [b"head", &*binary, b"tail"].concat());
    let edit =
        stage.call("edit_file", json!({"path": "b", "edits": [{"find": "tail", "replace": ""}]})).await;
    assert_eq!(edit.code(), "NOT_TEXT");
    assert_eq!(fs::read(stage.root.join("b")).unwrap().len(), 1032);
    // UTF-16 stays UTF-16 and is not mixed with other encodings.
    let wide = |text: &str| {
        [&b"\xff\xfe"[..], &text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()].concat()
    };
    for (mode, wanted) in [("append", "a\r\nx\r\n"), ("prepend", "x\r\na\r\n"), ("overwrite", "x\r\n")] {
        stage.write("w", wide("a\r\n"));
        stage.call("write_file", json!({"path": "w", "content": "x\n", "mode": mode})).await.ok();
        assert_eq!(fs::read(stage.root.join("w")).unwrap(), wide(wanted), "{mode}");
    }
    for mode in ["append", "overwrite"] {
        stage.write("w", b"\xff\xfe\0\0a\0\0\0");
        let refused = stage.call("write_file", json!({"path": "w", "content": "x", "mode": mode})).await;
        assert_eq!(refused.code(), "NOT_TEXT", "{mode}");
    }
}

/// I-11: line endings can be changed without any other change.
#[tokio::test]
async fn i_11_line_endings_can_be_converted() {
    let stage = Stage::new();
    stage.write("c", "\u{feff}one\r\ntwo\r\n");
    let made = stage.call("write_file", json!({"path": "c", "content": "one\ntwo\n"})).await;
    assert_eq!((&made.ok()["line_ending"], &made.ok()["line_ending_adapted"]), (&json!("lf"), &json!(false)));
    assert_eq!(stage.read("c"), "\u{feff}one\ntwo\n");
    stage.call("revert_change", json!({"change": made.change()})).await.ok();
    let edits = json!([{"find": "\r\n", "replace": "\n", "expected_count": 2}]);
    stage.call("edit_file", json!({"path": "c", "edits": edits})).await.ok();
    assert_eq!(stage.read("c"), "\u{feff}one\ntwo\n");
    let edits = json!([{"find": "\n", "replace": "\r\n", "expected_count": 2}]);
    stage.call("edit_file", json!({"path": "c", "edits": edits})).await.ok();
    assert_eq!(stage.read("c"), "\u{feff}one\r\ntwo\r\n");
}

/// I-02: if a text occurs more often than one edit replaces, none of it is replaced.
#[tokio::test]
async fn i_02_a_count_is_never_cut() {
    let stage = Stage::new();
    stage.write("x", "x\n".repeat(20_000));
    for expected in [json!(null), json!(10_000)] {
        let edits = json!([{"find": "x", "replace": "y", "expected_count": expected}]);
        let refused = stage.call("edit_file", json!({"path": "x", "edits": edits})).await;
        assert_eq!(refused.code(), "FIND_NOT_UNIQUE");
        assert!(refused.text().contains("20000 times"), "{}", refused.text());
    }
    assert_eq!(stage.read("x"), "x\n".repeat(20_000));
}

/// I-04: set-user-id, set-group-id and capabilities don't pass to new content.
#[tokio::test]
async fn i_04_new_content_has_no_rights_of_the_old() {
    let stage = Stage::new();
    let capability = b"\x01\0\0\x02\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    for (tool, arguments) in [
        ("write_file", json!({"path": "x", "content": "new"})),
        ("write_file", json!({"path": "x", "content": "new", "mode": "append"})),
        ("edit_file", json!({"path": "x", "edits": [{"find": "old", "replace": "new"}]})),
        ("copy_file", json!({"from": "x", "to": "y"})),
    ] {
        let path = stage.write("x", "old");
        let file = fs::File::open(&path).unwrap();
        // Only root may do this; the other checks don't need it.
        let name = "security.capability";
        let _ = rustix::fs::fsetxattr(&file, name, capability, rustix::fs::XattrFlags::empty());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o6755)).unwrap();
        let change = stage.call(tool, arguments.clone()).await.change();
        let made = if tool == "copy_file" { stage.root.join("y") } else { path.clone() };
        let check = |when: &str| {
            assert_eq!(mode(&made), 0o755, "{tool} {when}");
            let has = rustix::fs::fgetxattr(fs::File::open(&made).unwrap(), name, &mut [0_u8; 64][..]);
            assert!(has.is_err(), "{tool} {when}");
        };
        check("made");
        stage.call("revert_change", json!({"change": change})).await.ok();
        if tool != "copy_file" {
            check("undone");
        }
        let _ = fs::remove_file(&path);
    }
}

/// I-11: a plan is bound to the mode that was shown.
#[tokio::test]
async fn i_11_a_plan_is_bound_to_the_mode() {
    let stage = Stage::new();
    let path = stage.write("x", "old");
    let arguments = json!({"path": "x", "content": "new"});
    let shown =
        stage.preview("write_file", arguments.clone()).await.0["result"]["_meta"]["dev.overt/plan"].clone();
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), modified);
    let stale = stage.call_with("write_file", arguments, json!({"dev.overt/plan": shown})).await;
    assert!(stale.is_error() && stage.read("x") == "old", "{}", stale.0);
}

/// I-11: a file with many attributes is edited and keeps all of them.
#[tokio::test]
async fn i_11_many_attributes_stay() {
    let stage = Stage::on(tempfile::tempdir_in("/dev/shm").unwrap(), &[], json!({}));
    let path = stage.write("x", "old");
    let file = fs::File::open(&path).unwrap();
    let names: Vec<String> = (0..60).map(|number| format!("user.{}-{number}", "n".repeat(40))).collect();
    for name in &names {
        rustix::fs::fsetxattr(&file, name, b"v", rustix::fs::XattrFlags::empty()).unwrap();
    }
    let edits = json!([{"find": "old", "replace": "new"}]);
    stage.call("edit_file", json!({"path": "x", "edits": edits})).await.ok();
    let file = fs::File::open(&path).unwrap();
    for name in &names {
        assert_eq!(rustix::fs::fgetxattr(&file, name, &mut [0_u8; 8][..]), Ok(1), "{name}");
    }
}

/// I-11: directories are created only as deep as can be undone.
#[tokio::test]
async fn i_11_what_is_made_can_be_undone() {
    let stage = Stage::new();
    let deep = |levels: usize| vec!["d"; levels].join("/");
    for (tool, extra) in [("create_directory", ""), ("write_file", "/f")] {
        let arguments = |levels| {
            let mut arguments = json!({"path": deep(levels) + extra, "create_parents": true});
            if tool == "write_file" {
                arguments["content"] = json!("x");
            }
            arguments
        };
        assert_eq!(stage.call(tool, arguments(257)).await.code(), "FILE_TOO_LARGE", "{tool}");
        assert!(!stage.has("d"));
        let change = stage.call(tool, arguments(255)).await.change();
        stage.call("revert_change", json!({"change": change})).await.ok();
        assert!(!stage.has("d"), "{tool}");
    }
}

/// FS-33: a file that is too large to be edited can still be appended to.
#[tokio::test]
async fn fs_33_large_files_are_added_to() {
    let stage = Stage::with(json!({"edit_max_bytes": 10}));
    let large = format!("\u{feff}{}", "x".repeat(300_000));
    stage.write("l", &large);
    let edit = stage.call("edit_file", json!({"path": "l", "edits": [{"find": "x", "replace": ""}]})).await;
    assert_eq!(edit.code(), "FILE_TOO_LARGE");
    stage.call("write_file", json!({"path": "l", "content": "end", "mode": "append"})).await.ok();
    let made = stage.call("write_file", json!({"path": "l", "content": "start", "mode": "prepend"})).await;
    assert_eq!(stage.read("l"), format!("\u{feff}start{}end", "x".repeat(300_000)));
    stage.call("revert_change", json!({"change": made.change()})).await.ok();
    assert_eq!(stage.read("l"), format!("{large}end"));
}

/// FS-33, B-13: the line endings and the byte-order mark of a file stay.
#[tokio::test]
async fn b_13_fs_33_endings_and_marks_stay() {
    let stage = Stage::new();
    stage.write("c", "\u{feff}one\r\ntwo\r\n");
    let made =
        stage.call("write_file", json!({"path": "c", "content": "three\nfour\n", "mode": "append"})).await;
    assert_eq!(
        (&made.ok()["line_ending"], &made.ok()["line_ending_adapted"]),
        (&json!("crlf"), &json!(true))
    );
    stage.call("write_file", json!({"path": "c", "content": "zero\n", "mode": "prepend"})).await.ok();
    assert_eq!(stage.read("c"), "\u{feff}zero\r\none\r\ntwo\r\nthree\r\nfour\r\n");
    let edits = json!([{"find": "one\ntwo", "replace": "1\n2\n2b"}]);
    assert_eq!(stage.call("edit_file", json!({"path": "c", "edits": edits})).await.ok()["match_count"], 1);
    assert_eq!(stage.read("c"), "\u{feff}zero\r\n1\r\n2\r\n2b\r\nthree\r\nfour\r\n");
    stage.call("write_file", json!({"path": "c", "content": "new\nlines"})).await.ok();
    assert_eq!(stage.read("c"), "\u{feff}new\r\nlines");
    stage.write("m", "a\r\nb\n");
    stage.call("write_file", json!({"path": "m", "content": "c\n", "mode": "append"})).await.ok();
    assert_eq!(stage.read("m"), "a\r\nb\nc\n");
}

/// FS-33: the mode, owner and attributes of a file stay.
#[tokio::test]
async fn fs_33_modes_owners_and_attributes_stay() {
    let stage = Stage::new();
    let path = stage.write("x.sh", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    let can_own = rustix::process::geteuid().is_root()
        && std::os::unix::fs::chown(&path, Some(12345), Some(54321)).is_ok();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4750)).unwrap();
    let has_attributes =
        rustix::fs::setxattr(&path, "user.note", b"kept", rustix::fs::XattrFlags::empty()).is_ok();
    stage.call("edit_file", json!({"path": "x.sh", "edits": [{"find": "old", "replace": "new"}]})).await.ok();
    assert_eq!(stage.read("x.sh"), "new");
    // The mode stays, but without set-user-id (I-04).
    assert_eq!(mode(&path), 0o750);
    if can_own {
        let about = fs::metadata(&path).unwrap();
        assert_eq!((about.uid(), about.gid()), (12345, 54321));
    }
    if has_attributes {
        let mut value = [0; 16];
        let count = rustix::fs::getxattr(&path, "user.note", &mut value).unwrap();
        assert_eq!(&value[..count], b"kept");
    }
}

/// FS-42: new files are never writable for everyone.
#[tokio::test]
async fn fs_42_new_files_have_the_mode_of_the_setting() {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let umask = status.lines().find_map(|line| line.strip_prefix("Umask:")).unwrap().trim();
    let umask = u32::from_str_radix(umask, 8).unwrap();
    for (setting, wanted) in [("0644", 0o644), ("0600", 0o600)] {
        let stage = Stage::with(json!({"new_file_mode": setting}));
        stage.call("write_file", json!({"path": "a", "content": "x"})).await.ok();
        stage.call("write_file", json!({"path": "d/e/a", "content": "x", "create_parents": true})).await.ok();
        stage.call("create_directory", json!({"path": "f"})).await.ok();
        let wanted = wanted & !umask;
        assert_eq!((mode(stage.root.join("a")), mode(stage.root.join("d/e/a"))), (wanted, wanted));
        assert_eq!(mode(stage.root.join("f")) & 0o022, 0);
        assert_eq!(mode(stage.root.join("d/e")) & 0o022, 0);
    }
}

/// FS-12, B-11: the other name of a file never changes. Unless the settings allow it, the file is
/// not changed at all.
#[tokio::test]
async fn fs_12_b_11_hard_links() {
    let stage = Stage::new();
    let outside = stage.place.join("outside.txt");
    fs::write(&outside, "secret").unwrap();
    fs::hard_link(&outside, stage.root.join("h")).unwrap();
    for arguments in
        [json!({"path": "h", "content": "x"}), json!({"path": "h", "content": "x", "mode": "append"})]
    {
        assert_eq!(stage.call("write_file", arguments).await.code(), "HARD_LINK");
    }
    assert_eq!(
        stage.call("edit_file", json!({"path": "h", "edits": [{"find": "s", "replace": ""}]})).await.code(),
        "HARD_LINK"
    );
    let (_, free) = stage.again(json!({"hardlinks": "allow"}));
    super::stage::ask_once(
        &free,
        "edit_file",
        json!({"path": "h", "edits": [{"find": "secret", "replace": "mine"}]}),
    )
    .await
    .ok();
    assert_eq!(
        (stage.read("h").as_str(), fs::read_to_string(&outside).unwrap().as_str()),
        ("mine", "secret")
    );
}

/// FS-12: if files with a second hard link may not be read, they are not shown, moved or deleted
/// either, because that would reveal their content.
#[tokio::test]
async fn fs_12_hard_links_that_are_not_read_stay() {
    let stage = Stage::with(json!({"hardlinks": "deny"}));
    let outside = stage.place.join("outside.txt");
    fs::write(&outside, "CANARY").unwrap();
    fs::create_dir(stage.root.join("d")).unwrap();
    fs::hard_link(&outside, stage.root.join("d/h")).unwrap();
    for (tool, arguments) in [
        ("delete_file", json!({"path": "d/h"})),
        ("delete_file", json!({"path": "d", "recursive": true})),
        ("move_file", json!({"from": "d/h", "to": "x"})),
        ("move_file", json!({"from": "d", "to": "x"})),
        ("copy_file", json!({"from": "d", "to": "x"})),
    ] {
        let preview = stage.preview(tool, arguments.clone()).await;
        assert!(!preview.0.to_string().contains("CANARY"), "{tool}: {}", preview.0);
        assert_eq!(stage.call(tool, arguments).await.code(), "HARD_LINK", "{tool}");
    }
}

/// B-12: edits are exact, and an edit that almost matches gets a helpful error.
#[tokio::test]
async fn b_12_edits_are_exact() {
    let stage = Stage::new();
    stage.write("a.rs", "fn main() {\n\tlet x = 1;\n}\naaa\n");
    let edit = |edits: Value| stage.call("edit_file", json!({"path": "a.rs", "edits": edits}));
    assert_eq!(edit(json!([{"find": "aa", "replace": "b"}])).await.code(), "FIND_NOT_UNIQUE");
    assert_eq!(
        edit(json!([{"find": "aa", "replace": "b", "expected_count": 2}])).await.code(),
        "FIND_NOT_UNIQUE"
    );
    let near = edit(json!([{"find": "    let x = 1;", "replace": "b"}])).await;
    assert_eq!(near.code(), "FIND_NOT_FOUND");
    assert!(
        near.text().contains("2| \tlet x = 1;   (begins with 1 tab, `find` with 4 spaces)"),
        "{}",
        near.text()
    );
    // All edits are made, or none.
    assert_eq!(
        edit(json!([{"find": "main", "replace": "n"}, {"find": "nope", "replace": ""}])).await.code(),
        "FIND_NOT_FOUND"
    );
    assert_eq!(stage.read("a.rs"), "fn main() {\n\tlet x = 1;\n}\naaa\n");
    let done =
        edit(json!([{"find": "main", "replace": "n"}, {"find": "a", "replace": "b", "expected_count": 3}]))
            .await;
    assert_eq!(done.ok()["match_count"], 4);
    assert_eq!(stage.read("a.rs"), "fn n() {\n\tlet x = 1;\n}\nbbb\n");
    assert_eq!(edit(json!([{"find": "", "replace": "b"}])).await.0["result"]["isError"], true);
    assert_eq!(
        stage.call("edit_file", json!({"path": "no", "edits": [{"find": "a", "replace": "b"}]})).await.code(),
        "FILE_NOT_FOUND"
    );
}

/// FS-04: a change through a link that stays inside changes its target, and the link stays.
#[tokio::test]
async fn fs_04_links_are_followed_only_inside() {
    let stage = Stage::new();
    stage.write("d/t.txt", "old");
    symlink("d/t.txt", stage.root.join("in")).unwrap();
    symlink("../new-outside", stage.root.join("out")).unwrap();
    symlink("d/none", stage.root.join("dangling")).unwrap();
    stage.call("write_file", json!({"path": "in", "content": "new"})).await.ok();
    assert_eq!(stage.read("d/t.txt"), "new");
    assert!(stage.root.join("in").symlink_metadata().unwrap().is_symlink());
    for path in ["out", "dangling"] {
        for (tool, arguments) in [
            ("write_file", json!({"path": path, "content": "x"})),
            ("write_file", json!({"path": path, "content": "x", "create_parents": true})),
            ("write_file", json!({"path": path, "content": "x", "mode": "append"})),
            ("create_directory", json!({"path": path})),
            ("create_directory", json!({"path": format!("{path}/x"), "create_parents": true})),
        ] {
            assert!(stage.call(tool, arguments).await.is_error(), "{tool} {path}");
        }
    }
    let answer = stage.call("write_file", json!({"path": "dangling", "content": "x"})).await;
    assert!(answer.text().contains("is a symbolic link whose target does not exist"), "{}", answer.0);
    assert!(!stage.place.join("new-outside").exists() && !stage.has("d/none"));
}

#[tokio::test]
async fn directories_are_made_with_those_on_the_way() {
    let stage = Stage::new();
    let alone = json!({"path": "a/b/c", "create_parents": false});
    assert_eq!(stage.call("create_directory", alone).await.code(), "FILE_NOT_FOUND");
    let made = stage.call("create_directory", json!({"path": "a/b/c"})).await;
    assert_eq!(made.ok()["created"], json!(["a", "a/b", "a/b/c"]));
    assert!(stage.root.join("a/b/c").is_dir());
    assert_eq!(stage.call("create_directory", json!({"path": "a/b"})).await.code(), "TARGET_EXISTS");
    assert_eq!(stage.call("create_directory", json!({"path": "../x"})).await.code(), "PATH_OUTSIDE_ROOT");
}

/// Immutable and hidden paths are neither changed nor created, even in folders that do not exist
/// yet.
#[tokio::test]
async fn immutable_and_hidden_paths_stay() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap().join("root");
    let roots = json!([{"path": root, "deny": ["**/.env"], "immutable": ["keep/**"]}]);
    let stage = Stage::on(place, &[], json!({ "roots": roots }));
    stage.write("keep/a", "old");
    for (path, code) in [
        ("keep/a", "PATH_IMMUTABLE"),
        ("keep/new", "PATH_IMMUTABLE"),
        (".env", "PATH_NOT_ALLOWED"),
        ("x/.env", "PATH_NOT_ALLOWED"),
    ] {
        let write = json!({"path": path, "content": "x", "create_parents": true});
        assert_eq!(stage.call("write_file", write).await.code(), code, "{path}");
    }
    assert!(!stage.has("x") && stage.read("keep/a") == "old");
}

/// FS-35, H-01, B-01: a preview changes nothing, and a `preview` that is not a boolean is refused.
#[tokio::test]
async fn fs_35_b_01_h_01_previews_change_nothing() {
    let stage = Stage::new();
    stage.write("a.txt", "one\n");
    stage.write("d/e/f.txt", "two\n");
    stage.write("g", "x");
    let made = stage.call("write_file", json!({"path": "g", "content": "y"})).await.change();
    let before = stage.exactly();
    let calls = [
        ("write_file", json!({"path": "a.txt", "content": "one\nmore\n"})),
        ("write_file", json!({"path": "n.txt", "content": "x"})),
        ("write_file", json!({"path": "n/m/n.txt", "content": "x", "create_parents": true})),
        ("edit_file", json!({"path": "a.txt", "edits": [{"find": "one", "replace": "1"}]})),
        ("create_directory", json!({"path": "p/q", "create_parents": true})),
        ("move_file", json!({"from": "a.txt", "to": "b.txt"})),
        ("copy_file", json!({"from": "d", "to": "d2"})),
        ("delete_file", json!({"path": "d", "recursive": true})),
        ("revert_change", json!({"change": made})),
    ];
    for (tool, arguments) in &calls {
        let shown = stage.preview(tool, arguments.clone()).await;
        assert!(shown.ok().get("change").is_none(), "{tool}");
        assert!(shown.0["result"]["_meta"]["dev.overt/plan"].is_string(), "{tool}: {}", shown.0);
        assert_eq!(stage.exactly(), before, "{tool}");
        // A `preview` that is not a boolean is refused, and nothing runs.
        assert!(
            stage
                .call_with(tool, arguments.clone(), json!({"preview": "true"}))
                .await
                .ok()
                .get("change")
                .is_none()
        );
        for wrong in [json!(1), json!("yes"), json!([]), json!({}), json!(0)] {
            let answer = stage.call_with(tool, arguments.clone(), json!({"preview": wrong})).await;
            assert!(answer.is_error(), "{tool} {wrong}");
        }
        assert_eq!(stage.exactly(), before, "{tool}");
    }
    // H-01: a preview returns the same as the call itself, except for the id of the change.
    for (tool, arguments) in calls {
        let shown = stage.preview(tool, arguments.clone()).await.ok().clone();
        let mut real = stage.call(tool, arguments).await.ok().clone();
        assert!(real.as_object_mut().unwrap().remove("change").is_some_and(|change| change.is_string()));
        let (mut shown, mut real) = (shown, real);
        for value in [&mut shown, &mut real] {
            value.as_object_mut().unwrap().remove("review");
        }
        assert_eq!(shown, real, "{tool}");
        if tool == "move_file" {
            fs::rename(stage.root.join("b.txt"), stage.root.join("a.txt")).unwrap();
        }
    }
}
