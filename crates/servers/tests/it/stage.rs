//! A server over a temporary tree, with a tree of canaries outside of every root. No canary may
//! appear in an answer, and nothing outside may change. The client checks every answer, and the
//! stage checks the tree when it is dropped.
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use overt_layers::Control;
use overt_layers::setting::{DeclaredSettings, Origin, SettingValues};
use overt_policy::finding::{Findings, Pointer};
use overt_servers::files::{Compat, FileServer, Options, settings};
use overt_servers::skills;
use overt_wire::era::{Caller, Version};
use overt_wire::json::{Json, JsonBuf, Limits};
use overt_wire::{BoxFuture, ClientSink, Closed, Exchange, Handler, Message, Phase, Principal, Session};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// `place/root` is served. `place/outside` and `place/root-secret` contain canaries.
pub(crate) struct Stage {
    /// Deletes the folder when dropped.
    _place: TempDir,
    pub(crate) place: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) outside: PathBuf,
    canaries: Vec<String>,
    /// The state of everything outside, taken when the first client is created.
    before: Mutex<Option<BTreeMap<PathBuf, Seen>>>,
    /// Folders beside `root` that a case serves or may change.
    open: Mutex<Vec<PathBuf>>,
}

/// The facts of a file that must not change.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    inode: u64,
    modified: (i64, i64),
    mode: u32,
    content: String,
}

/// A client of a server on a stage. It searches every answer for canaries.
#[derive(Clone)]
pub(crate) struct Client {
    handler: Arc<dyn Handler>,
    session: Arc<Session>,
    person: Arc<Person>,
    canaries: Arc<Vec<String>>,
    /// The `_meta` of every call that has none of its own.
    meta: Value,
}

/// The answer to a call.
#[derive(Debug, Clone)]
pub(crate) struct Answer(pub(crate) Value);

/// The start options of a server.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) grantable: Vec<PathBuf>,
    pub(crate) journal: Option<PathBuf>,
    /// Settings by key.
    pub(crate) settings: Value,
    /// `None` allows everything within the settings.
    pub(crate) control: Option<Control>,
    pub(crate) compat: Option<Compat>,
}

// === impl Stage ===

impl Stage {
    /// Creates a root that contains only `a/ok.txt` with `ok\n`.
    pub(crate) fn new() -> Self {
        let place_guard = tempfile::tempdir().unwrap();
        let place = place_guard.path().canonicalize().unwrap();
        let (root, outside) = (place.join("root"), place.join("outside"));
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/ok.txt"), "ok\n").unwrap();
        let mut canaries = Vec::new();
        for folder in [&outside, &outside.join("sub"), &place.join("root-secret")] {
            fs::create_dir_all(folder).unwrap();
            // A name can be leaked too.
            let name = canary();
            for file in ["s.txt", "ok.txt", ".env", &name] {
                let secret = canary();
                fs::write(folder.join(file), format!("{secret}\n")).unwrap();
                canaries.push(secret);
            }
            canaries.push(name);
        }
        let before = Mutex::new(None);
        Self { _place: place_guard, place, root, outside, canaries, before, open: Mutex::default() }
    }

