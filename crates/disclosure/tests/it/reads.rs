//! reads of `ai_help`, `overt://` and documents are recorded and rate-limited, and the lists
//! behind them are requested once.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use overt_layers::audit::{CallOutcome, Durability, Entry, Kind, Ledger, LedgerError};
use overt_layers::record::ServerRecord;
use overt_layers::{Admitted, Control, Endpoint, PolicySnapshot, Rates, ServerDescription};
use overt_policy::Authority;
use overt_policy::rate::RateLimit;
use overt_toolbox::{Content, Server, Tool, ToolError, Toolbox, ToolboxEndpoint};
use overt_wire::json::Limits;
use overt_wire::{
    BoxFuture, DocumentRequest, Exchange, Handler, Message, Method, NoClient, Principal, Session,
};
use serde_json::{Value, json};

/// Keeps what is recorded.
#[derive(Debug, Default)]
struct Notebook(Mutex<Vec<Entry>>);

impl Ledger for Notebook {
    fn write(&self, entry: Entry, _: Durability) -> BoxFuture<'_, Result<(), LedgerError>> {
        self.note(entry);
        Box::pin(std::future::ready(Ok(())))
    }

    fn note(&self, entry: Entry) {
        self.0.lock().unwrap().push(entry);
    }
}

/// Counts the lists that it is asked for.
struct Counted {
    inner: Arc<ToolboxEndpoint>,
    lists: Arc<AtomicUsize>,
}

impl Endpoint for Counted {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        if admitted.exchange().message.method() == Some(Method::ToolsList) {
            self.lists.fetch_add(1, Ordering::Relaxed);
        }
        self.inner.call(admitted)
    }

    fn description(&self) -> &ServerDescription {
        self.inner.description()
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

fn started(each: Option<&str>) -> (Arc<dyn Handler>, Arc<Notebook>, Arc<AtomicUsize>) {
    let server = Server::new("acme", "1.0.0", "Use the tools.")
        .declare(ServerRecord::new("Manages projects. Use when the user asks for projects."));
    let run = |_: Nothing, _| async { Ok::<_, ToolError>(vec![Content::text("done")]) };
    let inner = Toolbox::new(server).tool(Tool::content("get", "Gets it.", run).read_only()).build().unwrap();
    let (ledger, lists) = (Arc::new(Notebook::default()), Arc::new(AtomicUsize::new(0)));
    let each = each.and_then(RateLimit::parse).into_iter().collect();
    let rates = Rates { each, ..Rates::default() };
    let snapshot = PolicySnapshot { rates, ..PolicySnapshot::new(Authority::careful()) };
    let control = Control::new(snapshot).ledger(Arc::<Notebook>::clone(&ledger));
    let endpoint = Counted { inner, lists: Arc::clone(&lists) };
    (overt_disclosure::build(endpoint, control).unwrap(), ledger, lists)
}

async fn ask(handler: &Arc<dyn Handler>, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let text = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let message = Message::parse(text.into_bytes(), &Limits::default()).unwrap();
    let session = Session::new("session".into(), Principal::local(), Arc::new(NoClient));
    let reply = handler.call(Exchange::new(message, session, Arc::new(NoClient)).unwrap()).await.unwrap();
    reply.as_json().read().unwrap()
}

fn page(path: &str) -> DocumentRequest {
    DocumentRequest {
        path: path.to_owned(),
        mcp_path: "/mcp".to_owned(),
        mcp_url: "http://127.0.0.1:8080/mcp".to_owned(),
    }
}

#[tokio::test]
async fn a_21_every_read_is_recorded() {
    let (handler, ledger, _) = started(None);
    ask(&handler, "ai_help", json!({})).await;
    ask(&handler, "resources/read", json!({ "uri": "overt://ai-help" })).await;
    ask(&handler, "resources/read", json!({ "uri": "overt://cards/get" })).await;
    handler.document(page("/llms.txt")).await.unwrap();
    let entries = ledger.0.lock().unwrap();
    let read: Vec<&str> = entries
        .iter()
        .filter(|entry| entry.kind == Kind::Outcome && entry.outcome == Some(CallOutcome::Ok))
        .filter_map(|entry| entry.target.as_deref())
        .collect();
    assert_eq!(read, ["ai_help", "overt://ai-help", "overt://cards/get", "/llms.txt"]);
}

#[tokio::test]
async fn a_21_reads_are_rated() {
    let (handler, ledger, _) = started(Some("2/hour"));
    for _ in 0..2 {
        assert!(ask(&handler, "ai_help", json!({})).await["result"].is_object());
    }
    let refused = ask(&handler, "ai_help", json!({})).await;
    assert!(refused["error"]["message"].as_str().unwrap().contains("too many calls"), "{refused}");
    assert!(ledger.0.lock().unwrap().iter().any(|entry| entry.kind == Kind::Deny));
}

#[tokio::test]
async fn a_21_the_lists_behind_reads_are_asked_for_once_in_a_while() {
    let (handler, _, lists) = started(None);
    for _ in 0..20 {
        ask(&handler, "ai_help", json!({})).await;
    }
    assert_eq!(lists.load(Ordering::Relaxed), 1);
}
