//! Names, links and replacements that must not leak anything. The stage searches every answer for
//! canaries.
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::kit::{skill, uris};
use crate::stage::Stage;

/// Checks that every method refuses the address.
async fn is_refused(client: &crate::stage::Client, uri: &str) {
    for client in [client.clone(), client.modern()] {
        for method in ["resources/read", "skills/get", "resources/directory/read", "resources/subscribe"] {
            if method == "resources/subscribe" && client.meta() != &json!({}) {
                continue;
            }
            let answer = client.ask(method, json!({ "uri": uri })).await;
            assert!(answer["error"].is_object(), "{method} {uri}: {answer}");
        }
        assert!(!client.call("read_resource", json!({ "uri": uri })).await.is_ok(), "{uri}");
    }
}

#[tokio::test]
async fn names_lead_nowhere_else() {
    let stage = Stage::new();
    stage.skill("pdf");
    stage.write("pdf/notes.md", "notes\n");
    let client = stage.skills(|options| options.tools = true);
    let outside = stage.outside.display();
    for path in [
        "skill://pdf/../outside/s.txt".to_owned(),
        "skill://pdf/../../outside/s.txt".to_owned(),
        "skill://../outside/s.txt".to_owned(),
        "skill://pdf/%2e%2e/%2e%2e/outside/s.txt".to_owned(),
        "skill://pdf/..%2f..%2foutside/s.txt".to_owned(),
        "skill://pdf/%252e%252e/outside".to_owned(),
        format!("skill://pdf/{outside}/s.txt"),
        format!("skill://{outside}/s.txt"),
        format!("skill:{outside}/s.txt"),
        "skill:///etc/passwd".to_owned(),
        "skill://pdf//etc/passwd".to_owned(),
        "skill://pdf/notes.md%00".to_owned(),
        "skill://pdf/notes.md\u{0}".to_owned(),
        "skill://pdf/notes.md/".to_owned(),
        "skill://pdf/./_manifest/x".to_owned(),
        "skill://pdf\\notes.md".to_owned(),
        "skill://pdf/%ff".to_owned(),
        "skill://PDF/notes.md".to_owned(),
        "resource://skills/../document".to_owned(),
        "resource://skills/pdf/references/../../x".to_owned(),
        "resource://skills/pdf/references/notes".to_owned(),
        "resource://docs/../../outside/s.txt".to_owned(),
        format!("file://{outside}/s.txt"),
    ] {
        is_refused(&client, &path).await;
    }
    for (name, path) in [
        ("pdf", "../outside/s.txt"),
        ("pdf", "/etc/passwd"),
        ("pdf", "a/../../outside/s.txt"),
        ("pdf", "notes.md\u{0}"),
        ("pdf", ""),
        ("../outside", "s.txt"),
        ("/", "etc/passwd"),
        ("", "s.txt"),
    ] {
        let answer = client.call("read_skill", json!({ "skill": name, "path": path })).await;
        assert!(!answer.is_ok(), "{name} {path}: {}", answer.0);
    }
}