    /// Writes a file in the root, and creates its parent folders.
    pub(crate) fn write(&self, inner: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(inner);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Creates a symbolic link in the root.
    pub(crate) fn link(&self, inner: &str, target: impl AsRef<Path>) {
        let path = self.root.join(inner);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    /// Creates a folder beside the root that may be changed, such as a second root.
    pub(crate) fn open_folder(&self, name: &str) -> PathBuf {
        let path = self.place.join(name);
        fs::create_dir_all(&path).unwrap();
        self.open.lock().unwrap().push(path.clone());
        path
    }

    pub(crate) fn setup(&self) -> Setup {
        let roots = vec![self.root.clone()];
        Setup {
            roots,
            grantable: Vec::new(),
            journal: None,
            settings: json!({}),
            control: None,
            compat: None,
        }
    }

    /// Starts a server over the root with everything allowed, and returns a client.
    pub(crate) fn client(&self) -> Client {
        self.start(self.setup())
    }

    /// Starts a server with these settings and everything allowed, and returns a client.
    pub(crate) fn with(&self, settings: Value) -> Client {
        self.start(Setup { settings, ..self.setup() })
    }

    pub(crate) fn start(&self, setup: Setup) -> Client {
        self.before.lock().unwrap().get_or_insert_with(|| self.look());
        let options = Options::new(setup.roots, values(&setup.settings));
        let Setup { grantable, journal, compat, .. } = setup;
        let server = FileServer::open(&Options { grantable, journal, compat, ..options });
        let endpoint = server.unwrap().endpoint().unwrap_or_else(|error| panic!("{error}"));
        let handler = match setup.control {
            Some(control) => overt_layers::build(endpoint, control),
            None => overt_layers::open(endpoint),
        };
        Client::of(handler, &self.canaries)
    }

    /// Starts a skills server over the root with everything allowed, and returns a client. The
    /// server notices changes on disk.
    pub(crate) fn skills(&self, change: impl FnOnce(&mut skills::Options)) -> Client {
        self.try_skills(change, None).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Starts a skills server over the root, which may fail, and optionally with a control layer.
    pub(crate) fn try_skills(
        &self,
        change: impl FnOnce(&mut skills::Options),
        control: Option<Control>,
    ) -> Result<Client, skills::SkillsError> {
        self.before.lock().unwrap().get_or_insert_with(|| self.look());
        let root = skills::Root { path: self.root.clone(), shown: "skills".to_owned() };
        let mut options = skills::Options { roots: vec![root], ..skills::Options::default() };
        change(&mut options);
        let server = skills::SkillServer::open(options)?;
        let endpoint = server.endpoint().unwrap_or_else(|error| panic!("{error}"));
        server.watch(&endpoint);
        let handler = match control {
            Some(control) => overt_layers::build(endpoint, control),
            None => overt_layers::open(endpoint),
        };
        Ok(Client::of(handler, &self.canaries))
    }

    /// Fails if something outside was changed, created or removed.
    pub(crate) fn check(&self) {
        let Some(before) = &*self.before.lock().unwrap() else { return };
        let now = self.look();
        for (path, seen) in before {
            assert_eq!(now.get(path), Some(seen), "{} changed", path.display());
        }
        let new: Vec<_> = now.keys().filter(|path| !before.contains_key(*path)).collect();
        assert!(new.is_empty(), "new outside: {new:?}");
    }

    /// Returns the facts of everything outside. Links are not followed.
    fn look(&self) -> BTreeMap<PathBuf, Seen> {
        let open = self.open.lock().unwrap().clone();
        let mut seen = BTreeMap::new();
        let mut folders = vec![self.place.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path == self.root || open.contains(&path) {
                    continue;
                }
                let about = fs::symlink_metadata(&path).unwrap();
                let content = match about.is_file() {
                    true => format!("{:?}", Sha256::digest(fs::read(&path).unwrap())),
                    false => format!("{:?}", about.file_type()),
                };
                let modified = (about.mtime(), about.mtime_nsec());
                if about.is_dir() {
                    folders.push(path.clone());
                }
                seen.insert(path, Seen { inode: about.ino(), modified, mode: about.mode(), content });
            }
        }
        seen
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.check();
        }
    }
}

/// Returns a random text that appears nowhere by chance.
fn canary() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).unwrap();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("canary{hex}")
}

/// Settings as an operator would set them.
pub(crate) fn values(table: &Value) -> SettingValues {
    let declared = Arc::new(DeclaredSettings::new(settings()).unwrap());
    let mut findings = Findings::default();
    let given =
        declared.read(table.as_object().unwrap(), &Pointer::root(), |_| Origin::Default, &mut findings);
    assert!(!findings.has_errors(), "{findings}");
    SettingValues::defaults(declared).over(given)
}

// === impl Client ===

impl Client {
    fn of(handler: Arc<dyn Handler>, canaries: &[String]) -> Self {
        let person = Arc::new(Person::default());
        let sink: Arc<dyn ClientSink> = Arc::<Person>::clone(&person);
        let session = Session::new("session".into(), Principal::local(), sink);
        let capabilities = JsonBuf::from(&json!({ "elicitation": {} }));
        let caller = Caller { version: Version::V2025_11_25, capabilities, info: None };
        session.set_phase(Phase::Ready(Arc::new(caller)));
        Self { handler, session, person, canaries: Arc::new(canaries.to_vec()), meta: json!({}) }
    }

    /// Returns a client with a `_meta` for every call, such as a policy.
    pub(crate) fn saying(&self, meta: Value) -> Self {
        Self { meta, ..self.clone() }
    }

    /// Sets the person's answer to the next question: `once`, `session`, `always` or `never`.
    /// Without it, the person says no.
    pub(crate) fn will_say(&self, decision: &str) {
        let content = json!({ "action": "accept", "content": { "decision": decision } });
        self.person.answers.lock().unwrap().push(content);
    }

