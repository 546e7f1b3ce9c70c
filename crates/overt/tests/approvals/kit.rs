//! Test fixtures: an upstream that counts its calls, `overt` in front of it, clients of both eras,
//! and a person who answers through them.
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use overt_layers::grants::{Answer, Breadth, Extent, GrantLifetime, PendingQuestion};
use overt_layers::record::{Effect, ToolRecord};
use overt_state::grants::SqliteStore;
use overt_toolbox::{Content, Outcome, Server, Tool, ToolError, Toolbox};
use overt_transport::client::{Client, ClientOptions, Command as ChildCommand, Environment, HttpTarget};
use overt_transport::client::{Listener, Protocol, Target};
use overt_transport::http::{Options, Server as HttpServer};
use overt_wire::era::Version;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, ErrorObject, Id, Message};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How a client reaches `overt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    Stdio,
    Http,
}

/// Every combination of transport and version.
pub(crate) const EVERY: [(Over, Version); 4] = [
    (Over::Stdio, Version::V2025_11_25),
    (Over::Stdio, Version::V2026_07_28),
    (Over::Http, Version::V2025_11_25),
    (Over::Http, Version::V2026_07_28),
];

/// An upstream behind `overt`, the state folder that people and processes share, and the processes.
pub(crate) struct CountedUpstream {
    pub(crate) state: TempDir,
    pub(crate) calls: Arc<AtomicUsize>,
    url: String,
    served: Mutex<Option<(Child, String)>>,
}

/// Answers elicitations, and remembers what it was shown.
#[derive(Default)]
pub(crate) struct Person {
    /// The answer to give. Questions wait while it is `None`.
    pub(crate) answer: tokio::sync::watch::Sender<Option<Value>>,
    pub(crate) shown: Mutex<Vec<String>>,
    /// Answers to the next questions. They are used before `answer`.
    pub(crate) next: Mutex<Vec<Value>>,
}

impl CountedUpstream {
    /// Starts an upstream with `touch` (no hints), `peek` (claims to only read) and `both`
    /// (contradictory hints).
    pub(crate) async fn new() -> Self {
        let calls = Arc::new(AtomicUsize::new(0));
        let tool = |name: &str, hints: Option<Value>| {
            let calls = Arc::clone(&calls);
            let schema = json!({
                "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"],
            });
            let tool = Tool::raw(name, "Touches a file. More.", schema, None, move |_, _| {
                calls.fetch_add(1, Ordering::Relaxed);
                async { Ok::<_, ToolError>(Outcome::content(vec![Content::text("touched")])) }
            });
            match hints {
                Some(_) => tool.declare(ToolRecord::new(Effect::Read)),
                None => tool,
            }
        };
        let toolbox = Toolbox::new(Server::new("counter", "1.0.0", "Only for tests."))
            .tool(tool("touch", None))
            .tool(tool("peek", Some(json!({}))))
            .build()
            .unwrap();
        let server = HttpServer::bind("127.0.0.1:0".parse().unwrap(), Options::default()).await.unwrap();
        let url = server.url();
        tokio::spawn(server.serve(overt_layers::open(toolbox), std::future::pending()));
        Self { state: TempDir::new().unwrap(), calls, url, served: Mutex::default() }
    }

    pub(crate) fn count(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    pub(crate) fn store(&self) -> SqliteStore {
        SqliteStore::open(self.state.path()).unwrap()
    }

    /// Waits for this many open questions and returns them.
    pub(crate) async fn questions(&self, many: usize) -> Vec<PendingQuestion> {
        for _ in 0..600 {
            let open = self.store().questions().unwrap();
            if open.len() >= many {
                return open;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{many} questions are expected, not {:?}", self.store().questions().unwrap());
    }

    /// Starts a client of `overt run` with these options. Over HTTP, all clients share one process.
    pub(crate) async fn client(
        &self,
        (over, version): (Over, Version),
        options: &[&str],
        person: &Arc<Person>,
        can_ask: bool,
    ) -> Client {
        let mut arguments = vec!["run".to_owned(), self.url.clone()];
        arguments.extend(options.iter().map(|option| (*option).to_owned()));
        let target = match over {
            Over::Stdio => Target::Command(self.command(arguments)),
            Over::Http => Target::Http(HttpTarget::new(self.serve(arguments).await)),
        };
        connect(&target, version, person, can_ask).await
    }

    /// Starts a client of `overt fs` in a folder.
    pub(crate) async fn files(
        &self,
        (over, version): (Over, Version),
        options: &[&str],
        person: &Arc<Person>,
        can_ask: bool,
    ) -> Client {
        let mut arguments = vec!["fs".to_owned()];
        arguments.extend(options.iter().map(|option| (*option).to_owned()));
        let target = match over {
            Over::Stdio => Target::Command(self.command(arguments)),
            Over::Http => Target::Http(HttpTarget::new(self.serve(arguments).await)),
        };
        connect(&target, version, person, can_ask).await
    }

    /// Makes the program reload its settings.
    pub(crate) fn reload(&self) {
        let served = self.served.lock().unwrap();
        let (child, _) = served.as_ref().unwrap();
        let process = rustix::process::Pid::from_child(child);
        rustix::process::kill_process(process, rustix::process::Signal::HUP).unwrap();
    }

    fn command(&self, arguments: Vec<String>) -> ChildCommand {
        let env = Environment::harmless_of(std::env::vars_os())
            .with("OVERT_STATE_DIR", self.state.path())
            // The person in these tests answers immediately.
            .with("OVERT_TRUST_QUICK_ANSWERS", "true");
        let args = arguments.into_iter().map(Into::into).collect();
        ChildCommand { args, env, ..ChildCommand::new(env!("CARGO_BIN_EXE_overt")) }
    }

    /// Starts `overt` over HTTP, unless it already runs.
    async fn serve(&self, mut arguments: Vec<String>) -> String {
        let mut served = self.served.lock().unwrap();
        if let Some((_, url)) = &*served {
            return url.clone();
        }
        arguments.extend(["--http".to_owned(), "127.0.0.1:0".to_owned()]);
        #[expect(clippy::disallowed_methods, reason = "the test starts the program itself")]
        let mut child = Command::new(env!("CARGO_BIN_EXE_overt"))
            .args(&arguments)
            .env("OVERT_STATE_DIR", self.state.path())
            .env("OVERT_TRUST_QUICK_ANSWERS", "true")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let url = address(child.stderr.take().unwrap());
        *served = Some((child, url.clone()));
        url
    }
}

impl Drop for CountedUpstream {
    fn drop(&mut self) {
        if let Some((mut child, _)) = self.served.lock().unwrap().take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Returns the address that the program reports. The rest of its output is read and dropped.
fn address(stderr: std::process::ChildStderr) -> String {
    use std::io::{BufRead as _, BufReader};
    let mut lines = BufReader::new(stderr).lines();
    let url = loop {
        let line = lines.next().expect("the program says where it serves").unwrap();
        if let Some(at) = line.find("http://127.0.0.1:") {
            break line[at..].split(['`', ' ', '"']).next().unwrap().to_owned();
        }
    };
    std::thread::spawn(move || lines.for_each(drop));
    url
}

