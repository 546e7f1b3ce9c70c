//! A server with declared and undeclared tools, and a client that can't ask a person.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use overt_layers::description::Tools;
use overt_layers::grants::StateStore;
use overt_layers::record::{Effect, Hints, ToolRecord};
use overt_layers::{Admitted, Authorize, Control, Endpoint, PolicySnapshot, ServerDescription};
use overt_policy::ToolFacts;
use overt_wire::json::JsonBuf;
use overt_wire::{BoxFuture, Exchange, Handler, Id, Message, Method, NoClient, Principal, Session};
use serde_json::{Value, json};

/// The name of the server in scopes and rules.
const NAME: &str = "srv";
pub(crate) const PROJECT: &str = "/home/ada/site";
/// The declared tools, then those of which only the server says something.
pub(crate) const TOOLS: [&str; 7] =
    ["peek", "edit", "wipe", "claims_read", "claims_write", "contradicts", "silent"];

/// What a call came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Ran,
    /// A person must agree first.
    Asked,
    Denied,
}

struct Declared;

pub(crate) struct Server {
    description: ServerDescription,
    has_run: AtomicBool,
}

/// What is declared about a tool.
fn record(tool: &str) -> Option<&'static ToolRecord> {
    static RECORDS: std::sync::OnceLock<[(&str, ToolRecord); 3]> = std::sync::OnceLock::new();
    let record =
        |effect, scope: &str| ToolRecord { scopes: vec![scope.to_owned()], ..ToolRecord::new(effect) };
    let records = RECORDS.get_or_init(|| {
        [
            ("peek", record(Effect::Read, "read:file:{path}")),
            ("edit", record(Effect::Mutating, "write:file:{path}")),
            ("wipe", record(Effect::Destructive, "write:file:{path}")),
        ]
    });
    records.iter().find(|(name, _)| *name == tool).map(|(_, record)| record)
}

fn hints(tool: &str) -> Hints {
    let (read_only, destructive) = match tool {
        "claims_read" => (Some(true), None),
        "claims_write" => (Some(false), None),
        "contradicts" => (Some(true), Some(true)),
        _ => (None, None),
    };
    Hints { read_only, destructive, ..Hints::default() }
}

/// Returns the facts about a tool as a reader of its definition and its declaration knows them.
pub(crate) fn facts(tool: &str) -> ToolFacts {
    ToolFacts::of(NAME, tool, record(tool), hints(tool)).unwrap()
}

/// Returns the definitions of all tools.
pub(crate) fn definitions() -> Vec<JsonBuf> {
    let definition = |tool: &str| {
        let hints = hints(tool);
        let mut annotations = json!({});
        for (name, hint) in [("readOnlyHint", hints.read_only), ("destructiveHint", hints.destructive)] {
            hint.into_iter().for_each(|hint| annotations[name] = json!(hint));
        }
        JsonBuf::from(&json!({
            "name": tool,
            "inputSchema": { "type": "object" },
            "annotations": annotations,
        }))
    };
    TOOLS.iter().map(|tool| definition(tool)).collect()
}

impl Tools for Declared {
    fn record(&self, tool: &str) -> Option<&ToolRecord> {
        record(tool)
    }
}

impl Server {
    /// `identity` is the full name of the server, as grants have it.
    pub(crate) fn new(identity: &str) -> Arc<Self> {
        let description = ServerDescription {
            tools: Arc::new(Declared),
            identity: identity.to_owned(),
            project: Some(PROJECT.to_owned()),
            ..ServerDescription::new(NAME)
        };
        Arc::new(Self { description, has_run: AtomicBool::new(false) })
    }

    /// Makes a call through all checks.
    pub(crate) async fn call(
        self: &Arc<Self>,
        policy: PolicySnapshot,
        store: &Arc<dyn StateStore>,
        params: &Value,
    ) -> Outcome {
        let control = Control::new(policy).store(Arc::clone(store));
        let handler = Authorize::new(control, Arc::clone(self));
        let params = JsonBuf::from(params);
        let call = Message::request(&Id::from(1), "tools/call", Some(params.as_json()));
        let session = Session::new("session".into(), Principal::local(), Arc::new(NoClient));
        let exchange = Exchange::new(call, session, Arc::new(NoClient)).unwrap();
        self.has_run.store(false, Ordering::Relaxed);
        let reply = handler.call(exchange).await.unwrap();
        let code = reply.result_body().get("_meta").get("dev.overt/error").get("code").string();
        match (self.has_run.load(Ordering::Relaxed), code.as_deref()) {
            (true, None) => Outcome::Ran,
            (false, Some("PERMISSION_NOT_GRANTED")) => Outcome::Asked,
            (false, Some("PERMISSION_DENIED")) => Outcome::Denied,
            other => panic!("{other:?}: {}", reply.text()),
        }
    }
}

impl Endpoint for Server {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        let message = &admitted.exchange().message;
        let result = match message.method() {
            Some(Method::ToolsList) => {
                let tools: Vec<Value> =
                    definitions().iter().map(|tool| tool.as_json().read().unwrap()).collect();
                json!({ "tools": tools })
            }
            _ => {
                self.has_run.store(true, Ordering::Relaxed);
                json!({ "content": [] })
            }
        };
        let reply = message.id().map(|id| Message::result(id, JsonBuf::from(&result).as_json()));
        Box::pin(std::future::ready(reply))
    }

    fn description(&self) -> &ServerDescription {
        &self.description
    }
}
