//! I-03: a change that does not fit the journal is asked about, made once a person agrees, and
//! marked as one that can't be undone.
use std::os::unix::net::UnixListener;
use std::sync::Arc;

use overt_layers::Control;
use overt_layers::grants::{Answer as Said, Breadth, Extent, GrantLifetime, MemoryStore, StateStore as _};
use overt_testkit::person::answering;
use overt_wire::{Handler, Session};
use serde_json::{Value, json};

use super::super::super::FileServer;
use super::stage::{Answer, Stage, ask, session};

/// A client without dialogs, and a person who answers through the grant store.
pub(super) struct Asked<'a> {
    stage: Option<&'a Stage>,
    handler: Arc<dyn Handler>,
    session: Arc<Session>,
    store: Arc<MemoryStore>,
}

impl<'a> Asked<'a> {
    pub(super) fn of(stage: &'a Stage) -> Self {
        Self { stage: Some(stage), ..Self::of_server(&stage.server) }
    }

    pub(super) fn of_server(server: &Arc<FileServer>) -> Self {
        let store = Arc::new(MemoryStore::default());
        let control = Control::open().store(Arc::<MemoryStore>::clone(&store));
        let handler = overt_layers::build(server.endpoint().unwrap(), control);
        Self { stage: None, handler, session: session(), store }
    }

    pub(super) async fn call(&self, tool: &str, arguments: &Value) -> Answer {
        ask(&self.handler, &self.session, tool, arguments.clone(), json!({})).await
    }

    /// Checks that the call is refused and changes nothing, then makes it once a person agreed.
    pub(super) async fn agreed(&self, tool: &str, arguments: Value) -> Answer {
        self.agree(tool, &arguments).await;
        self.call(tool, &arguments).await
    }

    /// Checks that the call is refused and changes nothing. Then a person agrees to it.
    pub(super) async fn agree(&self, tool: &str, arguments: &Value) {
        let before = self.stage.map(Stage::exactly);
        let refused = self.call(tool, arguments).await;
        assert_eq!(refused.code(), "PERMISSION_NOT_GRANTED", "{tool}");
        assert!(refused.text().contains("could not be undone"), "{}", refused.text());
        assert_eq!(self.stage.map(Stage::exactly), before, "{tool}");
        let open = self.store.questions().await.unwrap();
        let shown = open[0].question.shown.changes.as_ref().unwrap();
        assert!(shown.irreversible.is_some(), "{shown:?}");
        let yes = Said::Yes {
            lifetime: GrantLifetime::Once,
            extent: Extent::Project,
            breadth: Breadth::Call,
            expires: None,
        };
        self.store.answer(answering(&open[0].id, &open[0].question, yes)).await.unwrap();
    }
}

fn small() -> Value {
    json!({ "journal_max_bytes": 100_000 })
}

/// A large file is deleted or overwritten once a person agreed. Its content is not kept, and every
/// answer says so.
#[tokio::test]
async fn i_03_what_does_not_fit_the_journal_is_done_once_a_person_agrees() {
    let large = "x".repeat(120_000);
    for (tool, arguments, paths) in [
        ("delete_file", json!({ "path": "big" }), "big"),
        ("delete_file", json!({ "path": "d", "recursive": true }), "d"),
        ("write_file", json!({ "path": "big", "content": "new" }), "big"),
        ("write_file", json!({ "path": "small", "content": large }), "small"),
        ("edit_file", json!({ "path": "lines", "edits": [{ "find": "needle", "replace": "n" }] }), "lines"),
    ] {
        let stage = Stage::with(small());
        stage.write("big", &large);
        stage.write("small", "s");
        stage.write("d/e/one", &large);
        stage.write("lines", format!("{large}\nneedle\n"));
        stage.write("other", "1");
        let asked = Asked::of(&stage);
        let earlier = asked.call("write_file", &json!({ "path": "other", "content": "2" })).await.change();
        let done = asked.agreed(tool, arguments).await;
        let result = done.ok();
        assert_eq!(
            (&result["irreversible"], result.get("change")),
            (&json!(true), None),
            "{tool}: {}",
            done.0
        );
        // `list_changes` and the attempt to undo both say why.
        let listed = asked.call("list_changes", &json!({ "path": paths })).await;
        let listed = &listed.ok()["changes"][0];
        assert!(listed["irreversible"].as_str().unwrap().contains("keeps at most 100000"), "{listed}");
        for named in [json!({ "path": paths }), json!({ "change": listed["change"] })] {
            let refused = asked.call("revert_change", &named).await;
            assert_eq!(refused.code(), "NOT_KEPT", "{tool}: {}", refused.0);
            assert!(refused.text().contains("keeps at most 100000"), "{}", refused.text());
        }
        // Changes that were kept before can still be undone.
        asked.call("revert_change", &json!({ "change": earlier })).await.ok();
        assert_eq!(stage.read("other"), "1");
        let kept: u64 = bytes_in(&stage.place.join("journal"));
        assert!(kept < 20_000, "{tool}: {kept} bytes in the journal");
    }
}