async fn connect(target: &Target, version: Version, person: &Arc<Person>, can_ask: bool) -> Client {
    let capabilities = if can_ask { json!({ "elicitation": {} }) } else { json!({}) };
    let options = ClientOptions {
        capabilities: JsonBuf::from(&capabilities),
        protocol: Protocol::Only(version),
        ..ClientOptions::new("tester", "7.1")
    };
    let listener: Arc<dyn Listener> = Arc::<Person>::clone(person);
    Client::connect(target, options, listener).await.unwrap()
}

/// Returns the answer to a call, as JSON.
pub(crate) async fn call(client: &Client, tool: &str, arguments: Value, meta: Value) -> Value {
    let params = JsonBuf::from(&json!({ "name": tool, "arguments": arguments, "_meta": meta }));
    match client.request("tools/call", Some(params.as_json())).await {
        Ok(answer) => answer.result_body().value().unwrap().read().unwrap(),
        Err(error) => json!({ "failed": error.to_string() }),
    }
}

pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

pub(crate) fn is_error(result: &Value) -> bool {
    result["isError"] == true || result.get("failed").is_some()
}

/// Returns the error code for programs in a tool error.
pub(crate) fn code(result: &Value) -> &str {
    result["_meta"]["dev.overt/error"]["code"].as_str().unwrap_or_default()
}

pub(crate) fn yes(lifetime: GrantLifetime) -> Answer {
    Answer::Yes { lifetime, extent: Extent::Project, breadth: Breadth::Call, expires: None }
}

/// A yes for every project until it is revoked.
pub(crate) fn everywhere() -> Answer {
    Answer::Yes {
        lifetime: GrantLifetime::Always,
        extent: Extent::Everywhere,
        breadth: Breadth::Call,
        expires: None,
    }
}

pub(crate) fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

impl Person {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Makes a person who answers every question like this.
    pub(crate) fn who_says(content: &Value) -> Arc<Self> {
        let person = Self::new();
        person.says(content);
        person
    }

    pub(crate) fn says(&self, content: &Value) {
        self.answer.send_replace(Some(json!({ "action": "accept", "content": content })));
    }

    pub(crate) fn asked(&self) -> usize {
        self.shown.lock().unwrap().len()
    }

    pub(crate) fn last_shown(&self) -> String {
        self.shown.lock().unwrap().last().cloned().unwrap_or_default()
    }

    /// Waits until the person was shown a question.
    pub(crate) async fn is_asked(&self) {
        for _ in 0..600 {
            if self.asked() > 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("nobody was asked");
    }
}

impl Listener for Person {
    fn notification<'a>(&'a self, _: Message, _: Option<&'a Id>) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn request<'a>(
        &'a self,
        method: &'a str,
        params: Option<Json<'a>>,
        _: Option<&'a Id>,
    ) -> BoxFuture<'a, Result<JsonBuf, ErrorObject>> {
        assert_eq!(method, "elicitation/create");
        let message = params.unwrap().get("message").string().unwrap().into_owned();
        self.shown.lock().unwrap().push(message);
        if let Some(content) = self.next.lock().unwrap().pop() {
            let answer = json!({ "action": "accept", "content": content });
            return Box::pin(std::future::ready(Ok(JsonBuf::from(&answer))));
        }
        let mut answers = self.answer.subscribe();
        Box::pin(async move {
            let answer = answers.wait_for(Option::is_some).await.unwrap().clone().unwrap();
            Ok(JsonBuf::from(&answer))
        })
    }
}
