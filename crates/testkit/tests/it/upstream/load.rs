//! Many concurrent calls of many clients, each with a nonce: nothing is lost, swapped or
//! duplicated.
use std::net::SocketAddr;
use std::sync::Arc;

use overt_testkit::evil::habits::Habits;
use overt_testkit::evil::web::Web;
use overt_testkit::http_raw::{Connection, Request};
use overt_testkit::process::Process;
use serde_json::{Value, json};

use super::kit::{EVIL, Gate, STATE, lines, overt};
use crate::web::{initialize, legacy, modern, note};

/// `overt run` over HTTP.
pub(super) struct Front {
    pub(super) address: SocketAddr,
    _process: Process,
}

impl Front {
    pub(super) async fn start(target: &[&str]) -> Self {
        let mut process = Process::start_in(
            overt(),
            &[
                &[
                    "run",
                    "--allow",
                    "read",
                    "--allow",
                    "write",
                    "--allow",
                    "execute",
                    "--http",
                    "127.0.0.1:0",
                ],
                target,
            ]
            .concat(),
            &[STATE],
        );
        let address = process.listening().await;
        Self { address, _process: process }
    }

    pub(super) async fn answer(&self, request: &Request) -> (u16, Value) {
        receive(&mut Connection::open(self.address).await, request).await
    }

    /// Opens a connection with a session of the older era.
    pub(super) async fn session(&self) -> (Connection, String) {
        let mut connection = Connection::open(self.address).await;
        let (head, body) = connection.ask(&initialize()).await;
        let session =
            head.header("mcp-session-id").unwrap_or_else(|| panic!("no session: {body}")).to_owned();
        let (head, _) = connection.ask(&note(&session, "notifications/initialized", json!({}))).await;
        assert_eq!(head.status, 202);
        (connection, session)
    }
}

/// Sends a request and returns the status and the answer.
pub(super) async fn receive(connection: &mut Connection, request: &Request) -> (u16, Value) {
    connection.send(request).await;
    received(connection).await
}

/// Returns the status and the answer of a request that was sent.
pub(super) async fn received(connection: &mut Connection) -> (u16, Value) {
    let head = connection.head().await.expect("an answer");
    let mut body = String::new();
    if head.is_stream() {
        while let Some(event) = connection.message().await {
            body = event.data;
        }
    } else {
        body = connection.body().await;
    }
    (head.status, serde_json::from_str(&body).unwrap_or(Value::Null))
}

const CLIENTS: u64 = 12;
const CALLS: u64 = 150;

/// Each client makes its calls one after the other on its own connection, half of the clients in
/// each era. The upstream counts every third call and echoes the others.
async fn hammer(front: &Arc<Front>) {
    let clients = (0..CLIENTS).map(|client| {
        let front = Arc::clone(front);
        tokio::spawn(async move {
            let (mut connection, session) = if client % 2 == 0 {
                let (connection, session) = front.session().await;
                (connection, Some(session))
            } else {
                (Connection::open(front.address).await, None)
            };
            for call in 0..CALLS {
                // All clients use the same ids, so the nonce tells their calls apart.
                let nonce = format!("{client}/{call}");
                let params = if call % 3 == 0 {
                    json!({ "name": "count", "arguments": { "nonce": nonce } })
                } else {
                    json!({ "name": "echo", "arguments": { "message": nonce } })
                };
                let request = match &session {
                    Some(session) => legacy(session, call, "tools/call", params),
                    None => modern(call, "tools/call", params),
                };
                let (status, answer) = receive(&mut connection, &request).await;
                let expected = if call % 3 == 0 { "counted" } else { &nonce };
                assert_eq!(status, 200, "{answer}");
                assert_eq!(answer["id"], call);
                assert_eq!(answer["result"]["content"][0]["text"], expected, "{answer}");
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.unwrap();
    }
}

#[track_caller]
fn counted_once(counted: &[String]) {
    let mut wanted: Vec<String> = (0..CLIENTS)
        .flat_map(|client| (0..CALLS).step_by(3).map(move |call| format!("\"{client}/{call}\"")))
        .collect();
    let mut counted = counted.to_vec();
    wanted.sort();
    counted.sort();
    assert_eq!(counted.len(), wanted.len());
    assert!(counted == wanted, "some were counted twice, others not at all");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_swapped_or_doubled_over_stdio() {
    let folder = tempfile::tempdir().unwrap();
    let counts = folder.path().join("counts");
    let front = Arc::new(Front::start(&["--", EVIL, "--counts", counts.to_str().unwrap(), "--stdio"]).await);
    hammer(&front).await;
    counted_once(&lines(&counts));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_swapped_or_doubled_over_http() {
    let folder = tempfile::tempdir().unwrap();
    let counts = folder.path().join("counts");
    let url = Web::start(Habits { counts: Some(counts.clone()), ..Habits::default() }).unwrap();
    hammer(&Arc::new(Front::start(&[&url]).await)).await;
    counted_once(&lines(&counts));
}

#[tokio::test]
async fn many_calls_in_flight_of_one_client_keep_their_answers() {
    let mut gate = Gate::before(&[]).await;
    for _ in 0..10 {
        let mut waiting = Vec::new();
        for _ in 0..200 {
            let nonce = format!("nonce {}", waiting.len());
            waiting.push((gate.send("echo", json!({ "message": nonce })).await, nonce));
        }
        for (id, nonce) in waiting {
            assert_eq!(gate.answer(id).await["result"]["content"][0]["text"], nonce.as_str());
        }
    }
    gate.is_quiet().await;
    gate.end().await;
}