/// Links that leave the skill are left out and reported, whether they were there at the start or
/// were added later.
#[tokio::test]
async fn links_that_leave_a_skill_are_not_followed() {
    let stage = Stage::new();
    stage.skill("pdf");
    stage.write("pdf/real.md", "real\n");
    stage.link("pdf/inside.md", "real.md");
    stage.link("pdf/out.md", "../../outside/s.txt");
    stage.link("pdf/absolute.md", stage.outside.join("s.txt"));
    stage.link("pdf/other.md", "../b/SKILL.md");
    stage.link("pdf/folder", "../../outside");
    stage.link("pdf/none.md", "gone.md");
    stage.link("linked", "../outside");
    stage.skill("b");
    stage.write("c/x", "x");
    stage.link("c/SKILL.md", "../../outside/s.txt");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        stage.root.join("pdf/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    let client = stage.skills(|options| options.tools = true);
    let skills = client.list_skills().await;
    assert_eq!(uris(&skills), ["skill://b/SKILL.md", "skill://pdf/SKILL.md"]);
    let files = skills[1]["resources"].as_array().unwrap();
    assert_eq!(uris(files), ["skill://pdf/SKILL.md", "skill://pdf/inside.md", "skill://pdf/real.md"]);
    assert_eq!(client.text_of("skill://pdf/inside.md").await, "real\n");
    for name in ["out.md", "absolute.md", "other.md", "none.md", "folder/s.txt", "pipe"] {
        is_refused(&client, &format!("skill://pdf/{name}")).await;
    }
    is_refused(&client, "skill://linked/s.txt").await;
    is_refused(&client, "skill://c/SKILL.md").await;
    let told = client.call("list_skills", json!({})).await.value()["findings"].to_string();
    for name in ["out.md", "absolute.md", "other.md", "none.md"] {
        assert!(told.contains(&format!("`{name}` is a symbolic link")), "{name}: {told}");
    }
}

/// If something else replaces a file after it was listed, that is not served.
#[tokio::test]
async fn what_replaces_a_file_after_the_list_is_not_given() {
    let stage = Stage::new();
    stage.skill("pdf");
    let file = stage.write("pdf/sub/data.txt", "first\n");
    let replacements: [(&str, &dyn Fn()); 5] = [
        ("other content", &|| fs::write(&file, "other\n").unwrap()),
        ("longer content", &|| fs::write(&file, "first\nand more\n").unwrap()),
        ("a link", &|| {
            fs::remove_file(&file).unwrap();
            symlink(stage.outside.join("s.txt"), &file).unwrap();
        }),
        ("nothing", &|| fs::remove_file(&file).unwrap()),
        ("a link in place of the folder", &|| {
            fs::remove_dir_all(file.parent().unwrap()).unwrap();
            symlink(&stage.outside, file.parent().unwrap()).unwrap();
        }),
    ];
    for (what, replace) in replacements {
        let folder = file.parent().unwrap();
        if fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink()) {
            fs::remove_file(folder).unwrap();
        }
        fs::create_dir_all(folder).unwrap();
        let _ = fs::remove_file(&file);
        fs::write(&file, "first\n").unwrap();
        let client = stage.skills(|_| ());
        let listed = client.list_skills().await[0]["resources"][1]["digest"].clone();
        assert_eq!(client.text_of("skill://pdf/sub/data.txt").await, "first\n");
        replace();
        // The server may read before or after it notices the change. The content that it returns
        // always has the digest that is listed at that time.
        let answer = client.ask("resources/read", json!({ "uri": "skill://pdf/sub/data.txt" })).await;
        if let Some(text) = answer["result"]["contents"][0]["text"].as_str() {
            assert_ne!(super::kit::digest(text.as_bytes()), listed.as_str().unwrap(), "{what}");
            let now = client.list_skills().await[0]["resources"][1]["digest"].clone();
            assert_eq!(super::kit::digest(text.as_bytes()), now.as_str().unwrap(), "{what}");
        } else {
            assert!(answer["error"].is_object(), "{what}: {answer}");
        }
    }
}

/// A root that was replaced is not read.
#[tokio::test]
async fn a_root_that_was_replaced_gives_nothing() {
    let stage = Stage::new();
    let place = stage.open_folder("library");
    fs::create_dir_all(place.join("pdf/sub")).unwrap();
    fs::write(place.join("pdf/SKILL.md"), skill("pdf", "x")).unwrap();
    fs::write(place.join("pdf/s.txt"), "fine\n").unwrap();
    let moved = stage.open_folder("moved").join("there");
    let client = stage.skills(|options| {
        options.roots =
            vec![overt_servers::skills::Root { path: place.clone(), shown: "library".to_owned() }];
    });
    assert_eq!(client.text_of("skill://pdf/s.txt").await, "fine\n");
    fs::rename(&place, &moved).unwrap();
    symlink(&stage.outside, &place).unwrap();
    let answer = client.ask("resources/read", json!({ "uri": "skill://pdf/s.txt" })).await;
    assert!(answer["error"].is_object(), "{answer}");
    fs::remove_file(&place).unwrap();
    fs::create_dir(&place).unwrap();
}