/// V-04: undoing deletes for good what the journal can't keep, so it asks each time, although our
/// own change made it.
#[tokio::test]
async fn v_04_an_undoing_that_removes_for_good_asks_each_time() {
    let large = "x".repeat(120_000);
    for (tool, arguments) in [
        ("copy_file", json!({ "from": "a", "to": "b" })),
        ("write_file", json!({ "path": "b", "content": large })),
        ("write_file", json!({ "path": "d/b", "content": large })),
    ] {
        let stage = Stage::with(small());
        stage.write("a", &large);
        let before = stage.tree();
        let asked = Asked::of(&stage);
        let change = asked.call(tool, &arguments).await.change();
        let undone = asked.agreed("revert_change", json!({ "change": change })).await;
        assert_eq!(
            (&undone.ok()["irreversible"], undone.ok().get("change")),
            (&json!(true), None),
            "{tool}: {}",
            undone.0
        );
        assert_eq!(stage.tree(), before, "{tool}");
        // The journal knows that it was undone.
        let listed = asked.call("list_changes", &json!({})).await;
        let listed = &listed.ok()["changes"];
        assert_eq!((&listed[0]["undoes"], &listed[1]["undone"]), (&json!(change), &json!(true)), "{listed}");
        assert!(listed[0]["irreversible"].as_str().unwrap().contains("keeps at most 100000"), "{listed}");
    }
}

/// Returns the bytes of all files beneath a folder.
fn bytes_in(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { bytes_in(&path) } else { path.metadata().unwrap().len() }).sum()
}

/// Each call is asked about: a yes does not count for another call, or after the file has changed.
#[tokio::test]
async fn i_03_a_yes_is_for_what_was_shown() {
    let stage = Stage::with(small());
    stage.write("a", "x".repeat(120_000));
    let asked = Asked::of(&stage);
    let arguments = json!({ "path": "a" });
    assert_eq!(asked.call("delete_file", &arguments).await.code(), "PERMISSION_NOT_GRANTED");
    let open = asked.store.questions().await.unwrap();
    let yes = Said::Yes {
        lifetime: GrantLifetime::Once,
        extent: Extent::Project,
        breadth: Breadth::Call,
        expires: None,
    };
    asked.store.answer(answering(&open[0].id, &open[0].question, yes)).await.unwrap();
    // Another program writes to the file before the call is repeated.
    stage.write("a", "y".repeat(130_000));
    assert_eq!(asked.call("delete_file", &arguments).await.code(), "PERMISSION_NOT_GRANTED");
    assert_eq!(stage.read("a").len(), 130_000);
}

/// If the operator or the client has set `refuse`, nobody is asked; the error says what to do
/// instead.
#[tokio::test]
async fn i_03_the_operator_can_refuse_what_cannot_be_undone() {
    let stage = Stage::with(json!({ "journal_max_bytes": 100_000, "irreversible": "refuse" }));
    stage.write("a", "x".repeat(120_000));
    let asked = Asked::of(&stage);
    for (tool, arguments) in
        [("delete_file", json!({ "path": "a" })), ("write_file", json!({ "path": "a", "content": "" }))]
    {
        let refused = asked.call(tool, &arguments).await;
        assert_eq!(refused.code(), "FILE_TOO_LARGE", "{tool}");
        assert!(refused.text().contains("raise `journal_max_bytes`"), "{}", refused.text());
    }
    assert!(asked.store.questions().await.unwrap().is_empty());
    assert_eq!(stage.read("a").len(), 120_000);
}

/// Editing several files all-or-nothing needs the journal, so it is refused without room in it.
#[tokio::test]
async fn i_03_several_files_are_not_edited_without_the_journal() {
    let stage = Stage::with(small());
    stage.write("a", format!("{}\nneedle\n", "x".repeat(120_000)));
    stage.write("b", "needle");
    let asked = Asked::of(&stage);
    let edits: Vec<Value> =
        ["a", "b"].map(|path| json!({ "path": path, "find": "needle", "replace": "n" })).into();
    let refused = asked.call("edit_file", &json!({ "edits": edits })).await;
    assert_eq!(refused.code(), "FILE_TOO_LARGE");
    assert!(asked.store.questions().await.unwrap().is_empty());
}

/// A socket can't be copied to a journal on another file system.
#[tokio::test]
async fn i_03_what_cannot_be_copied_to_the_journal_is_asked_about() {
    let stage = Stage::with_journal_elsewhere();
    stage.write("d/a", "A");
    drop(UnixListener::bind(stage.root.join("d/socket")).unwrap());
    let asked = Asked::of(&stage);
    asked.agreed("delete_file", json!({ "path": "d", "recursive": true })).await.ok();
    assert!(!stage.has("d"));
}