    /// Returns the questions that the person was asked since the last call.
    pub(crate) fn questions(&self) -> Vec<Value> {
        std::mem::take(&mut *self.person.questions.lock().unwrap())
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        self.send("tools/call", json!({ "name": tool, "arguments": arguments, "_meta": self.meta })).await
    }

    pub(crate) async fn preview(&self, tool: &str, arguments: Value) -> Answer {
        let mut meta = self.meta.clone();
        meta["preview"] = json!(true);
        self.send("tools/call", json!({ "name": tool, "arguments": arguments, "_meta": meta })).await
    }

    pub(crate) async fn send(&self, method: &str, params: Value) -> Answer {
        let text = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let message = Message::parse(text.into_bytes(), &Limits::default()).unwrap();
        let sink: Arc<dyn ClientSink> = Arc::<Person>::clone(&self.person);
        let exchange = Exchange::new(message, Arc::clone(&self.session), sink).unwrap();
        let reply = self.handler.call(exchange).await.unwrap();
        self.look_through(reply.text());
        Answer(Json::parse(reply.text()).unwrap().read().unwrap())
    }

    /// Sends the `initialized` notification of an older client, which from then on gets
    /// notifications of changes.
    pub(crate) async fn ready(&self) {
        let text = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let message = Message::parse(text.into(), &Limits::default()).unwrap();
        let sink: Arc<dyn ClientSink> = Arc::<Person>::clone(&self.person);
        let exchange = Exchange::new(message, Arc::clone(&self.session), sink).unwrap();
        assert!(self.handler.call(exchange).await.is_none());
    }

    /// Returns the same client in the newer era.
    pub(crate) fn modern(&self) -> Self {
        let sink: Arc<dyn ClientSink> = Arc::<Person>::clone(&self.person);
        let capabilities = json!({});
        let about = json!({ "name": "test", "version": "1" });
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": about,
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        Self { session: Session::new("modern".into(), Principal::local(), sink), meta, ..self.clone() }
    }

    pub(crate) fn meta(&self) -> &Value {
        &self.meta
    }

    /// Returns the notifications that the client received since the last call.
    pub(crate) fn notes(&self) -> Vec<Value> {
        std::mem::take(&mut *self.person.notes.lock().unwrap())
    }

    fn look_through(&self, text: &str) {
        for canary in &*self.canaries {
            assert!(
                !text.contains(canary),
                "a canary got out: {}",
                text.chars().take(2_000).collect::<String>()
            );
        }
    }
}

/// The person behind the client.
#[derive(Default)]
struct Person {
    answers: Mutex<Vec<Value>>,
    questions: Mutex<Vec<Value>>,
    notes: Mutex<Vec<Value>>,
}

impl ClientSink for Person {
    fn notify(&self, note: Message) -> BoxFuture<'_, Result<(), Closed>> {
        self.notes.lock().unwrap().push(Json::parse(note.text()).unwrap().read().unwrap());
        Box::pin(std::future::ready(Ok(())))
    }

    fn request(&self, _: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        self.questions.lock().unwrap().push(params.unwrap().read().unwrap());
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.is_empty() { json!({ "action": "decline" }) } else { answers.remove(0) };
        let text = json!({ "jsonrpc": "2.0", "id": 1, "result": answer }).to_string();
        let reply = Message::parse(text.into_bytes(), &Limits::default()).map_err(|_| Closed);
        Box::pin(std::future::ready(reply))
    }
}

// === impl Answer ===

impl Answer {
    /// Returns the structured content. Fails if the call failed.
    pub(crate) fn value(&self) -> &Value {
        assert!(self.0["result"]["isError"].is_null() && self.0["error"].is_null(), "{}", self.0);
        &self.0["result"]["structuredContent"]
    }

    /// Whether it succeeded.
    pub(crate) fn is_ok(&self) -> bool {
        self.0["error"].is_null() && self.0["result"]["isError"].is_null()
    }

    /// Returns the text of a content item.
    pub(crate) fn text(&self, index: usize) -> &str {
        self.0["result"]["content"][index]["text"].as_str().unwrap_or_else(|| panic!("{}", self.0))
    }

    /// Returns the error code. Fails if the call succeeded, or if the error has structured content
    /// (G-09).
    pub(crate) fn code(&self) -> &str {
        assert_eq!(self.0["result"]["isError"], true, "{}", self.0);
        assert!(self.0["result"]["structuredContent"].is_null(), "{}", self.0);
        self.0["result"]["_meta"]["dev.overt/error"]["code"].as_str().unwrap()
    }
}
