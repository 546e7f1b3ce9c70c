//! V-05: changes of files that start programs by themselves or permit tools, on every way on which
//! such a file can come about.
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use overt_layers::Control;
use overt_layers::grants::{Answer as Said, Breadth, Extent, GrantLifetime, MemoryStore, StateStore as _};
use overt_testkit::person::answering;
use overt_wire::Handler;
use serde_json::{Value, json};

use super::super::super::{FileServer, Options};
use super::stage::{Answer, Stage, ask, ask_once, session, values};

const SERVERS: &str = r#"{"mcpServers":{"a":{"command":"overt","args":["run","--","a"]}}}"#;
const REFUSED: &str = "PATH_GUARDED";
const ASKED: &str = "PERMISSION_NOT_GRANTED";

/// A project as they are, and folders that could take the place of guarded ones.
fn project() -> Stage {
    let stage = Stage::new();
    for (path, content) in [
        ("a.txt", "a\n"),
        ("src/tasks.json", "{}"),
        (".mcp.json", SERVERS),
        (".git/config", "[core]\n"),
        (".git/hooks/pre-commit.sample", "#!/bin/sh\n"),
        ("evil/hooks/pre-commit", "#!/bin/sh\n"),
        ("evil/config", "[core]\n"),
        ("vsc/tasks.json", "{}"),
        ("vsc/mcp.json", r#"{"servers":{"a":{}}}"#),
        ("editor/deep/tasks.json", "{}"),
        ("servers.json", SERVERS),
        ("none.json", "{\"other\": 1}"),
        (".claude/settings.json", r#"{"permissions":{"deny":["Bash"]},"theme":"dark"}"#),
        ("elsewhere/tasks.json", "{}"),
    ] {
        stage.write(path, content);
    }
    symlink(".vscode-real", stage.root.join("link-out")).unwrap();
    fs::create_dir(stage.root.join(".vscode")).unwrap();
    symlink(".vscode", stage.root.join("notes")).unwrap();
    fs::create_dir_all(stage.root.join("other")).unwrap();
    symlink("../elsewhere", stage.root.join("other/.vscode")).unwrap();
    symlink("vsc", stage.root.join("to-vsc")).unwrap();
    stage
}

/// Every way, with the code of its answer and a part of its text.
fn ways() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    let write =
        |path: &str, content: &str| json!({ "path": path, "content": content, "create_parents": true });
    let edit = |path: &str, find: &str, replace: &str| json!({ "path": path, "edits": [{ "find": find, "replace": replace }] });
    let both = |from: &str, to: &str| json!({ "from": from, "to": to });
    vec![
        // Members that start servers or permit tools.
        ("write_file", write(".mcp.json", "{}"), REFUSED, "`mcpServers` in it starts servers"),
        (
            "write_file",
            write("sub/.mcp.json", SERVERS),
            REFUSED,
            "`sub/.mcp.json` is the configuration of Claude Code",
        ),
        ("write_file", write(".MCP.json", SERVERS), REFUSED, "`.MCP.json`"),
        ("write_file", write(".cursor/mcp.json", SERVERS), REFUSED, "the configuration of Cursor"),
        ("edit_file", edit(".mcp.json", "overt", "evil"), REFUSED, "`mcpServers`"),
        ("edit_file", edit(".claude/settings.json", "Bash", "Read"), REFUSED, "`permissions`"),
        (
            "write_file",
            write(".vscode/settings.json", "{\"chat.tools.autoApprove\":true}"),
            REFUSED,
            "`chat.tools",
        ),
        ("write_file", write("notes/mcp.json", r#"{"servers":{}}"#), REFUSED, "`servers`"),
        ("write_file", write("overt.toml", "x = 1"), REFUSED, "Overt's settings"),
        ("delete_file", json!({ "path": ".mcp.json" }), REFUSED, "`mcpServers`"),
        ("delete_file", json!({ "path": ".claude", "recursive": true }), REFUSED, "`.claude/settings.json`"),
        ("move_file", both(".mcp.json", "old.json"), REFUSED, "`mcpServers`"),
        ("move_file", both("servers.json", "src/.mcp.json"), REFUSED, "`mcpServers`"),
        ("copy_file", both("servers.json", "src/.mcp.json"), REFUSED, "`mcpServers`"),
        ("copy_file", both("vsc", "src/.vscode"), REFUSED, "`src/.vscode/mcp.json`"),
        ("move_file", both("vsc", "src/.VSCode"), REFUSED, "`src/.VSCode/mcp.json`"),
        // Other members of these files.
        (
            "edit_file",
            edit(".claude/settings.json", "dark", "light"),
            ASKED,
            "`.claude/settings.json` is the settings of Claude Code",
        ),
        ("copy_file", both("none.json", "src/.mcp.json"), ASKED, "the configuration of Claude Code"),
        // Files that start programs by themselves.
        (
            "write_file",
            write(".git/hooks/pre-commit", "#!/bin/sh\n"),
            ASKED,
            "`.git/hooks/pre-commit` is a git hook",
        ),
        ("write_file", write(".envrc", "x"), ASKED, "`.envrc` is a file that direnv runs"),
        ("write_file", write(".vscode/tasks.json", "{}"), ASKED, "the tasks of VS Code"),
        ("write_file", write("new/.vscode/tasks.json", "{}"), ASKED, "the tasks of VS Code"),
        ("write_file", write("notes/tasks.json", "{}"), ASKED, "the tasks of VS Code"),
        ("write_file", write("other/.vscode/tasks.json", "{\"x\":1}"), ASKED, "the tasks of VS Code"),
        ("edit_file", edit(".git/config", "core", "alias"), ASKED, "git's settings"),
        (
            "create_directory",
            json!({ "path": "src/.git/hooks", "create_parents": true }),
            ASKED,
            "a git hook",
        ),
        ("move_file", both("evil", "src/.git"), ASKED, "`src/.git` is git's own file"),
        ("move_file", both(".git", "old-git"), ASKED, "`.git/hooks"),
        ("copy_file", both("evil/hooks", ".git/hooks2"), ASKED, "git's own file"),
        (
            "move_file",
            both("editor/deep", "editor/.vscode"),
            ASKED,
            "`editor/.vscode/tasks.json` is the tasks of VS Code",
        ),
        ("move_file", both("evil/hooks/pre-commit", ".git/hooks/pre-commit"), ASKED, "a git hook"),
        ("copy_file", both("src/tasks.json", ".vscode/tasks.json"), ASKED, "the tasks of VS Code"),
        ("copy_file", both("to-vsc", "src/.vscode"), ASKED, "a link that can lead to"),
        ("move_file", both("link-out", "src/.claude"), ASKED, "a link that can lead to"),
        ("delete_file", json!({ "path": ".git", "recursive": true }), ASKED, "git's"),
        ("delete_file", json!({ "path": ".git/config" }), ASKED, "git's settings"),
    ]
}

#[tokio::test]
async fn v_05_every_way_to_a_guarded_file_is_refused_or_asked_about() {
    for (tool, arguments, code, part) in ways() {
        let stage = project();
        let before = stage.exactly();
        let answer = stage.call(tool, arguments.clone()).await;
        assert!(answer.is_error(), "{tool} {arguments} was made");
        assert_eq!(answer.code(), code, "{tool} {arguments}: {}", answer.text());
        assert!(answer.text().contains(part), "{tool} {arguments}: {}", answer.text());
        assert_eq!(stage.exactly(), before, "{tool} {arguments}");
        // A preview of what is refused is refused; of what is asked about, it is shown.
        let preview = stage.preview(tool, arguments.clone()).await;
        assert_eq!(preview.is_error(), code != ASKED, "{tool} {arguments}: {}", preview.0);
    }
}

/// The same tools on files beside the guarded ones work as before, unasked.
#[tokio::test]
async fn v_05_ordinary_changes_stay_unasked() {
    let stage = project();
    for (tool, arguments) in [
        ("write_file", json!({ "path": "b.txt", "content": "b" })),
        ("write_file", json!({ "path": ".vscode/extensions.json", "content": "{}" })),
        ("write_file", json!({ "path": ".github/workflows/ci.yml", "content": "", "create_parents": true })),
        ("write_file", json!({ "path": "hooks/use.ts", "content": "", "create_parents": true })),
        ("write_file", json!({ "path": "mcp.json", "content": SERVERS })),
        ("edit_file", json!({ "path": "a.txt", "edits": [{ "find": "a", "replace": "b" }] })),
        ("create_directory", json!({ "path": "x/y", "create_parents": true })),
        ("move_file", json!({ "from": "editor", "to": "x/editor" })),
        ("copy_file", json!({ "from": "vsc", "to": "vsc2" })),
        ("move_file", json!({ "from": "to-vsc", "to": "vsc-link" })),
    ] {
        let answer = stage.call(tool, arguments.clone()).await;
        assert!(!answer.is_error(), "{tool} {arguments}: {}", answer.text());
    }
}

/// Taking a change back is judged by what it puts in place, too.
#[tokio::test]
async fn v_05_what_an_undo_restores_is_judged() {
    let stage = project();
    // A person makes both changes; then the agent takes them back.
    for (path, code, part) in
        [(".mcp.json", REFUSED, "`mcpServers`"), (".git/hooks", ASKED, "`.git/hooks"), ("src", "", "")]
    {
        let asked = Asked::of(&stage);
        let arguments = json!({ "path": path, "recursive": true });
        if code == REFUSED {
            // The servers are taken out by hand, so that the file itself may go.
            stage.write(path, "{}");
        }
        let change = asked.agreed("delete_file", &arguments).await;
        if code == REFUSED {
            // What is kept for the change gets servers, as if they had been there.
            let kept = fs::read_dir(stage.place.join("journal")).unwrap().flatten();
            let kept =
                kept.map(|entry| entry.path()).find(|path| fs::read(path).is_ok_and(|text| text == b"{}"));
            fs::write(kept.expect("the file is kept"), SERVERS).unwrap();
        }
        let reverted = stage.call("revert_change", json!({ "change": change })).await;
        match code {
            "" => assert!(!reverted.is_error(), "{}", reverted.0),
            code => {
                assert_eq!(reverted.code(), code, "{path}: {}", reverted.text());
                assert!(reverted.text().contains(part), "{path}: {}", reverted.text());
                assert!(!stage.has(path), "{path}");
            }
        }
    }
}

/// A client's folder counts where a variable puts it.
#[tokio::test]
async fn v_05_a_folder_that_stands_for_a_usual_one_is_guarded() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    let client_folders = vec![(root.join("moved"), ".codex".to_owned())];
    let options = Options { client_folders, ..Options::new(vec![root], values(&json!({}))) };
    let handler = overt_layers::open(FileServer::open(&options).unwrap().endpoint().unwrap());
    for (path, code) in [("moved/config.toml", REFUSED), ("moved/hooks.json", ASKED)] {
        let arguments =
            json!({ "path": path, "content": "approval_policy = \"never\"", "create_parents": true });
        assert_eq!(ask_once(&handler, "write_file", arguments).await.code(), code, "{path}");
    }
}

/// What is asked about is done after a yes to this call, and asked about the next time.
#[tokio::test]
async fn v_05_a_yes_is_for_this_call() {
    let stage = project();
    let asked = Asked::of(&stage);
    for content in ["#!/bin/sh\n", "#!/bin/sh\nx\n"] {
        let arguments = json!({ "path": ".git/hooks/pre-commit", "content": content });
        asked.agreed("write_file", &arguments).await;
        assert_eq!(stage.read(".git/hooks/pre-commit"), content);
    }
}

/// A client without dialogs, and a person who answers through the store.
struct Asked {
    handler: Arc<dyn Handler>,
    store: Arc<MemoryStore>,
}

impl Asked {
    fn of(stage: &Stage) -> Self {
        let store = Arc::new(MemoryStore::default());
        let control = Control::open().store(Arc::<MemoryStore>::clone(&store));
        Self { handler: overt_layers::build(stage.server.endpoint().unwrap(), control), store }
    }

    /// Makes a call to which a person agrees, if one is asked, and returns its change.
    async fn agreed(&self, tool: &str, arguments: &Value) -> String {
        let session = session();
        let call =
            async || -> Answer { ask(&self.handler, &session, tool, arguments.clone(), json!({})).await };
        let first = call().await;
        if !first.is_error() {
            return first.change();
        }
        assert_eq!(first.code(), ASKED, "{}", first.text());
        let open = self.store.questions().await.unwrap();
        let yes = Said::Yes {
            lifetime: GrantLifetime::Once,
            extent: Extent::Project,
            breadth: Breadth::Call,
            expires: None,
        };
        self.store.answer(answering(&open[0].id, &open[0].question, yes)).await.unwrap();
        call().await.change()
    }
}
