//! FS-01 to FS-12, FS-17, FS-18: where a path may lead.
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;

use overt_layers::{ConfigurationRights, Configured, Control, PolicySnapshot, Settings};
use overt_policy::Authority;
use overt_policy::scope::Scope;
use serde_json::{Value, json};

use super::stage::{Client, Setup, Stage, values};

/// Every tool that inspects a path, with its arguments.
fn looking(path: &str) -> [(&'static str, Value); 6] {
    [
        ("read_file", json!({ "path": path })),
        ("read_file", json!({ "path": path, "tail": 1 })),
        ("get_file_info", json!({ "path": path })),
        ("list_directory", json!({ "path": path })),
        ("find_files", json!({ "path": path, "follow": true })),
        ("search_files", json!({ "pattern": ".", "path": path, "follow": true })),
    ]
}

/// Fails unless every tool refuses the path with this code.
pub(crate) async fn refused(client: &Client, path: &str, code: &str) {
    for (tool, arguments) in looking(path) {
        let answer = client.call(tool, arguments).await;
        assert_eq!(answer.code(), code, "{tool} {path}: {}", answer.0);
    }
    let answer = client.call("read_multiple_files", json!({ "paths": [path, path] })).await;
    assert_eq!((answer.code(), answer.text(0).matches(&format!("[{code}]")).count()), (code, 3), "{path}");
}

#[tokio::test]
async fn fs_01_a_sibling_whose_name_begins_alike_is_outside() {
    let stage = Stage::new();
    let client = stage.client();
    let sibling = stage.place.join("root-secret/s.txt");
    for path in [sibling.to_str().unwrap(), "../root-secret/s.txt", "a/../../root-secret/s.txt", "..", "/"] {
        refused(&client, path, "PATH_OUTSIDE_ROOT").await;
    }
    // No error names a path that the client did not name, except the roots.
    let answer = client.call("read_file", json!({ "path": "../root-secret/s.txt" })).await;
    let rest = answer.0.to_string().replace(&format!("`{}`", stage.root.display()), "");
    assert!(!rest.contains(stage.place.to_str().unwrap()), "{}", answer.0);
}

#[tokio::test]
async fn fs_02_a_link_to_a_file_outside_is_refused_by_every_tool() {
    let stage = Stage::new();
    stage.link("f", stage.outside.join("s.txt"));
    stage.link("g", "../outside/s.txt");
    stage.link("d", "../outside");
    stage.link("deep/er/h", "../../../outside/s.txt");
    stage.link("chain", "f");
    let client = stage.client();
    for path in ["f", "g", "d/s.txt", "d", "deep/er/h", "chain", "d/sub/s.txt"] {
        refused(&client, path, "PATH_OUTSIDE_ROOT").await;
    }
}

#[tokio::test]
async fn fs_04_a_link_that_leads_nowhere_outside_tells_nothing() {
    let stage = Stage::new();
    stage.link("there", "../outside/s.txt");
    stage.link("not-there", "../outside/not-yet");
    let client = stage.client();
    // The errors don't reveal whether a file exists outside.
    let there = client.call("get_file_info", json!({ "path": "there" })).await;
    let not_there = client.call("get_file_info", json!({ "path": "not-there" })).await;
    assert_eq!(there.code(), not_there.code());
    let text = |answer: &super::stage::Answer| answer.text(0).replace("not-there", "there");
    assert_eq!(text(&there), text(&not_there));
}

#[tokio::test]
async fn fs_08_absolute_links_are_refused_even_when_they_stay_inside() {
    let stage = Stage::new();
    stage.link("abs", stage.root.join("a/ok.txt"));
    stage.link("relative", "a/ok.txt");
    stage.link("up", "a/../a/ok.txt");
    let client = stage.client();
    refused(&client, "abs", "PATH_OUTSIDE_ROOT").await;
    for path in ["relative", "up"] {
        let answer = client.call("read_file", json!({ "path": path })).await;
        assert_eq!((answer.text(0), &answer.value()["path"]), ("ok\n", &json!("a/ok.txt")));
    }
    let answer = client.call("get_file_info", json!({ "path": "relative" })).await;
    assert_eq!(answer.value()["real_path"], "a/ok.txt");
}

#[tokio::test]
async fn fs_09_links_in_a_circle_end() {
    let stage = Stage::new();
    stage.link("one", "two");
    stage.link("two", "one");
    stage.link("l0", "a/ok.txt");
    for index in 1..=45 {
        stage.link(&format!("l{index}"), format!("l{}", index - 1));
    }
    let client = stage.client();
    for path in ["one", "two/x", "l45"] {
        refused(&client, path, "LINK_LOOP").await;
    }
    assert!(client.call("read_file", json!({ "path": "l30" })).await.is_ok());
}

#[tokio::test]
async fn fs_10_links_of_proc_are_not_followed() {
    let stage = Stage::new();
    stage.link("procroot", "/proc/self/root");
    stage.link("fd", "/proc/self/fd");
    stage.link("cwd", "/proc/self/cwd");
    stage.link("exe", "/proc/self/exe");
    let client = stage.client();
    let open_files = || fs::read_dir("/proc/self/fd").unwrap().count();
    let names = ["procroot/etc/hostname", "cwd/Cargo.toml", "exe", "fd"].map(str::to_owned);
    for path in names.into_iter().chain((0..10).map(|number| format!("fd/{number}"))) {
        refused(&client, &path, "PATH_OUTSIDE_ROOT").await;
    }
    // No file handle is leaked. Other tests run at the same time, so the number is not exact.
    let before = open_files();
    for _ in 0..50 {
        refused(&client, "fd/0", "PATH_OUTSIDE_ROOT").await;
    }
    assert!(open_files() < before + 150);
}

#[tokio::test]
async fn fs_17_every_spelling_of_a_path_has_one_outcome() {
    let stage = Stage::new();
    for name in [" b", "b ", "b\n", "C:\\x", "\\\\srv\\x", "~root", "$HOME", "%2e%2e"] {
        stage.write(name, name);
    }
    let client = stage.client();
    let table: [(&str, Result<&str, &str>); 26] = [
        ("", Err("INVALID_PATH")),
        ("a\0b", Err("INVALID_PATH")),
        (".", Err("NOT_A_FILE")),
        ("..", Err("PATH_OUTSIDE_ROOT")),
        ("/", Err("PATH_OUTSIDE_ROOT")),
        ("//", Err("PATH_OUTSIDE_ROOT")),
        (".//a/ok.txt", Ok("ok\n")),
        ("a/ok.txt/", Ok("ok\n")),
        ("a/ok.txt/.", Ok("ok\n")),
        ("a//ok.txt", Ok("ok\n")),
        ("a/", Err("NOT_A_FILE")),
        ("a/.", Err("NOT_A_FILE")),
        ("a/../a/./ok.txt", Ok("ok\n")),
        ("a/ok.txt/..", Err("NOT_A_FILE")),
        ("a/ok.txt/x", Err("NOT_A_DIRECTORY")),
        (" b", Ok(" b")),
        ("b ", Ok("b ")),
        ("b\n", Ok("b\n")),
        ("C:\\x", Ok("C:\\x")),
        ("\\\\srv\\x", Ok("\\\\srv\\x")),
        ("~root", Ok("~root")),
        ("$HOME", Ok("$HOME")),
        ("%2e%2e", Ok("%2e%2e")),
        ("%2e%2e/outside/s.txt", Err("NOT_A_DIRECTORY")),
        ("file:///etc/passwd", Err("FILE_NOT_FOUND")),
        ("b", Err("FILE_NOT_FOUND")),
    ];
    for (path, wanted) in table {
        let answer = client.call("read_file", json!({ "path": path })).await;
        match wanted {
            Ok(text) => assert_eq!(answer.text(0), text, "{path:?}"),
            Err(code) => assert_eq!(answer.code(), code, "{path:?}"),
        }
    }
    for path in [json!(7), json!(null), json!(["a"]), json!({ "path": "a" }), json!(true)] {
        let answer = client.call("read_file", json!({ "path": path })).await;
        assert_eq!(answer.code(), "INVALID_ARGUMENTS", "{path}");
    }
}

#[tokio::test]
async fn fs_18_a_name_that_is_no_text_reaches_no_other_file() {
    let stage = Stage::new();
    for name in [&b"\xff\xfe"[..], b"x\xedy\xa0\x80"] {
        fs::write(stage.root.join(std::ffi::OsStr::from_bytes(name)), "hidden").unwrap();
    }
    let client = stage.client();
    for path in ["\u{fffd}\u{fffd}", "\\xff\\xfe", "%ff%fe", "x\u{fffd}y\u{fffd}\u{fffd}"] {
        refused(&client, path, "FILE_NOT_FOUND").await;
    }
}

#[tokio::test]
async fn fs_25_names_and_paths_that_are_too_long() {
    let stage = Stage::new();
    let longest = "n".repeat(255);
    stage.write(&longest, "ok\n");
    let client = stage.client();
    assert_eq!(client.call("read_file", json!({ "path": longest })).await.text(0), "ok\n");
    refused(&client, &"n".repeat(256), "NAME_TOO_LONG").await;
    refused(&client, &"a/".repeat(3_000), "NAME_TOO_LONG").await;
}

#[tokio::test]
async fn fs_31_a_root_that_goes_away_is_not_replaced_by_another() {
    let stage = Stage::new();
    let root = stage.open_folder("second");
    fs::write(root.join("f"), "old\n").unwrap();
    stage.open_folder("moved");
    let client = stage.start(Setup { roots: vec![root.clone()], ..stage.setup() });
    assert_eq!(client.call("read_file", json!({ "path": "f" })).await.text(0), "old\n");
    fs::remove_dir(stage.place.join("moved")).unwrap();
    fs::rename(&root, stage.place.join("moved")).unwrap();
    refused(&client, "f", "ROOT_GONE").await;
    let shown = client.call("list_roots", json!({})).await;
    let shown = &shown.value()["roots"][0];
    assert_eq!([&shown["gone"], &shown["readable"], &shown["writable"]], [true, false, false]);
    fs::create_dir(&root).unwrap();
    fs::write(root.join("f"), "of somebody else\n").unwrap();
    refused(&client, "f", "ROOT_GONE").await;
}

/// B-07: neither a nested root nor a grant allows what the outer root denies.
#[tokio::test]
async fn b_07_a_root_within_another_opens_nothing() {
    let stage = Stage::new();
    stage.write("sub/secrets/x", "hidden");
    stage.write("sub/y", "shown\n");
    let sub = stage.root.join("sub");
    let regions = json!([{ "path": stage.root, "deny": ["**/secrets/**"] }, { "path": sub }]);
    let client = stage.start(Setup {
        roots: vec![stage.root.clone(), sub.clone()],
        settings: json!({ "roots": regions }),
        ..stage.setup()
    });
    refused(&client, "sub/secrets/x", "PATH_NOT_ALLOWED").await;
    refused(&client, sub.join("secrets/x").to_str().unwrap(), "PATH_NOT_ALLOWED").await;
    assert!(client.call("read_file", json!({ "path": sub.join("y") })).await.is_ok());
    let claims = client.saying(json!({ "granted_scopes": ["read:file:/"] }));
    refused(&claims, "sub/secrets/x", "PATH_NOT_ALLOWED").await;
}

/// I-10: a path outside of every root does not make the others fail, and nobody is asked about a
/// path that can't be granted. A path that can be granted is asked about.
#[tokio::test]
async fn i_10_a_path_outside_does_not_refuse_the_others() {
    let stage = Stage::new();
    let granted = stage.open_folder("granted");
    fs::write(granted.join("f"), "granted\n").unwrap();
    let base = Scope::parse(&format!("read:file:{}", stage.root.display())).unwrap();
    let authority = Authority { base: [base].into_iter().collect(), ..Authority::careful() };
    let client = stage.start(Setup {
        grantable: vec![granted.clone()],
        control: Some(Control::new(PolicySnapshot::new(authority))),
        ..stage.setup()
    });
    let outside = stage.outside.join("s.txt");
    let read = |paths: serde_json::Value| client.call("read_multiple_files", json!({ "paths": paths }));
    let answer = read(json!(["a/ok.txt", outside, "../outside/ok.txt"])).await;
    assert_eq!((&answer.value()["count"], &answer.value()["failed"]), (&json!(1), &json!(2)));
    let files = &answer.value()["files"];
    assert_eq!(files[0]["file"]["content"], "ok\n");
    assert_eq!(files[1]["error"]["code"], "PATH_OUTSIDE_ROOT");
    let alone = read(json!([outside])).await;
    assert_eq!(alone.code(), "PATH_OUTSIDE_ROOT");
    assert!(client.questions().is_empty());
    assert!(!read(json!(["a/ok.txt", granted.join("f")])).await.is_ok(), "the person said no");
    assert_eq!(client.questions().len(), 1);
}

/// FS-01: a client that was granted a place can read there, and nowhere else.
#[tokio::test]
async fn fs_01_what_a_person_grants_is_read_and_nothing_else() {
    let stage = Stage::new();
    let granted = stage.open_folder("granted");
    fs::create_dir(granted.join("in")).unwrap();
    fs::write(granted.join("in/f"), "granted\n").unwrap();
    fs::write(granted.join("g"), "not this\n").unwrap();
    std::os::unix::fs::symlink("../g", granted.join("in/link")).unwrap();
    let base = Scope::parse(&format!("read:file:{}", stage.root.display())).unwrap();
    let authority = Authority { base: [base].into_iter().collect(), ..Authority::careful() };
    let client = stage.start(Setup {
        grantable: vec![granted.clone()],
        control: Some(Control::new(PolicySnapshot::new(authority))),
        ..stage.setup()
    });
    assert!(client.call("read_file", json!({ "path": "a/ok.txt" })).await.is_ok());
    let read = |path: &str| {
        let path = granted.join(path);
        let client = client.clone();
        async move { client.call("read_file", json!({ "path": path })).await }
    };
    assert_eq!(read("in/f").await.code(), "PERMISSION_DENIED", "the person said no");
    client.questions();
    client.will_say("once");
    assert_eq!(read("in/f").await.text(0), "granted\n");
    let question = client.questions();
    assert!(question[0].to_string().contains("in/f"), "{question:?}");
    // The grant covers the name, but not the place that a link leads to.
    client.will_say("once");
    assert_eq!(read("in/link").await.code(), "PATH_OUTSIDE_ROOT");
    // A path in no grantable folder is refused, whatever a person says.
    client.will_say("once");
    let answer = client.call("read_file", json!({ "path": stage.outside.join("s.txt") })).await;
    assert!(!answer.is_ok(), "{}", answer.0);
}

/// after the operator has changed the settings, a person can still grant. If a policy has
/// narrowed the roots, nobody can.
#[tokio::test]
async fn what_can_be_granted_goes_by_the_settings_of_today() {
    let stage = Stage::new();
    let granted = stage.open_folder("granted");
    fs::write(granted.join("f"), "granted\n").unwrap();
    let today = values(&json!({ "roots": [{ "path": stage.root, "deny": ["secrets/**"] }] }));
    let base = Scope::parse(&format!("read:file:{}", stage.root.display())).unwrap();
    let in_force = move || {
        let base = [base.clone()].into_iter().collect();
        PolicySnapshot::new(Authority { base, ..Authority::careful() })
    };
    let compile = in_force.clone();
    let settings = Settings {
        configured: Configured::new(today, ConfigurationRights::Trusted),
        compile: Arc::new(move |_| compile()),
    };
    let client = stage.start(Setup {
        grantable: vec![granted.clone()],
        control: Some(Control::new(PolicySnapshot { settings: Some(settings), ..in_force() })),
        ..stage.setup()
    });
    let arguments = json!({ "path": granted.join("f") });
    client.will_say("once");
    assert_eq!(client.call("read_file", arguments.clone()).await.text(0), "granted\n");
    let narrowed = client.saying(json!({ "policy": { "roots": [stage.root.join("a")] } }));
    narrowed.will_say("once");
    assert!(!narrowed.call("read_file", arguments).await.is_ok());
}

/// A client that was granted only writing can undo what it wrote, if that is granted too.
#[tokio::test]
async fn what_was_written_with_a_grant_can_be_undone() {
    let stage = Stage::new();
    let granted = stage.open_folder("granted");
    let journal = tempfile::tempdir().unwrap();
    let base = Scope::parse(&format!("read:file:{}", stage.root.display())).unwrap();
    let authority = Authority { base: [base].into_iter().collect(), ..Authority::careful() };
    let client = stage.start(Setup {
        grantable: vec![granted.clone()],
        journal: Some(journal.path().join("files")),
        control: Some(Control::new(PolicySnapshot::new(authority))),
        ..stage.setup()
    });
    let path = granted.join("f");
    client.will_say("once");
    let made = client.call("write_file", json!({ "path": path, "content": "new" })).await;
    let change = &made.value()["change"];
    assert!(!client.call("revert_change", json!({ "change": change })).await.is_ok() && path.exists());
    client.will_say("once");
    let undone = client.call("revert_change", json!({ "change": change })).await;
    assert!(undone.is_ok() && !path.exists(), "{}", undone.0);
}

/// B-06: a root that is given as a link is the folder that the link leads to, for patterns too.
#[tokio::test]
async fn b_06_a_root_may_be_written_as_a_link() {
    let stage = Stage::new();
    stage.write("secrets/x", "hidden");
    stage.write("src/x.txt", "shown\n");
    let link = stage.place.join("link");
    std::os::unix::fs::symlink(&stage.root, &link).unwrap();
    let regions = json!([{ "path": link, "deny": ["secrets/**"] }]);
    let client = stage.start(Setup {
        roots: vec![link.clone()],
        settings: json!({ "roots": regions }),
        ..stage.setup()
    });
    for root in [&link, &stage.root] {
        refused(&client, root.join("secrets/x").to_str().unwrap(), "PATH_NOT_ALLOWED").await;
        let answer = client.call("read_file", json!({ "path": root.join("src/x.txt") })).await;
        assert_eq!((answer.text(0), &answer.value()["path"]), ("shown\n", &json!("src/x.txt")));
    }
    refused(&client, "secrets/x", "PATH_NOT_ALLOWED").await;
    // A policy may name the root by the link.
    for root in [&link] {
        let narrowed = client.saying(json!({ "policy": { "roots": [root.join("src")] } }));
        assert!(narrowed.call("read_file", json!({ "path": "x.txt" })).await.is_ok());
        refused(&narrowed, "../a/ok.txt", "PATH_OUTSIDE_ROOT").await;
    }
}

#[tokio::test]
async fn fs_12_a_file_with_a_second_name_is_read_as_the_setting_says() {
    let stage = Stage::new();
    stage.write("one.txt", "shared\n");
    fs::hard_link(stage.root.join("one.txt"), stage.root.join("two.txt")).unwrap();
    for (setting, code) in [("deny", Some("HARD_LINK")), ("read", None), ("allow", None)] {
        let client = stage.with(json!({ "hardlinks": setting }));
        let answer = client.call("read_file", json!({ "path": "two.txt" })).await;
        match code {
            Some(code) => assert_eq!(answer.code(), code),
            None => assert_eq!(answer.text(0), "shared\n"),
        }
        assert!(client.call("read_file", json!({ "path": "a/ok.txt" })).await.is_ok());
        // The result says that the file has two names.
        assert_eq!(client.call("get_file_info", json!({ "path": "two.txt" })).await.value()["links"], 2);
    }
}

/// FS-03, B-02: nothing is created through a link that leads out, whether its target exists or not.
#[tokio::test]
async fn fs_03_nothing_is_created_through_a_link_that_leads_out() {
    let stage = Stage::new();
    stage.link("d", "../outside");
    stage.link("x", "../outside/not-yet");
    let client = stage.client();
    for path in ["d/new.txt", "d/new/deep.txt", "x", "x/y"] {
        for (tool, arguments) in [
            ("write_file", json!({ "path": path, "content": "x", "create_parents": true })),
            ("write_file", json!({ "path": path, "content": "x", "mode": "append" })),
            ("create_directory", json!({ "path": path })),
            ("copy_file", json!({ "from": "a/ok.txt", "to": path })),
        ] {
            // The link itself may count as an existing target.
            let code = client.call(tool, arguments).await.code().to_owned();
            let is_taken = path == "x" && code != "PATH_OUTSIDE_ROOT";
            assert!(is_taken || code == "PATH_OUTSIDE_ROOT", "{tool} {path}: {code}");
        }
    }
}
