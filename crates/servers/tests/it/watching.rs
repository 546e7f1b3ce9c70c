//! Files and folders as resources, and notifications of their changes.
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use overt_layers::{Control, PolicySnapshot};
use overt_policy::Authority;
use overt_policy::scope::Scope;
use serde_json::{Value, json};

use super::stage::{Client, Setup, Stage};

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

async fn subscribe(client: &Client, path: &Path) -> Value {
    client.send("resources/subscribe", json!({ "uri": uri(path), "_meta": {} })).await.0
}

/// Waits for notifications, and returns their URIs. Empty if none arrives in time.
async fn told(client: &Client) -> Vec<String> {
    let mut uris = Vec::new();
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let notes = client.notes();
        let updated = notes.iter().filter(|note| note["method"] == "notifications/resources/updated");
        uris.extend(updated.map(|note| note["params"]["uri"].as_str().unwrap().to_owned()));
        if !uris.is_empty() {
            break;
        }
    }
    uris
}

/// Writes a file, and checks that its notification is the first one, so nothing before it was
/// announced.
async fn told_only(client: &Client, path: &Path) {
    fs::write(path, "later\n").unwrap();
    assert_eq!(told(client).await, [uri(path)]);
}

fn careful(stage: &Stage) -> Client {
    let scope = Scope::parse(&format!("read:file:{}", stage.root.display())).unwrap();
    let authority = Authority { base: [scope].into_iter().collect(), ..Authority::careful() };
    let control = Some(Control::new(PolicySnapshot::new(authority)));
    stage.start(Setup { control, ..stage.setup() })
}

#[tokio::test]
async fn whoever_subscribes_to_a_file_hears_of_every_way_to_change_it() {
    let stage = Stage::new();
    let file = stage.write("src/x y.txt", "one\n");
    let client = careful(&stage);
    client.ready().await;
    let given = format!("file://{}/src/x%20y.txt", stage.root.display());
    let answer = client.send("resources/subscribe", json!({ "uri": given })).await.0;
    assert!(answer["error"].is_null(), "{answer}");
    let beside = stage.root.join("src/beside.tmp");
    let changes: [(&str, &dyn Fn()); 5] = [
        ("written", &|| fs::write(&file, "two\n").unwrap()),
        ("replaced", &|| {
            fs::write(&beside, "three\n").unwrap();
            fs::rename(&beside, &file).unwrap();
        }),
        ("written after it was replaced", &|| fs::write(&file, "four\n").unwrap()),
        ("removed", &|| fs::remove_file(&file).unwrap()),
        ("made again", &|| fs::write(&file, "five\n").unwrap()),
    ];
    for (what, change) in changes {
        change();
        assert_eq!(told(&client).await, [given.as_str()], "{what}");
        // The same change may cause further notifications.
        tokio::time::sleep(Duration::from_millis(150)).await;
        client.notes();
    }
    let other = stage.write("src/other.txt", "x\n");
    let folder = stage.root.join("a");
    assert!(subscribe(&client, &folder).await["error"].is_null());
    fs::write(&other, "not asked for\n").unwrap();
    fs::write(folder.join("new.txt"), "x\n").unwrap();
    assert_eq!(told(&client).await, [uri(&folder)]);
    client.send("resources/unsubscribe", json!({ "uri": given })).await;
    tokio::time::sleep(Duration::from_millis(150)).await;
    client.notes();
    fs::write(&file, "six\n").unwrap();
    fs::remove_file(folder.join("new.txt")).unwrap();
    assert_eq!(told(&client).await, [uri(&folder)], "the file's subscription has ended");
}

