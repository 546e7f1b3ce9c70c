//! How a client reaches the layers: over a stream, as stdio clients do, or by calling the handler,
//! as the HTTP server does for each request.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use overt_transport::limits::Limits;
use overt_transport::stream;
use overt_wire::json::{self, Json};
use overt_wire::{BoxFuture, ClientSink, Closed, Exchange, Handler, Message, NoClient, Principal, Session};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, split};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinHandle};

use super::client::Client;
use super::link;
use super::schedule::LinkPlan;

pub(crate) enum Connection {
    Stream(StreamConnection),
    Handler(Box<HandlerConnection>),
}

pub(crate) struct StreamConnection {
    /// Messages to the layers. `None` once the input is closed.
    output: Mutex<Option<mpsc::Sender<String>>>,
    tasks: Vec<AbortHandle>,
    served: Mutex<Option<JoinHandle<stream::StreamEnd>>>,
}

pub(crate) struct HandlerConnection {
    handler: Arc<dyn Handler>,
    limits: Limits,
    session: Mutex<Arc<Session>>,
    sink: Arc<dyn ClientSink>,
    is_sessionless: bool,
    running: Mutex<HashMap<String, AbortHandle>>,
    client: Weak<Client>,
}

/// Delivers messages of the layers to a client without a stream.
struct ConnectionSink(Weak<Client>);

impl StreamConnection {
    pub(crate) fn open(
        client: &Weak<Client>,
        handler: Arc<dyn Handler>,
        limits: Limits,
        plan: LinkPlan,
        seed: u64,
    ) -> Self {
        let (near, far) = link::connect(plan, seed);
        let (reader, writer) = split(far);
        let served = tokio::spawn(stream::serve(handler, reader, writer, limits, std::future::pending()));
        let (input, mut output) = split(near);
        let (say, mut said) = mpsc::channel::<String>(256);
        let writer = tokio::spawn(async move {
            while let Some(text) = said.recv().await {
                if output.write_all(text.as_bytes()).await.is_err() {
                    return;
                }
            }
            let _ = output.shutdown().await;
        });
        let client = Weak::clone(client);
        let reader = tokio::spawn(async move {
            let mut lines = BufReader::new(input).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let Some(client) = client.upgrade() else { return };
                client.receive(serde_json::from_str(&line).unwrap());
            }
            if let Some(client) = client.upgrade() {
                client.end_of_output();
            }
        });
        Self {
            output: Mutex::new(Some(say)),
            tasks: vec![writer.abort_handle(), reader.abort_handle()],
            served: Mutex::new(Some(served)),
        }
    }
}

impl HandlerConnection {
    pub(crate) fn new(
        client: &Weak<Client>,
        handler: Arc<dyn Handler>,
        limits: Limits,
        is_sessionless: bool,
        name: String,
    ) -> Self {
        let sink: Arc<dyn ClientSink> = Arc::new(ConnectionSink(Weak::clone(client)));
        let session = match is_sessionless {
            true => Session::of_connection(name, Principal::local(), Arc::new(NoClient)),
            false => Session::new(name, Principal::local(), Arc::clone(&sink)),
        };
        Self {
            handler,
            limits,
            session: Mutex::new(session),
            sink,
            is_sessionless,
            running: Mutex::default(),
            client: Weak::clone(client),
        }
    }

    /// Starts what the HTTP server does for one request.
    fn start(&self, message: &Value) {
        let text = message.to_string().into_bytes();
        let parsed = Message::parse(text, &json::Limits::default()).unwrap();
        let session = Arc::clone(&self.session.lock().unwrap());
        let exchange = Exchange::new(parsed, session, Arc::clone(&self.sink)).unwrap();
        let (handler, client) = (Arc::clone(&self.handler), Weak::clone(&self.client));
        let (budget, deadline) = (self.limits.request_budget(), exchange.deadline.clone());
        let id = message["id"].clone();
        let late = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": 1408, "message": "late" } });
        let task = tokio::spawn(async move {
            let answer = budget.run(&deadline, handler.call(exchange)).await;
            let Some(client) = client.upgrade() else { return };
            match answer {
                Ok(Some(answer)) => client.receive(serde_json::from_str(answer.text()).unwrap()),
                Ok(None) => {}
                Err(_) => client.receive(late),
            }
        });
        self.running.lock().unwrap().insert(id.to_string(), task.abort_handle());
    }
}

impl Connection {
    /// Sends one message. Returns false if the input is closed.
    pub(crate) async fn send(&self, message: &Value) -> bool {
        match self {
            Self::Stream(stream) => {
                let output = stream.output.lock().unwrap().clone();
                match output {
                    Some(output) => output.send(format!("{message}\n")).await.is_ok(),
                    None => false,
                }
            }
            Self::Handler(handler) => {
                handler.start(message);
                true
            }
        }
    }

    /// Cancels a request.
    pub(crate) async fn cancel(&self, id: u64) {
        match self {
            Self::Stream(_) => {
                let params = json!({ "requestId": id });
                let method = "notifications/cancelled";
                self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
            }
            Self::Handler(handler) => {
                if let Some(task) = handler.running.lock().unwrap().remove(&id.to_string()) {
                    task.abort();
                }
            }
        }
    }

    /// Replaces the session after `initialize` failed: over HTTP there is no session then, and the
    /// next attempt starts a new one.
    pub(crate) fn forget_session(&self, name: String) {
        if let Self::Handler(handler) = self {
            let session = Session::new(name, Principal::local(), Arc::clone(&handler.sink));
            let before = std::mem::replace(&mut *handler.session.lock().unwrap(), session);
            handler.handler.closed(&before);
        }
    }

    /// Ends the input, if the transport can express this.
    pub(crate) fn end_input(&self) {
        if let Self::Stream(stream) = self {
            stream.output.lock().unwrap().take();
        }
    }

    /// Disconnects the client.
    pub(crate) async fn close(&self) {
        match self {
            Self::Stream(stream) => {
                stream.output.lock().unwrap().take();
                stream.tasks.iter().for_each(AbortHandle::abort);
                let served = stream.served.lock().unwrap().take();
                if let Some(served) = served {
                    let _ = served.await;
                }
            }
            Self::Handler(handler) => {
                handler.running.lock().unwrap().drain().for_each(|(_, task)| task.abort());
                let session = Arc::clone(&handler.session.lock().unwrap());
                // The HTTP server does not report the end of a connection, which may carry requests
                // of several clients.
                if !handler.is_sessionless {
                    handler.handler.closed(&session);
                }
            }
        }
    }
}

impl ClientSink for ConnectionSink {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        Box::pin(async move {
            let client = self.0.upgrade().ok_or(Closed)?;
            client.receive(serde_json::from_str(message.text()).unwrap());
            Ok(())
        })
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        let params: Value =
            params.map_or(Value::Null, |params| serde_json::from_str(params.as_str()).unwrap());
        let method = method.to_owned();
        Box::pin(async move {
            let client = self.0.upgrade().ok_or(Closed)?;
            let result = client.answer_question(&method, &params).await.ok_or(Closed)?;
            let text = json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string();
            Message::parse(text.into_bytes(), &json::Limits::default()).map_err(|_| Closed)
        })
    }
}
