//! V-04: `revert_change` is judged by what it does, and never takes back what a person undid.
use overt_layers::{Control, PolicySnapshot};
use overt_policy::{Authority, NoDomain, Policy};
use serde_json::{Value, json};

use super::stage::{Answer, Stage, ask_once, person_undoes};

async fn write(stage: &Stage, content: &str) -> String {
    stage.call("write_file", json!({ "path": "a", "content": content })).await.change()
}

/// Checks that an agent can't undo this, and that the refusal says what a person did.
async fn is_left(stage: &Stage, named: Value) {
    let before = stage.exactly();
    for answer in [
        stage.preview("revert_change", named.clone()).await,
        stage.call("revert_change", named.clone()).await,
    ] {
        assert_eq!(answer.code(), "UNDONE_BY_PERSON", "{named} {}", answer.0);
        assert!(answer.text().contains("the user took back"), "{}", answer.text());
        assert!(answer.text().contains("make a new change with `edit_file`"), "{}", answer.text());
    }
    assert_eq!(stage.exactly(), before, "{named}");
}

#[tokio::test]
async fn v_04_what_a_person_undid_is_not_redone() {
    let stage = Stage::new();
    stage.write("a", "0");
    let first = write(&stage, "1").await;
    let second = write(&stage, "2").await;
    let undoing = person_undoes(&stage.place, &second);
    assert_eq!(stage.read("a"), "1");
    is_left(&stage, json!({ "change": undoing })).await;
    is_left(&stage, json!({ "change": second })).await;
    // The path's latest change is the person's. It is not passed over to an older one.
    is_left(&stage, json!({ "path": "a" })).await;
    // A new change is judged as one, and can be undone by path: back to what the person left.
    let third = write(&stage, "2").await;
    let undone = stage.call("revert_change", json!({ "path": "a" })).await;
    assert_eq!((&undone.ok()["reverted"], &*stage.read("a")), (&json!(third), "1"));
    is_left(&stage, json!({ "path": "a" })).await;
    // An older change that the person left can be undone by its id.
    stage.call("revert_change", json!({ "change": first })).await.ok();
    assert_eq!(stage.read("a"), "0");
}

/// A person who redoes a change has decided about it too.
#[tokio::test]
async fn v_04_what_a_person_redid_is_not_undone() {
    let stage = Stage::new();
    stage.write("a", "0");
    let change = write(&stage, "1").await;
    let undoing = person_undoes(&stage.place, &change);
    let redoing = person_undoes(&stage.place, &undoing);
    assert_eq!(stage.read("a"), "1");
    for named in [change, undoing, redoing] {
        is_left(&stage, json!({ "change": named })).await;
    }
    is_left(&stage, json!({ "path": "a" })).await;
    // The agent undid something, and the person brought it back.
    let change = write(&stage, "2").await;
    let undone = stage.call("revert_change", json!({ "change": change })).await.change();
    person_undoes(&stage.place, &undone);
    assert_eq!(stage.read("a"), "2");
    is_left(&stage, json!({ "change": change })).await;
    is_left(&stage, json!({ "path": "a" })).await;
}

/// A folder that a person brought back holds the paths inside it too.
#[tokio::test]
async fn v_04_a_person_undoes_for_what_is_inside_too() {
    let stage = Stage::new();
    stage.write("d/a", "0");
    let edited = stage.call("write_file", json!({ "path": "d/a", "content": "1" })).await.change();
    let deleted = stage.call("delete_file", json!({ "path": "d", "recursive": true })).await.change();
    person_undoes(&stage.place, &deleted);
    is_left(&stage, json!({ "path": "d" })).await;
    is_left(&stage, json!({ "path": "d/a" })).await;
    stage.call("revert_change", json!({ "change": edited })).await.ok();
    assert_eq!(stage.read("d/a"), "0");
}

/// Calls of a client without dialogs, under a policy that asks about deletions.
async fn under(stage: &Stage, policy: Value, arguments: Value) -> Answer {
    let ceiling = Policy::parse(&policy, &NoDomain).unwrap();
    let authority = Authority { ceiling, honour_declared_approval: true, ..Authority::open() };
    let control = Control::new(PolicySnapshot::new(authority));
    let handler = overt_layers::build(stage.server.endpoint().unwrap(), control);
    ask_once(&handler, "revert_change", arguments).await
}

/// What each undoing does, and the names by which it is denied.
#[tokio::test]
async fn v_04_an_undoing_is_judged_by_what_it_does() {
    for (tool, arguments, acts_as) in [
        ("write_file", json!({ "path": "new", "content": "new" }), "delete_file"),
        ("write_file", json!({ "path": "n/e/w", "content": "new" }), "delete_file"),
        ("create_directory", json!({ "path": "p/q" }), "delete_file"),
        ("copy_file", json!({ "from": "a", "to": "b" }), "delete_file"),
        ("write_file", json!({ "path": "a", "content": "2" }), "write_file"),
        (
            "edit_file",
            json!({ "path": "a", "edits": [{ "find": "0", "replace": "1" }, { "path": "d/x", "find": "X", "replace": "Y" }] }),
            "write_file",
        ),
        ("move_file", json!({ "from": "a", "to": "b" }), "move_file"),
        ("delete_file", json!({ "path": "d", "recursive": true }), "write_file"),
    ] {
        let stage = Stage::new();
        stage.write("a", "0");
        stage.write("d/x", "X");
        let before = stage.tree();
        let change = json!({ "change": stage.call(tool, arguments.clone()).await.change() });
        let after = stage.tree();
        // It is denied by the name of what it does, and by no other.
        for name in ["delete_file", "write_file", "move_file"] {
            let policy = json!({ "tools": { "deny": [name] } });
            let meta = json!({ "preview": true, "policy": policy });
            let preview = stage.call_with("revert_change", change.clone(), meta).await;
            assert_eq!(preview.is_error(), name == acts_as, "{tool} {arguments} {name}: {}", preview.0);
            if name == acts_as {
                let refused = under(&stage, policy, change.clone()).await;
                assert_eq!(refused.code(), "PERMISSION_DENIED", "{tool} {arguments}");
            }
            assert_eq!(stage.tree(), after, "{tool} {arguments} {name}");
        }
        // Only what deletes asks a person.
        let answer = under(&stage, json!({}), change.clone()).await;
        match acts_as {
            "delete_file" => {
                assert_eq!(answer.code(), "PERMISSION_NOT_GRANTED", "{tool} {arguments}");
                assert_eq!(stage.tree(), after, "{tool} {arguments}");
            }
            _ => assert_eq!((answer.is_error(), stage.tree()), (false, before), "{tool} {arguments}"),
        }
    }
}
