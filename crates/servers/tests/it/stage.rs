//! A server over a temporary tree, and a tree of canaries outside of every root: no byte of them is
//! ever in an answer, and nothing of it changes. Every case is checked by that when its stage is
//! dropped, whatever else it checks.
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
use overt_wire::{BoxFuture, ClientSink, Closed, Exchange, Handler, Message, Phase, Session};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// `place/root` is served; `place/outside` and `place/root-secret` hold canaries.
pub(crate) struct Stage {
    /// Kept so that it is removed at the end.
    _place: TempDir,
    pub(crate) place: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) outside: PathBuf,
    canaries: Vec<String>,
    /// What is outside, as it was; taken when the first client is made.
    before: Mutex<Option<BTreeMap<PathBuf, Seen>>>,
    /// Folders beside `root` that a case serves or allows to be changed.
    open: Mutex<Vec<PathBuf>>,
}

/// What must stay as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    inode: u64,
    modified: (i64, i64),
    mode: u32,
    content: String,
}

/// A client of a server on a stage. Every answer is looked through for canaries.
#[derive(Clone)]
pub(crate) struct Client {
    handler: Arc<dyn Handler>,
    session: Arc<Session>,
    person: Arc<Person>,
    canaries: Arc<Vec<String>>,
    /// For every call, unless it has a `_meta` of its own.
    meta: Value,
}

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Answer(pub(crate) Value);

/// How a server is started.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) grantable: Vec<PathBuf>,
    pub(crate) journal: Option<PathBuf>,
    /// Settings by their keys.
    pub(crate) settings: Value,
    /// None: everything is allowed that the settings leave.
    pub(crate) control: Option<Control>,
    pub(crate) compat: Option<Compat>,
}

// === impl Stage ===

impl Stage {
    /// The root has `a/ok.txt` with `ok\n`, and nothing else.
    pub(crate) fn new() -> Self {
        let place_guard = tempfile::tempdir().unwrap();
        let place = place_guard.path().canonicalize().unwrap();
        let (root, outside) = (place.join("root"), place.join("outside"));
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/ok.txt"), "ok\n").unwrap();
        let mut canaries = Vec::new();
        for folder in [&outside, &outside.join("sub"), &place.join("root-secret")] {
            fs::create_dir_all(folder).unwrap();
            // A name can be given away too.
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

    /// Writes a file in the root, with the folders above it.
    pub(crate) fn write(&self, inner: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(inner);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Makes a symbolic link in the root.
    pub(crate) fn link(&self, inner: &str, target: impl AsRef<Path>) {
        let path = self.root.join(inner);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    /// A folder beside the root that may be changed, such as a second root.
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

    /// A client of a server over the root alone, with everything allowed.
    pub(crate) fn client(&self) -> Client {
        self.start(self.setup())
    }

    /// The same with settings.
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

    /// A client of a skills server over the root, with everything allowed. Changes on the disk are
    /// noticed.
    pub(crate) fn skills(&self, change: impl FnOnce(&mut skills::Options)) -> Client {
        self.try_skills(change, None).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same, which may not start, and with something that decides.
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

    /// Fails if something outside changed, appeared or went.
    pub(crate) fn check(&self) {
        let Some(before) = &*self.before.lock().unwrap() else { return };
        let now = self.look();
        for (path, seen) in before {
            assert_eq!(now.get(path), Some(seen), "{} changed", path.display());
        }
        let new: Vec<_> = now.keys().filter(|path| !before.contains_key(*path)).collect();
        assert!(new.is_empty(), "new outside: {new:?}");
    }

    /// Everything outside, links not followed.
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

/// Nobody writes this by chance.
fn canary() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).unwrap();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("canary{hex}")
}

/// The settings of a server, as an operator would set them.
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
        let session = Session::new("session".into(), sink);
        let capabilities = JsonBuf::from(&json!({ "elicitation": {} }));
        let caller = Caller { version: Version::V2025_11_25, capabilities, info: None };
        session.set_phase(Phase::Ready(Arc::new(caller)));
        Self { handler, session, person, canaries: Arc::new(canaries.to_vec()), meta: json!({}) }
    }

    /// The same client with a `_meta` for every call, such as a policy.
    pub(crate) fn saying(&self, meta: Value) -> Self {
        Self { meta, ..self.clone() }
    }

    /// What the person will say to the next question: `once`, `session`, `always`, `never`; without
    /// any of it, no.
    pub(crate) fn will_say(&self, decision: &str) {
        let content = json!({ "action": "accept", "content": { "decision": decision } });
        self.person.answers.lock().unwrap().push(content);
    }

    /// How often the person was asked since the last time.
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

    /// Says what a client of the older era says once it is ready: from then on it is told of
    /// changes.
    pub(crate) async fn ready(&self) {
        let text = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        let message = Message::parse(text.into(), &Limits::default()).unwrap();
        let sink: Arc<dyn ClientSink> = Arc::<Person>::clone(&self.person);
        let exchange = Exchange::new(message, Arc::clone(&self.session), sink).unwrap();
        assert!(self.handler.call(exchange).await.is_none());
    }

    /// The same client in the newer era.
    pub(crate) fn modern(&self) -> Self {
        let sink: Arc<dyn ClientSink> = Arc::<Person>::clone(&self.person);
        let capabilities = json!({});
        let about = json!({ "name": "test", "version": "1" });
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": about,
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        Self { session: Session::new("modern".into(), sink), meta, ..self.clone() }
    }

    pub(crate) fn meta(&self) -> &Value {
        &self.meta
    }

    /// What the client was told without asking since the last time.
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

/// Whom the client asks.
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
    /// What programs read. Fails if the call failed.
    pub(crate) fn value(&self) -> &Value {
        assert!(self.0["result"]["isError"].is_null() && self.0["error"].is_null(), "{}", self.0);
        &self.0["result"]["structuredContent"]
    }

    /// Whether it succeeded.
    pub(crate) fn is_ok(&self) -> bool {
        self.0["error"].is_null() && self.0["result"]["isError"].is_null()
    }

    /// The text of an item of the content.
    pub(crate) fn text(&self, index: usize) -> &str {
        self.0["result"]["content"][index]["text"].as_str().unwrap_or_else(|| panic!("{}", self.0))
    }

    /// The word for programs of an error, and nothing beside it (G-09).
    pub(crate) fn code(&self) -> &str {
        assert_eq!(self.0["result"]["isError"], true, "{}", self.0);
        assert!(self.0["result"]["structuredContent"].is_null(), "{}", self.0);
        self.0["result"]["_meta"]["dev.overt/error"]["code"].as_str().unwrap()
    }
}