#[tokio::test]
async fn what_a_client_cannot_see_is_neither_watched_nor_told_of() {
    let stage = Stage::new();
    let secret = stage.write("d/secret.key", "SECRET\n");
    let seen = stage.write("d/seen.txt", "x\n");
    let setup = Setup { settings: json!({ "hidden": ["*.key"] }), ..stage.setup() };
    let client = stage.start(setup);
    client.ready().await;
    for path in [&secret, &stage.outside.join("s.txt"), &stage.root.join("nothing"), &stage.place] {
        for method in ["resources/subscribe", "resources/read"] {
            let answer = client.send(method, json!({ "uri": uri(path) })).await.0;
            assert_eq!(answer["error"]["code"], -32002, "{method} {}: {answer}", path.display());
        }
    }
    let folder = stage.root.join("d");
    assert!(subscribe(&client, &folder).await["error"].is_null());
    fs::write(&secret, "more SECRET\n").unwrap();
    fs::rename(&secret, folder.join("other.key")).unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(client.notes(), Vec::<Value>::new(), "what is hidden makes no sound");
    fs::write(&seen, "y\n").unwrap();
    assert_eq!(told(&client).await, [uri(&folder)]);
    let listed = client.send("resources/read", json!({ "uri": uri(&folder) })).await.0;
    assert_eq!(listed["result"]["contents"][0]["text"], "seen.txt\n");
}

/// FS-04: a policy that denies a file also denies a link to it.
#[tokio::test]
async fn fs_04_a_resource_that_is_a_link_is_decided_by_where_it_leads() {
    let stage = Stage::new();
    let secret = stage.write("d/secret", "SECRET\n");
    symlink("d/secret", stage.root.join("way")).unwrap();
    symlink("a/ok.txt", stage.root.join("fine")).unwrap();
    symlink(&stage.outside, stage.root.join("out")).unwrap();
    let client = careful(&stage);
    client.ready().await;
    let denied = json!({ "denied_scopes": format!("read:file:{}", secret.display()) });
    let ask = async |method: &str, name: &str, meta: &Value| {
        let uri = uri(&stage.root.join(name));
        client.send(method, json!({ "uri": uri, "_meta": meta })).await.0
    };
    for method in ["resources/read", "resources/subscribe"] {
        for name in ["way", "d/secret", "out/s.txt"] {
            let answer = ask(method, name, &denied).await;
            assert!(!answer["error"].is_null() && !answer.to_string().contains("SECRET"), "{name}: {answer}");
        }
    }
    let allowed = ask("resources/read", "way", &json!({})).await;
    assert_eq!(allowed["result"]["contents"][0]["text"], "SECRET\n");
    let fine = ask("resources/read", "fine", &denied).await;
    assert_eq!(fine["result"]["contents"][0]["text"], "ok\n");
    assert!(ask("resources/subscribe", "fine", &denied).await["error"].is_null());
    fs::write(stage.root.join("a/ok.txt"), "more\n").unwrap();
    assert_eq!(told(&client).await, [uri(&stage.root.join("fine"))]);
}

#[tokio::test]
async fn a_folder_that_goes_is_told_of_and_watched_no_more() {
    let stage = Stage::new();
    let file = stage.write("d/x.txt", "x\n");
    let client = careful(&stage);
    client.ready().await;
    subscribe(&client, &file).await;
    fs::rename(stage.root.join("d"), stage.root.join("e")).unwrap();
    assert_eq!(told(&client).await, [uri(&file)]);
    let again = stage.write("a/y.txt", "y\n");
    subscribe(&client, &again).await;
    fs::write(stage.root.join("e/x.txt"), "this is another file\n").unwrap();
    told_only(&client, &again).await;
}

#[tokio::test]
async fn a_listener_is_told_what_it_will_hear_of() {
    let stage = Stage::new();
    let (file, hidden) = (stage.root.join("a/ok.txt"), stage.write("b.key", "x\n"));
    let setup = Setup { settings: json!({ "hidden": ["*.key"] }), ..stage.setup() };
    let client = stage.start(setup).modern();
    let wanted = json!({ "resourceSubscriptions": [uri(&file), uri(&hidden)] });
    let params = json!({ "notifications": wanted, "_meta": client.meta() });
    let listening = client.clone();
    let listening = tokio::spawn(async move { listening.send("subscriptions/listen", params).await });
    let mut notes = Vec::new();
    while notes.is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
        notes = client.notes();
    }
    assert_eq!(notes[0]["params"]["notifications"]["resourceSubscriptions"], json!([uri(&file)]));
    fs::write(&hidden, "y\n").unwrap();
    told_only(&client, &file).await;
    listening.abort();
}
