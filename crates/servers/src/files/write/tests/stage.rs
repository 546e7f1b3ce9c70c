//! A server over a temporary tree, with a journal, and its callers.
#![expect(clippy::needless_pass_by_value, reason = "`json!` at each call")]
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use overt_policy::finding::{Findings, Pointer};
use overt_settings::{DeclaredSettings, Origin, SettingValues};
use overt_testkit::person::authorised;
use overt_wire::json::Limits;
use overt_wire::{Exchange, Handler, Message, NoClient, Principal, Session};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::super::{FileServer, History, Options, settings};

/// `place/root` is served, and `place/journal` is the journal.
pub(super) struct Stage {
    _place: TempDir,
    _elsewhere: Option<TempDir>,
    pub(super) place: PathBuf,
    pub(super) root: PathBuf,
    pub(super) server: Arc<FileServer>,
    handler: Arc<dyn Handler>,
    session: Arc<Session>,
}

/// The answer to a call.
#[derive(Debug, Clone)]
pub(crate) struct Answer(pub(crate) Value);

impl Stage {
    pub(super) fn new() -> Self {
        Self::with(json!({}))
    }

    /// A stage in memory, if the system has a folder for that, so that tests with hundreds of syncs
    /// don't wait for a disk.
    pub(super) fn fast() -> Self {
        let guard = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self::on(guard.unwrap(), &[], json!({}))
    }

    pub(super) fn with(table: Value) -> Self {
        Self::on(tempfile::tempdir().unwrap(), &[], table)
    }

    /// A stage with further roots besides its own.
    pub(super) fn on(guard: TempDir, more: &[PathBuf], table: Value) -> Self {
        let place = guard.path().canonicalize().unwrap();
        let root = place.join("root");
        fs::create_dir_all(&root).unwrap();
        let mut roots = vec![root.clone()];
        roots.extend_from_slice(more);
        let (server, handler) = start(roots, Some(place.join("journal")), &table);
        Self { _place: guard, _elsewhere: None, place, root, server, handler, session: session() }
    }

    /// A stage with the journal on another file system, if this machine has one.
    pub(super) fn with_journal_elsewhere() -> Self {
        let guard = tempfile::tempdir().unwrap();
        let place = guard.path().canonicalize().unwrap();
        let root = place.join("root");
        fs::create_dir_all(&root).unwrap();
        let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
        let journal = elsewhere.path().join("journal");
        assert_ne!(fs::metadata(elsewhere.path()).unwrap().dev(), fs::metadata(&root).unwrap().dev());
        let (server, handler) = start(vec![root.clone()], Some(journal), &json!({}));
        Self { _place: guard, _elsewhere: Some(elsewhere), place, root, server, handler, session: session() }
    }

    /// Another server over the same tree, like another process.
    pub(super) fn again(&self, table: Value) -> (Arc<FileServer>, Arc<dyn Handler>) {
        start(vec![self.root.clone()], Some(self.place.join("journal")), &table)
    }

    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        self.call_with(tool, arguments, json!({})).await
    }

    pub(super) async fn preview(&self, tool: &str, arguments: Value) -> Answer {
        self.call_with(tool, arguments, json!({ "preview": true })).await
    }

    pub(super) async fn call_with(&self, tool: &str, arguments: Value, meta: Value) -> Answer {
        ask(&self.handler, &self.session, tool, arguments, meta).await
    }

    pub(super) fn write(&self, inner: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(inner);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(super) fn read(&self, inner: &str) -> String {
        String::from_utf8(fs::read(self.root.join(inner)).unwrap()).unwrap()
    }

    pub(super) fn has(&self, inner: &str) -> bool {
        self.root.join(inner).symlink_metadata().is_ok()
    }

    /// Returns everything in the place, with content, mode, inode and times.
    pub(super) fn exactly(&self) -> BTreeMap<PathBuf, String> {
        let mut all = BTreeMap::new();
        walk(&self.place, &mut |path| {
            let about = path.symlink_metadata().unwrap();
            let content =
                if about.is_file() { format!("{:?}", fs::read(path).unwrap()) } else { String::new() };
            let facts = (about.mode(), about.ino(), about.mtime(), about.mtime_nsec());
            all.insert(path.to_owned(), format!("{facts:?} {content}"));
        });
        all
    }

    /// Returns everything in the root: the path with its content, its link target or `/`.
    pub(super) fn tree(&self) -> BTreeMap<String, String> {
        tree_of(&self.root)
    }
}

