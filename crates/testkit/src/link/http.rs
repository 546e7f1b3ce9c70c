//! Streamable HTTP as a client uses it, with a connection for each message: sessions and the GET
//! stream in the older era, the mirrored headers in the newer one.
use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use overt_transport::header;
use overt_transport::http::{self, Options};
use overt_wire::era::{Caller, Era, Version};
use overt_wire::{Handler, Id, Kind, Message, Method, json};
use rustix::process::Signal;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::http_raw::{Connection, PATIENCE, Request};
use crate::process::Process;

/// A server on this machine, with the state of its only client.
#[derive(Debug)]
pub struct HttpLink {
    address: SocketAddr,
    version: Version,
    session: Option<String>,
    came: mpsc::Sender<String>,
    incoming: mpsc::Receiver<String>,
    /// Connections that may still receive messages, by the id of their request.
    open: HashMap<Id, JoinHandle<()>>,
    standing: Option<JoinHandle<()>>,
    server: Server,
}

/// The server at the other end.
#[derive(Debug)]
enum Server {
    Task(oneshot::Sender<()>, JoinHandle<()>),
    Process(Box<Process>),
}

/// The size of the queue of received messages, which is more than any test needs.
const QUEUE: usize = 10_000;

impl HttpLink {
    /// Starts to serve on a free port. `version` is the version that the client will speak.
    pub async fn serve(handler: Arc<dyn Handler>, options: Options, version: Version) -> Self {
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let server = http::Server::bind(address, options).await.expect("there is a free port");
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(server.serve(handler, async { drop(stopped.await) }));
        Self::to(address, version, Server::Task(stop, task))
    }

    /// Starts a program that announces where it listens.
    pub async fn command(program: &Path, arguments: &[&str], version: Version) -> Self {
        let mut process = Process::start(program, arguments);
        let address = process.listening().await;
        Self::to(address, version, Server::Process(Box::new(process)))
    }

    fn to(address: SocketAddr, version: Version, server: Server) -> Self {
        let (came, incoming) = mpsc::channel(QUEUE);
        Self { address, version, session: None, came, incoming, open: HashMap::new(), standing: None, server }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Sends one message. [`next`](Self::next) returns the answers.
    pub async fn send(&mut self, text: &str) {
        let Ok(message) = Message::parse(text.as_bytes().to_vec(), &json::Limits::default()) else {
            return self.send_waiting(&self.request(text, None)).await;
        };
        if Caller::era_of(&message) == Era::Modern && message.method() == Some(Method::Cancelled) {
            return self.hang_up(&message);
        }
        let request = self.request(text, Some(&message));
        match (message.kind(), message.method()) {
            (Kind::Request, Some(Method::Initialize)) => self.initialize(&request).await,
            (Kind::Request, _) => {
                let mut connection = Connection::open(self.address).await;
                connection.send(&request).await;
                let came = self.came.clone();
                let task = tokio::spawn(async move { receive(connection, came).await });
                if let Some(id) = message.id() {
                    self.open.insert(id.clone(), task);
                }
            }
            (_, Some(Method::Initialized | Method::InitializedShort)) => {
                self.send_waiting(&request).await;
                self.listen().await;
            }
            _ => self.send_waiting(&request).await,
        }
    }

    pub async fn next(&mut self) -> Option<String> {
        timeout(PATIENCE, self.incoming.recv()).await.expect("the server says something")
    }

    /// Stops the server and returns the messages that were still received.
    pub async fn finish(mut self) -> Vec<String> {
        let mut process = None;
        let mut served = None;
        match self.server {
            Server::Task(stop, task) => {
                let _ = stop.send(());
                served = Some(task);
            }
            Server::Process(running) => {
                running.signal(Signal::TERM);
                process = Some(running);
            }
        }
        let tasks = self.open.into_values().chain(self.standing).chain(served);
        for task in tasks {
            let ended = timeout(PATIENCE, task).await.expect("everything ends when the server stops");
            assert!(ended.is_ok_and(|()| true), "a connection failed");
        }
        if let Some(mut process) = process {
            assert!(process.ended().await.success(), "the program failed");
        }
        drop(self.came);
        let mut rest = Vec::new();
        while let Some(text) = self.incoming.recv().await {
            rest.push(text);
        }
        rest
    }

    /// Closes the connection of a request, which is how the newer era cancels.
    fn hang_up(&mut self, cancelled: &Message) {
        let id = cancelled.param("requestId").value().and_then(Id::of);
        if let Some(task) = id.and_then(|id| self.open.remove(&id)) {
            task.abort();
        }
    }

    fn request(&self, text: &str, message: Option<&Message>) -> Request {
        let request = Request::post(text).header("Connection", "close");
        let Some(message) = message else { return self.with_session(request) };
        if Caller::era_of(message) == Era::Legacy {
            return self.with_session(request);
        }
        let params = message.params();
        let name = match message.method() {
            Some(Method::ToolsCall | Method::PromptsGet) => params.get("name").string(),
            Some(Method::ResourcesRead) => params.get("uri").string(),
            Some(method) if method.name().starts_with("tasks/") => params.get("taskId").string(),
            _ => None,
        };
        let method = message.method().map_or("", |method| method.name());
        let request =
            request.header("MCP-Protocol-Version", Version::NEWEST.as_str()).header("Mcp-Method", method);
        match name {
            Some(name) => request.header("Mcp-Name", &header::encode(&name)),
            None => request,
        }
    }

    fn with_session(&self, request: Request) -> Request {
        let request = match &self.session {
            Some(session) => request.header("Mcp-Session-Id", session),
            None => request,
        };
        // This header exists since 2025-06-18.
        let says_version = self.session.is_some() && self.version >= Version::V2025_06_18;
        if says_version { request.header("MCP-Protocol-Version", self.version.as_str()) } else { request }
    }

    async fn initialize(&mut self, request: &Request) {
        let mut connection = Connection::open(self.address).await;
        let (head, body) = connection.ask(request).await;
        if let Some(session) = head.header("mcp-session-id") {
            self.session = Some(session.to_owned());
        }
        self.came.send(body).await.expect("the queue is open");
    }

    /// Sends a message that has at most one answer, and waits for it, so that the next message is
    /// sent after it.
    async fn send_waiting(&self, request: &Request) {
        let mut connection = Connection::open(self.address).await;
        let (head, body) = connection.ask(request).await;
        if head.status != 202 {
            self.came.send(body).await.expect("the queue is open");
        }
    }

    /// Opens the stream for messages that belong to no request.
    async fn listen(&mut self) {
        if self.session.is_none() || self.standing.is_some() {
            return;
        }
        let request =
            self.with_session(Request::new("GET /mcp HTTP/1.1").header("Accept", "text/event-stream"));
        let mut connection = Connection::open(self.address).await;
        connection.send(&request).await;
        let head = connection.head().await.expect("the server answers");
        assert_eq!(head.status, 200, "a session has a stream");
        self.standing = Some(tokio::spawn(pass_on(connection, self.came.clone())));
    }
}

async fn receive(mut connection: Connection, came: mpsc::Sender<String>) {
    let Some(head) = connection.head().await else { return };
    if head.is_stream() {
        return pass_on(connection, came).await;
    }
    let body = connection.body().await;
    if !body.is_empty() {
        let _ = came.send(body).await;
    }
}

async fn pass_on(mut connection: Connection, came: mpsc::Sender<String>) {
    while let Some(event) = connection.message().await {
        let _ = came.send(event.data).await;
    }
}
