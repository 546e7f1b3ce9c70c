//! Changing tools must not reveal what may not be read.
use overt_layers::{Control, PolicySnapshot};
use overt_policy::Authority;
use overt_policy::scope::Scope;
use serde_json::json;

use super::stage::{Client, Setup, Stage};

/// A client that may change everything in the root. Each call says which files may not be read.
fn client(stage: &Stage) -> Client {
    let root = stage.root.to_str().unwrap();
    let scope = |action: &str| Scope::parse(&format!("{action}:file:{root}")).unwrap();
    let base = ["read", "write"].into_iter().map(scope).collect();
    let authority = Authority { base, ..Authority::careful() };
    let (control, journal) = (Control::new(PolicySnapshot::new(authority)), stage.open_folder("journal"));
    stage.start(Setup { control: Some(control), journal: Some(journal), ..stage.setup() })
}

/// FS-28, B-05: a file that may not be read can't be moved to where it may be read.
#[tokio::test]
async fn fs_28_what_must_not_be_read_is_not_moved() {
    let stage = Stage::new();
    stage.write("d/keep/k", "KEPT\n");
    stage.write("d/free", "FREE\n");
    let denied = format!("read:file:{}/d/keep", stage.root.display());
    let client = client(&stage).saying(json!({ "denied_scopes": denied }));
    for from in ["d/keep", "d/keep/k", "d"] {
        let moved = client.call("move_file", json!({ "from": from, "to": "x" })).await;
        assert!(!moved.is_ok(), "{from}: {moved:?}");
    }
    client.call("move_file", json!({ "from": "d/free", "to": "x" })).await.value();
}

/// Overwriting a file does not reveal its old content in the diff.
#[tokio::test]
async fn what_must_not_be_read_is_not_shown_by_writing() {
    let stage = Stage::new();
    stage.write("w", "old and SECRET\n");
    let denied = format!("read:file:{}/w", stage.root.display());
    let client = client(&stage).saying(json!({ "denied_scopes": denied }));
    let write = json!({ "path": "w", "content": "more\n", "mode": "append" });
    let edit = json!({ "path": "w", "edits": [{ "find": "old", "replace": "new" }] });
    for answer in [
        client.call("write_file", write).await,
        client.call("edit_file", edit.clone()).await,
        client.preview("edit_file", edit).await,
    ] {
        assert!(!answer.0.to_string().contains("SECRET"), "{answer:?}");
    }
    assert_eq!(std::fs::read_to_string(stage.root.join("w")).unwrap(), "old and SECRET\nmore\n");
}
