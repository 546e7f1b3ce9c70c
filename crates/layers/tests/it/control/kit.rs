//! Test fixtures: a server with tools of every effect, a client of either era, a person who
//! answers, and a ledger that may fail.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use overt_layers::audit::{Durability, Entry, Kind, Ledger, LedgerError};
use overt_layers::record::{Effect, ToolRecord};
use overt_layers::{Control, Endpoint};
use overt_toolbox::{
    Change, Content, Context, Irreversible, Outcome, Plan, Resource, ResourceContents, Server, Tool,
    ToolError, Toolbox,
};
use overt_wire::era::{Caller, Version};
use overt_wire::json::{Json, JsonBuf, Limits};
use overt_wire::{BoxFuture, ClientSink, Closed, Exchange, Handler, Message, Phase, Principal, Session};
use serde_json::{Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Path {
    path: String,
}

/// What ran, in order.
pub(super) type Ran = Arc<Mutex<Vec<String>>>;

/// `read`, `write`, `wipe` with scopes over their path, `bare` without any declaration.
pub(super) fn toolbox(ran: &Ran) -> Arc<impl Endpoint> {
    let tool = |name: &'static str, record: ToolRecord| {
        let ran = Arc::clone(ran);
        let run = move |input: Path, _| {
            ran.lock().unwrap().push(format!("{name} {}", input.path));
            async { Ok::<_, ToolError>(vec![Content::text("done")]) }
        };
        Tool::content(name, "Does it.", run).declare(record)
    };
    let bare_ran = Arc::clone(ran);
    let schema = json!({ "type": "object", "required": ["path"] });
    let bare = Tool::raw("bare", "Does it.", schema, None, move |arguments, _| {
        bare_ran.lock().unwrap().push(format!("bare {}", arguments["path"].as_str().unwrap_or_default()));
        async { Ok::<_, ToolError>(Outcome::content(vec![Content::text("done")])) }
    });
    let record = |effect, verb: &str| ToolRecord {
        scopes: vec![format!("{verb}:file:{{path}}")],
        intent_template: Some(format!("{verb} the file {{path}}")),
        ..ToolRecord::new(effect)
    };
    let page = |uri: &'static str| {
        Resource::new(uri, uri, |_| async { Ok(ResourceContents::text("text/plain", "page")) })
    };
    Toolbox::new(Server::new("files", "1.0.0", "Only for tests."))
        .project(Some("/home/ada/site".to_owned()))
        .tool(tool("read", record(Effect::Read, "read")))
        .tool(tool("write", record(Effect::Mutating, "write")))
        .tool(tool("wipe", record(Effect::Destructive, "write")))
        .tool(bare)
        .tool(edit(ran).declare(record(Effect::Mutating, "write")))
        .resource(page("test://open"))
        .resource(page("test://closed"))
        .build()
        .unwrap()
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Edited {
    path: String,
}

/// What is edited here can't be undone.
pub(super) const HUGE: &str = "/huge";

/// What is edited here can start programs.
pub(super) const STARTS: &str = "/starts";

/// A tool that is a plan and its application.
fn edit(ran: &Ran) -> Tool {
    let ran = Arc::clone(ran);
    Tool::mutating(
        "edit",
        "Edits it.",
        |input: Path, _| {
            let change = Change::edited(&input.path, "old", "new");
            let lost = input.path.starts_with(HUGE).then(|| Irreversible {
                why: "it is too large to be kept".to_owned(),
                instead: "Edit less.".to_owned(),
            });
            let starts =
                input.path.strip_prefix(STARTS).map(|path| format!("`{}` is a git hook", &path[1..]));
            let plan = Plan::new(input.path.clone(), Edited { path: input.path });
            std::future::ready(Ok(plan.change(change).irreversible(lost).guarded(starts)))
        },
        move |path: String, _: Context| {
            ran.lock().unwrap().push(format!("edit {path}"));
            std::future::ready(Ok(()))
        },
    )
}

/// What a client can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    Legacy,
    Modern,
}