pub(super) fn tree_of(root: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    walk(root, &mut |path| {
        let about = path.symlink_metadata().unwrap();
        let content = if about.is_file() {
            String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
        } else if about.is_symlink() {
            format!("-> {}", fs::read_link(path).unwrap().display())
        } else {
            "/".to_owned()
        };
        all.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(), content);
    });
    all
}

fn walk(folder: &Path, see: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        see(&path);
        if path.symlink_metadata().unwrap().is_dir() {
            walk(&path, see);
        }
    }
}

pub(super) fn mode(path: impl AsRef<Path>) -> u32 {
    path.as_ref().symlink_metadata().unwrap().permissions().mode() & 0o7777
}

pub(super) fn session() -> Arc<Session> {
    Session::of_connection("s".into(), Principal::local(), Arc::new(NoClient))
}

fn start(
    roots: Vec<PathBuf>,
    journal: Option<PathBuf>,
    table: &Value,
) -> (Arc<FileServer>, Arc<dyn Handler>) {
    let options = Options { journal, ..Options::new(roots, values(table)) };
    let server = FileServer::open(&options).unwrap();
    let endpoint = server.endpoint().unwrap_or_else(|error| panic!("{error}"));
    (Arc::clone(&server), overt_layers::open(endpoint))
}

pub(super) async fn ask(
    handler: &Arc<dyn Handler>,
    session: &Arc<Session>,
    tool: &str,
    arguments: Value,
    mut meta: Value,
) -> Answer {
    meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let text = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let message = Message::parse(text.into_bytes(), &Limits::default()).unwrap();
    let exchange = Exchange::new(message, Arc::clone(session), Arc::new(NoClient)).unwrap();
    Answer(serde_json::from_str(handler.call(exchange).await.unwrap().text()).unwrap())
}

pub(crate) async fn ask_once(handler: &Arc<dyn Handler>, tool: &str, arguments: Value) -> Answer {
    ask(handler, &session(), tool, arguments, json!({})).await
}

/// A person undoes a change. `files` is the folder of the journal. Returns the id of the undoing.
pub(crate) fn person_undoes(files: &Path, change: &str) -> String {
    let batch = History::open(files).unwrap().unwrap().plan(&[change.to_owned()]).unwrap();
    let undoing = authorised(batch.action());
    let undone = batch.apply(&undoing);
    assert!(undone.failed.is_none(), "{:?}", undone.failed);
    undone.done[0].by.clone().unwrap()
}

/// Settings as an operator would set them.
pub(crate) fn values(table: &Value) -> SettingValues {
    let declared = Arc::new(DeclaredSettings::new(settings()).unwrap());
    let mut findings = Findings::default();
    let table = table.as_object().unwrap();
    let given = declared.read(table, &Pointer::root(), |_| Origin::Default, &mut findings);
    assert!(!findings.has_errors(), "{findings}");
    SettingValues::defaults(declared).over(given)
}

impl Answer {
    /// Returns the structured content of a successful call.
    #[track_caller]
    pub(crate) fn ok(&self) -> &Value {
        assert!(!self.is_error(), "{}", self.0);
        &self.0["result"]["structuredContent"]
    }

    pub(crate) fn is_error(&self) -> bool {
        self.0.get("error").is_some() || self.0["result"]["isError"] == json!(true)
    }

    /// Returns the id of the change.
    #[track_caller]
    pub(crate) fn change(&self) -> String {
        self.ok()["change"].as_str().unwrap_or_else(|| panic!("{}", self.0)).to_owned()
    }

    /// Returns the error code.
    #[track_caller]
    pub(super) fn code(&self) -> &str {
        assert!(self.is_error(), "{}", self.0);
        self.0["result"]["_meta"]["dev.overt/error"]["code"].as_str().unwrap_or_else(|| panic!("{}", self.0))
    }

    pub(crate) fn text(&self) -> &str {
        self.0["result"]["content"][0]["text"].as_str().unwrap_or_default()
    }
}
