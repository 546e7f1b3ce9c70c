//! A tool that asks a person pauses the deadline of its call (G-41).
use std::sync::{Arc, Mutex};

use overt_toolbox::{Content, Context, Server, Tool, ToolError, Toolbox};
use overt_wire::era::{Caller, Version};
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{
    BoxFuture, ClientSink, Closed, DeadlineControl, Exchange, Handler as _, Id, Message, Phase, Principal,
    Session,
};
use serde_json::{Map, Value, json};

/// A client that records whether the deadline is paused when it is asked.
#[derive(Default)]
struct Asked {
    deadline: Mutex<Option<DeadlineControl>>,
    paused: Mutex<Vec<(String, bool)>>,
}

impl ClientSink for Asked {
    fn notify(&self, _message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn request(&self, method: &str, _params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        let method = method.to_owned();
        Box::pin(async move {
            let deadline = self.deadline.lock().unwrap().clone().unwrap();
            self.paused.lock().unwrap().push((method, deadline.is_paused()));
            let result = JsonBuf::parse(r#"{"action":"decline","roots":[]}"#).unwrap();
            Ok(Message::result(&Id::from(1), result.as_json()))
        })
    }
}

async fn ask(_: Map<String, Value>, context: Context) -> Result<Vec<Content>, ToolError> {
    context.roots("where").await?;
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    context.elicit("who", "What is your name?", &schema).await?;
    Ok(Vec::new())
}

#[tokio::test]
async fn g_41_a_tool_that_elicits_pauses_the_deadline() {
    let tool = Tool::content("ask", "Asks.", ask).read_only();
    let toolbox = Toolbox::new(Server::new("test", "1.0.0", "A server for tests.")).tool(tool);
    let handler = overt_layers::open(toolbox.build().unwrap());
    let asked = Arc::new(Asked::default());
    let session = Session::new("test-session".into(), Principal::local(), Arc::<Asked>::clone(&asked));
    let capabilities = JsonBuf::parse(r#"{"elicitation":{},"roots":{}}"#).unwrap();
    let caller = Caller { version: Version::NEWEST_LEGACY, capabilities, info: None };
    session.set_phase(Phase::Ready(Arc::new(caller)));
    let params = JsonBuf::parse(r#"{"name":"ask","arguments":{}}"#).unwrap();
    let message = Message::request(&Id::from(1), "tools/call", Some(params.as_json()));
    let exchange = Exchange::new(message, session, Arc::<Asked>::clone(&asked)).unwrap();
    let deadline = exchange.deadline.clone();
    *asked.deadline.lock().unwrap() = Some(deadline.clone());
    handler.call(exchange).await.unwrap();
    let expected = [("roots/list".to_owned(), false), ("elicitation/create".to_owned(), true)];
    assert_eq!(*asked.paused.lock().unwrap(), expected);
    assert!(!deadline.is_paused());
}