pub(super) const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// A client with a person before it.
pub(super) struct Client {
    handler: Arc<dyn Handler>,
    era: Era,
    capabilities: Value,
    session: Arc<Session>,
    pub(super) person: Arc<Person>,
    pub(super) ran: Ran,
}

/// Answers questions in the order in which answers were prepared; says no when there are none left.
#[derive(Default)]
pub(super) struct Person {
    pub(super) answers: Mutex<VecDeque<Value>>,
    pub(super) questions: Mutex<Vec<Value>>,
    pub(super) manner: Mutex<Manner>,
    /// Notifications that came.
    pub(super) told: Mutex<Vec<Value>>,
}

/// What the client makes of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Manner {
    #[default]
    Answers,
    /// The person doesn't answer.
    Waits,
    /// It can't ask.
    Fails,
    /// It is gone.
    HangsUp,
}

impl Client {
    pub(super) fn new(era: Era, control: Control) -> Self {
        Self::named(era, control, "session", json!({ "elicitation": {} }))
    }

    pub(super) fn named(era: Era, control: Control, session: &str, capabilities: Value) -> Self {
        Self::watched(era, control, session, capabilities, Ran::default())
    }

    /// A client of a server whose calls somebody else watches too.
    pub(super) fn watched(era: Era, control: Control, session: &str, capabilities: Value, ran: Ran) -> Self {
        let handler = overt_layers::build(toolbox(&ran), control);
        Self::on(handler, ran, era, session, capabilities)
    }

    /// Another client of the same server.
    pub(super) fn another(&self, session: &str) -> Self {
        Self::on(
            Arc::clone(&self.handler),
            Arc::clone(&self.ran),
            self.era,
            session,
            self.capabilities.clone(),
        )
    }

    /// Another client of the same server, without a session.
    pub(super) fn without_session(&self) -> Self {
        let mut client = self.another("connection");
        let sink: Arc<dyn ClientSink> = Arc::<Person>::clone(&client.person);
        client.session = Session::of_connection("connection".into(), Principal::local(), sink);
        client
    }

    /// A program of another principal with the same name and version, without a session.
    pub(super) fn of_principal(&self, principal: &str) -> Self {
        let mut client = self.without_session();
        let sink: Arc<dyn ClientSink> = Arc::<Person>::clone(&client.person);
        let principal = Principal::token_holder(principal);
        client.session = Session::of_connection("connection".into(), principal, sink);
        client
    }

    /// A client of any server.
    pub(super) fn on(
        handler: Arc<dyn Handler>,
        ran: Ran,
        era: Era,
        session: &str,
        capabilities: Value,
    ) -> Self {
        let person = Arc::new(Person::default());
        let sink: Arc<dyn ClientSink> = Arc::<Person>::clone(&person);
        let session = Session::new(session.into(), Principal::local(), sink);
        if era == Era::Legacy {
            let capabilities = JsonBuf::from(&capabilities);
            let caller = Caller { version: Version::V2025_11_25, capabilities, info: None };
            session.set_phase(Phase::Ready(Arc::new(caller)));
        }
        Self { handler, era, capabilities, session, person, ran }
    }

    pub(super) fn will_say(&self, decision: &str) {
        let content = json!({ "action": "accept", "content": { "decision": decision } });
        self.person.answers.lock().unwrap().push_back(content);
    }

