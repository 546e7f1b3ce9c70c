//! The server of a case, with a root, a journal, a grant store and an audit log, and the events of
//! cases.
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use overt_layers::Control;
use overt_layers::audit::{Durability, Entry, Ledger, LedgerError};
use overt_layers::grants::{Answer, Breadth, Extent, GrantLifetime, MemoryStore, StateStore as _};
use overt_policy::finding::{Findings, Pointer};
use overt_settings::{DeclaredSettings, Origin, SettingValues};
use overt_testkit::person::answering;
use overt_toolbox::Changes;
use overt_wire::era::{Caller, Version};
use overt_wire::json::{JsonBuf, Limits};
use overt_wire::{BoxFuture, Exchange, Handler, Message, NoClient, Phase, Principal, Session};
use rustix::io::Errno;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::super::access::{AbsolutePath, View};
use super::super::super::error::FileError;
use super::super::super::watching::Subject;
use super::super::super::work::{MOST_JOBS, Stop};
use super::super::super::write::fault::FaultAction;
use super::super::super::write::tests::stage::person_undoes;
use super::super::super::{Compat, FileServer, History, Options, settings};
use super::case::Call;

pub(super) struct Stage {
    _place: TempDir,
    pub(super) root: PathBuf,
    options: Options,
    is_careful: bool,
    ledger: Arc<TestLedger>,
    running: Running,
    /// The disk fault that strikes at one of the next system calls of a change.
    pub(super) fault: Option<FaultAction>,
    /// What the case keeps busy until it releases it.
    busy: Vec<Box<dyn std::any::Any>>,
}

struct Running {
    server: Arc<FileServer>,
    handler: Arc<dyn Handler>,
    session: Arc<Session>,
    grants: Arc<MemoryStore>,
}

impl Stage {
    pub(super) fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        let place = guard.path().canonicalize().unwrap();
        let root = place.join("root");
        fs::create_dir(&root).unwrap();
        let options = Options {
            journal: Some(place.join("journal")),
            ..Options::new(vec![root.clone()], values(&json!({})))
        };
        let ledger = Arc::new(TestLedger::default());
        let running = Running::start(&options, false, &ledger);
        let busy = Vec::new();
        Self { _place: guard, root, options, is_careful: false, ledger, running, fault: None, busy }
    }

    fn restart(&mut self) {
        self.running = Running::start(&self.options, self.is_careful, &self.ledger);
    }

    /// Makes an event of a case happen.
    pub(super) async fn happen(&mut self, event: &str) {
        let (word, rest) = event.split_once(' ').unwrap_or((event, ""));
        let (path, more) = rest.split_once(' ').unwrap_or((rest, ""));
        let target = self.root.join(path);
        if let Some(parent) = target.parent().filter(|_| self.root.exists()) {
            fs::create_dir_all(parent).unwrap();
        }
        match word {
            "file" => fs::write(target, serde_json::from_str::<String>(more).unwrap()).unwrap(),
            "large-file" => fs::write(target, vec![b'x'; more.parse().unwrap()]).unwrap(),
            "lines" => fs::write(target, "a line\n".repeat(more.parse().unwrap())).unwrap(),
            "picture" => fs::write(target, b"\x89PNG\r\n\x1a\n\0\0").unwrap(),
            "latin-1" => fs::write(target, b"caf\xE9 au lait\n").unwrap(),
            "link" => symlink(more, target).unwrap(),
            "hard-link" => fs::hard_link(self.root.join(more), target).unwrap(),
            "root-moves" => fs::rename(&self.root, self.root.with_extension("away")).unwrap(),
            "root-returns" => fs::rename(self.root.with_extension("away"), &self.root).unwrap(),
            "settings" => {
                self.options.settings = values(&serde_json::from_str(rest).unwrap());
                self.restart();
            }
            "official-names" => {
                self.options.compat = Some(Compat::Official);
                self.restart();
            }
            "changes-need-approval" => {
                self.is_careful = true;
                self.restart();
            }
            "approves" => self.approve().await,
            "user-undoes" => {
                let files = self.root.parent().unwrap();
                let latest = History::open(files).unwrap().unwrap().changes().next().unwrap();
                person_undoes(files, &latest.id);
            }
            "audit-log-fails" => self.ledger.fails.store(true, Ordering::SeqCst),
            "audit-log-works" => self.ledger.fails.store(false, Ordering::SeqCst),
            // A new server has counted no calls yet, as if time had passed.
            "time-passes" => self.restart(),
            "disk-fails" => self.fault = Some(FaultAction::Fail(errno(path))),
            "crash" => self.fault = Some(FaultAction::Do(Arc::new(|| panic!("a test crashes this thread")))),
            "many-changes" => self.claim_everything(),
            "many-jobs" => self.take_every_worker().await,
            "many-subscriptions" => self.subscribe_to_everything().await,
            "ends" => self.busy.clear(),
            _ => panic!("nobody knows how to make this happen: {event}"),
        }
    }

    /// Returns the result of a call, or its error.
    pub(super) async fn call(&self, call: &Call) -> Value {
        let (method, params) = if call.name.contains('/') {
            (call.name.as_str(), call.arguments.clone())
        } else {
            let params = json!({ "name": call.name, "arguments": call.arguments, "_meta": call.meta });
            ("tools/call", params)
        };
        let text = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let message = Message::parse(text.into_bytes(), &Limits::default()).unwrap();
        let Running { handler, session, .. } = &self.running;
        let exchange = Exchange::new(message, Arc::clone(session), Arc::new(NoClient)).unwrap();
        serde_json::from_str(handler.call(exchange).await.unwrap().text()).unwrap()
    }

    /// Arms the fault for the system call after `calls` others.
    pub(super) fn arm(&self, calls: i64, fault: &FaultAction) {
        self.running.server.disk.fault.arm(calls, fault.clone());
    }

    pub(super) fn disarm(&self) -> bool {
        self.running.server.disk.fault.disarm()
    }

    async fn approve(&self) {
        let grants = &self.running.grants;
        let yes = Answer::Yes {
            lifetime: GrantLifetime::Once,
            extent: Extent::Project,
            breadth: Breadth::Call,
            expires: None,
        };
        let open = grants.questions().await.unwrap();
        grants.answer(answering(&open[0].id, &open[0].question, yes)).await.unwrap();
    }

    fn claim_everything(&mut self) {
        let claims = &self.running.server.claims;
        let all: Vec<_> = std::iter::from_fn(|| claims.claim(Vec::new()).ok()).collect();
        self.busy.push(Box::new(all));
    }

    async fn take_every_worker(&mut self) {
        let (start, mut started) = tokio::sync::mpsc::channel::<()>(MOST_JOBS);
        for _ in 0..MOST_JOBS {
            let (end, ended) = std::sync::mpsc::channel::<()>();
            let (workers, start) = (self.running.server.workers.clone(), start.clone());
            tokio::spawn(async move {
                let job = move |_: &Stop| {
                    let _ = start.blocking_send(());
                    // Ends when the sender is dropped.
                    let _ = ended.recv();
                    Ok::<(), FileError>(())
                };
                workers.run(job).await
            });
            self.busy.push(Box::new(end));
        }
        for _ in 0..MOST_JOBS {
            started.recv().await;
        }
    }

    async fn subscribe_to_everything(&mut self) {
        let server = Arc::clone(&self.running.server);
        let path = AbsolutePath::from_system(self.root.to_str().unwrap()).unwrap();
        let regions = overt_settings::Regions::parse(&json!([{ "path": path.as_str() }])).unwrap();
        let view = View::of_regions(&server.roots, regions);
        loop {
            let subject = Subject {
                uri: format!("file://{}", path.as_str()),
                shown: path.to_string(),
                folder: view.folder(path.as_str()).unwrap(),
                name: None,
                view: view.clone(),
                scopes: None,
                changes: Changes::default(),
            };
            match server.watching.subscribe(subject).await {
                Ok(subscribed) => self.busy.push(Box::new(subscribed)),
                Err(_) => return,
            }
        }
    }
}

