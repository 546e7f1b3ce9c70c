//! What starts the workers of `overt fs`, with a compromised server process in front of it: this
//! test. It gets no worker without a grant that holds, and a worker serves its grant alone.
use overt_testkit::person::{giving, revoking};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use overt_layers::grants::{GrantLifetime, GrantVerdict, GrantedTools, Holder, Terms};
use overt_policy::scope::Scope;
use overt_state::grants::SqliteStore;
use overt_transport::frames::FrameClient;
use overt_transport::helper::{MessageSocket, start_helper};
use overt_wire::Principal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{file, wait_until};

struct Attacker {
    place: TempDir,
    socket: MessageSocket,
    store: SqliteStore,
}

impl Attacker {
    /// Starts the spawner with a ceiling of everything in the folder `in`.
    fn start() -> Self {
        let place = TempDir::new().unwrap();
        for inner in ["in/sub", "in/kept", "out", "state"] {
            std::fs::create_dir_all(place.path().join(inner)).unwrap();
        }
        for inner in ["in", "in/sub", "in/kept", "out"] {
            file(&place.path().join(inner), "a.txt", &format!("canary {inner}\n"));
        }
        let top = place.path().canonicalize().unwrap();
        let scope = |action: &str, inner: &str| format!("{action}:file:{}", top.join(inner).display());
        let config = json!({
            "state": top.join("state"),
            "server": "overt-fs",
            "project": "/project",
            "ceiling": [scope("read", "in"), scope("write", "in")],
            "denied": [scope("write", "in/sub")],
            "believes_clients": false,
            "protected": [top.join("state"), top.join("in/kept")],
            "common": {
                "immutable": [], "client_folders": [], "journal": null, "settings": {}, "is_official": false, "walls": "Try",
            },
        });
        let store = SqliteStore::open(&top.join("state")).unwrap();
        let socket = start_helper(Path::new(env!("CARGO_BIN_EXE_overt")), "--start-workers").unwrap();
        let socket = socket.with_timeout(Duration::from_secs(10)).unwrap();
        socket.send(config.to_string().as_bytes(), None).unwrap();
        Self { place, socket, store }
    }

    fn path(&self, inner: &str) -> PathBuf {
        self.place.path().canonicalize().unwrap().join(inner)
    }

    fn scope(&self, text: &str) -> Scope {
        let (action, inner) = text.split_once(' ').unwrap();
        Scope::parse(&format!("{action}:file:{}", self.path(inner).display())).unwrap()
    }

    /// Puts a grant into the store as a person gives it. `change` makes another one of it.
    fn give(&self, scopes: &[&str], change: impl FnOnce(&mut Terms)) -> String {
        let mut terms = Terms {
            verdict: GrantVerdict::Allow,
            client: None,
            server: "overt-fs".to_owned(),
            project: None,
            tools: GrantedTools::One("read_file".to_owned()),
            tool_digest: None,
            scopes: scopes.iter().map(|text| self.scope(text)).collect(),
            lifetime: GrantLifetime::Always,
            arguments: None,
            plan: None,
            expires: None,
        };
        change(&mut terms);
        self.store.give(&giving(&Holder::any_client(Principal::local()), terms)).unwrap().grant.id.0
    }

    /// Revokes a grant that exists.
    fn revoke(&self, id: &str) {
        let grants = self.store.grants().unwrap();
        let grant = grants.iter().find(|grant| grant.id.0 == id).unwrap();
        assert!(self.store.revoke(&revoking(grant)).unwrap());
    }

    fn send(&self, request: &str) -> (Value, Option<UnixStream>) {
        self.socket.send(request.as_bytes(), None).unwrap();
        let (bytes, handle) = self.socket.receive().unwrap().expect("the spawner goes on");
        let text = String::from_utf8(bytes).unwrap();
        (serde_json::from_str(&text).unwrap(), handle.map(UnixStream::from))
    }

    fn open(&self, grant: &str) -> (Value, Option<UnixStream>) {
        self.send(&json!({ "Grant": grant }).to_string())
    }

    #[track_caller]
    fn is_refused(&self, grant: &str) {
        let (reply, handle) = self.open(grant);
        assert!(handle.is_none() && reply.get("Refused").is_some(), "{grant}: {reply}");
    }
}

async fn call(client: &FrameClient, op: &str, tool: &str, arguments: Value, scopes: &[String]) -> Value {
    let request = json!({
        "op": op, "params": { "name": tool, "arguments": arguments }, "session": "s", "scopes": scopes,
    });
    let answer = client.ask(request.to_string().as_bytes()).await.unwrap();
    serde_json::from_str(std::str::from_utf8(&answer).unwrap()).unwrap()
}