    /// One request, exactly as it is.
    pub(super) async fn send(&self, method: &str, mut params: Value) -> Value {
        if self.era == Era::Modern {
            let meta = params.as_object_mut().unwrap().entry("_meta").or_insert_with(|| json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        self.send_text(method, &params.to_string()).await
    }

    /// The same with parameters whose text matters.
    pub(super) async fn send_text(&self, method: &str, params: &str) -> Value {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let message = Message::parse(text.into_bytes(), &Limits::default()).unwrap();
        let sink: Arc<dyn ClientSink> = Arc::<Person>::clone(&self.person);
        let exchange = Exchange::new(message, Arc::clone(&self.session), sink).unwrap();
        let reply = self.handler.call(exchange).await.unwrap();
        Json::parse(reply.text()).unwrap().read().unwrap()
    }

    /// A call, with the questions that come back in results answered by the person (the newer era).
    pub(super) async fn call(&self, tool: &str, path: &str, meta: Value) -> Value {
        let mut params = json!({ "name": tool, "arguments": { "path": path }, "_meta": meta });
        loop {
            let reply = self.send("tools/call", params.clone()).await;
            if reply["result"]["resultType"] != "input_required" {
                return reply;
            }
            let requests = reply["result"]["inputRequests"].as_object().unwrap();
            let answers: serde_json::Map<String, Value> = requests
                .iter()
                .map(|(key, request)| (key.clone(), self.person.answer(&request["params"])))
                .collect();
            params["inputResponses"] = Value::Object(answers);
            params["requestState"] = reply["result"]["requestState"].clone();
        }
    }

    pub(super) fn ran(&self) -> Vec<String> {
        std::mem::take(&mut *self.ran.lock().unwrap())
    }

    pub(super) fn questions(&self) -> usize {
        std::mem::take(&mut *self.person.questions.lock().unwrap()).len()
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    pub(super) fn close(&self) {
        self.handler.closed(&self.session);
    }
}

/// The word for programs in a tool error.
pub(super) fn code(reply: &Value) -> &str {
    assert_eq!(reply["result"]["isError"], true, "{reply}");
    reply["result"]["_meta"]["dev.overt/error"]["code"].as_str().unwrap()
}

pub(super) fn is_done(reply: &Value) -> bool {
    reply["result"]["isError"].is_null() && reply["result"]["content"][0]["text"] == "done"
}

impl Person {
    fn answer(&self, question: &Value) -> Value {
        self.questions.lock().unwrap().push(question.clone());
        self.answers.lock().unwrap().pop_front().unwrap_or_else(|| json!({ "action": "decline" }))
    }
}

impl ClientSink for Person {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        self.told.lock().unwrap().push(message.as_json().read().unwrap());
        Box::pin(std::future::ready(Ok(())))
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        assert_eq!(method, "elicitation/create");
        let answer = self.answer(&params.unwrap().read().unwrap());
        let reply = match *self.manner.lock().unwrap() {
            Manner::Waits => return Box::pin(std::future::pending()),
            Manner::HangsUp => return Box::pin(std::future::ready(Err(Closed))),
            Manner::Fails => json!({ "error": { "code": -32601, "message": "no such method" } }),
            Manner::Answers => json!({ "result": answer }),
        };
        let mut text = json!({ "jsonrpc": "2.0", "id": 1 });
        text.as_object_mut().unwrap().extend(reply.as_object().unwrap().clone());
        let text = text.to_string();
        let reply = Message::parse(text.into_bytes(), &Limits::default()).map_err(|_| Closed);
        Box::pin(std::future::ready(reply))
    }
}

/// Keeps entries; fails when it is told to.
#[derive(Debug, Default)]
pub(super) struct Notebook {
    pub(super) entries: Mutex<Vec<(Entry, Option<Durability>)>>,
    pub(super) fails: std::sync::atomic::AtomicBool,
    /// How much had run when each entry was written.
    pub(super) ran: Ran,
    pub(super) had_run: Mutex<Vec<usize>>,
}

impl Notebook {
    pub(super) fn kinds(&self) -> Vec<Kind> {
        self.entries.lock().unwrap().iter().map(|(entry, _)| entry.kind).collect()
    }

    fn keep(&self, entry: Entry, when: Option<Durability>) {
        self.had_run.lock().unwrap().push(self.ran.lock().unwrap().len());
        self.entries.lock().unwrap().push((entry, when));
    }
}

impl Ledger for Notebook {
    fn write(&self, entry: Entry, when: Durability) -> BoxFuture<'_, Result<(), LedgerError>> {
        let fails = self.fails.load(std::sync::atomic::Ordering::Relaxed);
        if !fails {
            self.keep(entry, Some(when));
        }
        let written = if fails { Err(LedgerError { why: "the disk is full".into() }) } else { Ok(()) };
        Box::pin(std::future::ready(written))
    }

    fn note(&self, entry: Entry) {
        self.keep(entry, None);
    }
}
