//! A tool that is listed with another definition while its call is recorded.
use std::sync::{Arc, Mutex};

use overt_layers::audit::{Durability, Entry, Kind, Ledger, LedgerError};
use overt_layers::description::Tools;
use overt_layers::{Admitted, Authorize, Control, Endpoint, ServerDescription, ToolCatalogue};
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, Exchange, Handler, Id, Message, Method, NoClient, Principal, Session};

const FIRST: &str = r#"{"name":"t","description":"first","inputSchema":{"type":"object"}}"#;
const SECOND: &str = r#"{"name":"t","description":"second","inputSchema":{"type":"object"}}"#;

/// Lists the tool as it is in the catalogue, and counts its calls.
struct Upstream {
    description: ServerDescription,
    calls: Mutex<usize>,
}

struct Listed(Arc<ToolCatalogue>);

/// Lists the tool anew when the first intent is written.
#[derive(Debug)]
struct Log {
    catalogue: Arc<ToolCatalogue>,
    entries: Mutex<Vec<Entry>>,
}

impl Tools for Listed {
    fn catalogue(&self) -> Option<Arc<ToolCatalogue>> {
        Some(Arc::clone(&self.0))
    }
}

impl Endpoint for Upstream {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        let message = &admitted.exchange().message;
        let result = match message.method() {
            Some(Method::ToolsList) => format!(r#"{{"tools":[{FIRST}]}}"#),
            _ => {
                *self.calls.lock().unwrap() += 1;
                r#"{"content":[]}"#.to_owned()
            }
        };
        let reply = message.id().map(|id| Message::result(id, JsonBuf::parse(&result).unwrap().as_json()));
        Box::pin(std::future::ready(reply))
    }

    fn description(&self) -> &ServerDescription {
        &self.description
    }
}

impl Ledger for Log {
    fn write(&self, entry: Entry, _: Durability) -> BoxFuture<'_, Result<(), LedgerError>> {
        self.catalogue.note("server", &|_| None, Json::parse(SECOND).unwrap());
        self.entries.lock().unwrap().push(entry);
        Box::pin(std::future::ready(Ok(())))
    }

    fn note(&self, entry: Entry) {
        self.entries.lock().unwrap().push(entry);
    }
}

#[tokio::test]
async fn a_call_whose_tool_is_redefined_meanwhile_is_decided_about_again() {
    let catalogue = Arc::<ToolCatalogue>::default();
    let tools = Arc::new(Listed(Arc::clone(&catalogue)));
    let upstream = Arc::new(Upstream {
        description: ServerDescription { tools, ..ServerDescription::new("server") },
        calls: Mutex::default(),
    });
    let log = Arc::new(Log { catalogue, entries: Mutex::default() });
    let handler =
        Authorize::new(Control::open().ledger(Arc::<Log>::clone(&log)), Arc::<Upstream>::clone(&upstream));
    let call = Message::request(&Id::from(1), "tools/call", Some(Json::parse(r#"{"name":"t"}"#).unwrap()));
    let session = Session::new("session".into(), Principal::local(), Arc::new(NoClient));
    let exchange = Exchange::new(call, session, Arc::new(NoClient)).unwrap();
    assert_eq!(handler.call(exchange).await.unwrap().error_code(), None);
    assert_eq!(*upstream.calls.lock().unwrap(), 1);
    let entries = log.entries.lock().unwrap();
    let intents: Vec<_> = entries.iter().filter(|entry| entry.kind == Kind::Intent).collect();
    assert_eq!(intents.len(), 2, "the first attempt was withdrawn");
    assert_ne!(intents[0].tool_digest, intents[1].tool_digest);
}