#[test]
fn a_compromised_server_gets_no_worker_without_a_grant() {
    let attacker = Attacker::start();
    for rubbish in
        ["", "{", "[]", r#"{"Grant":7}"#, r#"{"Grant":"g-1","scopes":["read"]}"#, r#"{"Start":{}}"#]
    {
        if !rubbish.is_empty() {
            let (reply, handle) = attacker.send(rubbish);
            assert!(handle.is_none() && reply.get("Refused").is_some(), "{rubbish}: {reply}");
        }
    }
    for id in ["g-1", "g-0", "g--1", "q-1", "", "g-1 OR 1=1", "g-99999999999999999999"] {
        attacker.is_refused(id);
    }
    // What the server claims counts only where the operator believes clients.
    let claim = json!({ "Claim": [attacker.scope("read in").to_string()] });
    let (reply, handle) = attacker.send(&claim.to_string());
    assert!(handle.is_none() && reply.get("Refused").is_some(), "{reply}");

    let read = &["read in/a.txt"][..];
    for other in [
        attacker.give(read, |terms| terms.server = "another".to_owned()),
        attacker.give(read, |terms| terms.project = Some("/other".to_owned())),
        attacker.give(read, |terms| terms.verdict = GrantVerdict::Refuse),
        attacker.give(read, |terms| terms.expires = Some(1)),
        attacker.give(&["read out/a.txt"], |_| {}),
        attacker.give(&["read in/a.txt", "read out/a.txt"], |_| {}),
        attacker.give(&["execute in"], |_| {}),
        attacker.give(&["write in/sub/a.txt"], |_| {}),
        attacker.give(&["read in/kept/a.txt"], |_| {}),
        attacker.give(&["read in/kept"], |_| {}),
        attacker.give(read, |terms| terms.scopes = vec![Scope::parse("read").unwrap()]),
        attacker.give(read, |terms| terms.scopes = vec![Scope::parse("read:file:/").unwrap()]),
    ] {
        attacker.is_refused(&other);
    }
    // A link on the way leads where nothing was granted.
    std::os::unix::fs::symlink(attacker.path("out"), attacker.path("in/link")).unwrap();
    attacker.is_refused(&attacker.give(&["read in/link/a.txt"], |_| {}));

    let given = attacker.give(read, |_| {});
    assert!(attacker.open(&given).1.is_some());
    attacker.revoke(&given);
    attacker.is_refused(&given);
}

/// A worker serves its grant, whatever the server sends: it reads nothing else, also where the
/// server says that it decided so, and ends when the grant is revoked.
#[tokio::test]
async fn a_worker_serves_its_grant_alone() {
    let attacker = Attacker::start();
    let given = attacker.give(&["read in/sub"], |_| {});
    let client = FrameClient::new(attacker.open(&given).1.unwrap()).unwrap();
    let everything = ["read", "write", "execute"].map(str::to_owned);
    let inside = json!({ "path": attacker.path("in/sub/a.txt") });
    let reply = call(&client, "call", "read_file", inside.clone(), &everything).await;
    assert!(reply.to_string().contains("canary in/sub"), "{reply}");
    // The server's decision counts too.
    let reply = call(&client, "call", "read_file", inside.clone(), &[]).await;
    assert!(reply.get("error").is_some() && !reply.to_string().contains("canary"), "{reply}");
    std::os::unix::fs::symlink(attacker.path("out"), attacker.path("in/sub/link")).unwrap();
    for (tool, arguments) in [
        ("read_file", json!({ "path": attacker.path("in/a.txt") })),
        ("read_file", json!({ "path": attacker.path("out/a.txt") })),
        ("read_file", json!({ "path": attacker.path("in/sub/../a.txt") })),
        ("read_file", json!({ "path": attacker.path("in/sub/link/a.txt") })),
        ("read_file", json!({ "path": "../a.txt" })),
        ("list_directory", json!({ "path": attacker.path("in") })),
        ("search_files", json!({ "path": attacker.path(""), "pattern": "canary", "follow": true })),
    ] {
        let reply = call(&client, "call", tool, arguments.clone(), &everything).await;
        assert!(!reply.to_string().contains("canary"), "{tool} {arguments}: {reply}");
    }
    for (tool, arguments) in [
        ("write_file", json!({ "path": attacker.path("in/sub/a.txt"), "content": "x" })),
        ("delete_file", json!({ "path": attacker.path("in/sub/a.txt") })),
        ("move_file", json!({ "from": attacker.path("in/sub/a.txt"), "to": attacker.path("in/b.txt") })),
    ] {
        for op in ["call", "plan"] {
            let reply = call(&client, op, tool, arguments.clone(), &everything).await;
            assert!(reply.get("error").is_some(), "{op} {tool}: {reply}");
        }
    }
    for rubbish in ["{}", "[]", r#"{"op":"apply","plan":1}"#, r#"{"op":"call","params":{"name":"none"}}"#] {
        let answer = client.ask(rubbish.as_bytes()).await.unwrap();
        assert!(String::from_utf8(answer).unwrap().contains("error"), "{rubbish}");
    }
    assert_eq!(std::fs::read_to_string(attacker.path("in/sub/a.txt")).unwrap(), "canary in/sub\n");
    attacker.revoke(&given);
    for _ in 0..500 {
        if client.is_gone() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the worker serves a grant that was revoked");
}

/// A worker ends with the spawner, and the spawner with the server.
#[tokio::test]
async fn workers_end_with_the_server() {
    let attacker = Attacker::start();
    let given = attacker.give(&["write in"], |_| {});
    let client = FrameClient::new(attacker.open(&given).1.unwrap()).unwrap();
    drop(attacker.socket);
    for _ in 0..500 {
        if client.is_gone() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    wait_until("the worker ended", || client.is_gone());
}