impl Running {
    fn start(options: &Options, is_careful: bool, ledger: &Arc<TestLedger>) -> Self {
        let server = FileServer::open(options).unwrap();
        let grants = Arc::new(MemoryStore::default());
        let control = if is_careful { Control::careful() } else { Control::open() };
        let control =
            control.store(Arc::<MemoryStore>::clone(&grants)).ledger(Arc::<TestLedger>::clone(ledger));
        let endpoint = server.endpoint().unwrap_or_else(|error| panic!("{error}"));
        let session = Session::new("session".into(), Principal::local(), Arc::new(NoClient));
        let capabilities = JsonBuf::from(&json!({}));
        let caller = Caller { version: Version::V2025_11_25, capabilities, info: None };
        session.set_phase(Phase::Ready(Arc::new(caller)));
        Self { server, handler: overt_layers::build(endpoint, control), session, grants }
    }
}

/// A ledger that accepts every record, or none.
#[derive(Debug, Default)]
struct TestLedger {
    fails: AtomicBool,
}

impl Ledger for TestLedger {
    fn write(&self, _: Entry, _: Durability) -> BoxFuture<'_, Result<(), LedgerError>> {
        let written = match self.fails.load(Ordering::SeqCst) {
            true => Err(LedgerError { why: "the disk is full".to_owned() }),
            false => Ok(()),
        };
        Box::pin(std::future::ready(written))
    }

    fn note(&self, _: Entry) {}
}

fn errno(name: &str) -> Errno {
    match name {
        "EACCES" => Errno::ACCESS,
        "EINVAL" => Errno::INVAL,
        "EIO" => Errno::IO,
        "ENOSPC" => Errno::NOSPC,
        _ => panic!("an unknown error of the system: {name}"),
    }
}

/// Settings as an operator would set them.
fn values(table: &Value) -> SettingValues {
    let declared = Arc::new(DeclaredSettings::new(settings()).unwrap());
    let mut findings = Findings::default();
    let read =
        declared.read(table.as_object().unwrap(), &Pointer::root(), |_| Origin::Default, &mut findings);
    assert!(!findings.has_errors(), "{findings}");
    SettingValues::defaults(declared).over(read)
}