/// A name that no URI can have is reported and left out. Odd names that a URI can have are served.
#[tokio::test]
async fn odd_names_are_addressed_exactly() {
    let stage = Stage::new();
    stage.skill("pdf");
    let names = ["a b.md", "ü.md", "100%.md", "q?x#y.md", "x:y@z", "~tilde", "..hidden", "(1)"];
    for name in names {
        stage.write(&format!("pdf/{name}"), format!("{name}\n"));
    }
    stage.write("pdf/back\\slash", "x");
    stage.write("pdf/line\nbreak", "x");
    // Some programs would decode this escape twice.
    let folder = stage.write("pdf/%41.md", "x").parent().unwrap().to_owned();
    // Not UTF-8: a file, and a directory with a file.
    fs::write(folder.join(OsStr::from_bytes(b"\xff.md")), "x").unwrap();
    fs::create_dir(folder.join(OsStr::from_bytes(b"d\xff"))).unwrap();
    fs::write(folder.join(OsStr::from_bytes(b"d\xff")).join("inner.md"), "x").unwrap();
    let client = stage.skills(|options| options.tools = true);
    let skills = client.list_skills().await;
    let files = skills[0]["resources"].as_array().unwrap();
    assert_eq!(files.len(), names.len() + 1, "{files:?}");
    let mut read = Vec::new();
    for file in files.iter().skip_while(|file| file["uri"] == "skill://pdf/SKILL.md") {
        read.push(client.text_of(file["uri"].as_str().unwrap()).await.trim_end().to_owned());
    }
    for name in names {
        assert!(read.iter().any(|text| text == name), "{name}: {read:?}");
    }
    let told = client.call("list_skills", json!({})).await.value()["findings"].to_string();
    assert_eq!(told.matches("has a name that no URI can have").count(), 5, "{told}");
}

/// Documents beside the skills are only the Markdown files in their folder (F-23).
#[tokio::test]
async fn f_23_documents_are_markdown_files_in_their_folder() {
    let stage = Stage::new();
    stage.skill("pdf");
    let docs = stage.open_folder("docs");
    fs::create_dir_all(docs.join("guide")).unwrap();
    fs::write(docs.join("guide/start.md"), "# Start\n").unwrap();
    fs::write(docs.join("plain.txt"), "x").unwrap();
    fs::write(docs.join("binary.md"), [0xff, 0xfe, 0x00]).unwrap();
    symlink(&stage.outside, docs.join("out")).unwrap();
    fs::write(stage.outside.join("secret.md"), "canary").unwrap();
    symlink(stage.outside.join("secret.md"), docs.join("link.md")).unwrap();
    let root = overt_servers::skills::Root { path: docs, shown: "docs".to_owned() };
    let client = stage.skills(|options| options.docs = Some(root));
    assert_eq!(client.text_of("resource://docs/guide/start.md").await, "# Start\n");
    for path in
        ["plain.txt", "binary.md", "guide", "none.md", "out/secret.md", "link.md", "../outside/secret.md"]
    {
        let uri = format!("resource://docs/{path}");
        let answer = client.ask("resources/read", json!({ "uri": uri })).await;
        assert!(answer["error"].is_object(), "{path}: {answer}");
        assert!(!answer.to_string().contains("canary"), "{path}: {answer}");
    }
    let without = stage.skills(|_| ());
    let answer = without.ask("resources/read", json!({ "uri": "resource://docs/guide/start.md" })).await;
    assert!(answer["error"].is_object(), "{answer}");
}
