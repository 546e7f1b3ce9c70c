//! A scripted HTTP server. A function decides its replies, and tests can inspect the requests that
//! it received.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use overt_transport::client::{HttpTarget, Target};
use overt_wire::{Message, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

pub(super) struct Web {
    pub(super) url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    seen: Vec<Seen>,
    hung_up: usize,
}

/// A request that the server received.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    /// `POST tools/call`, `GET`, `DELETE`.
    pub(super) what: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

/// A scripted reply.
pub(super) struct Reply {
    status: u16,
    headers: String,
    body: Vec<Step>,
    streamed: bool,
}

enum Step {
    Text(String),
    Pause(Duration),
    /// Keeps the connection open until the client closes it.
    Hang,
}

type Handler = dyn Fn(&Seen) -> Reply + Send + Sync;

impl Web {
    /// Serves until the test ends.
    pub(super) async fn serve(handler: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let (shared, handler): (_, Arc<Handler>) = (Arc::clone(&state), Arc::new(handler));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(connection(stream, Arc::clone(&shared), Arc::clone(&handler)));
            }
        });
        Self { url, state }
    }

    pub(super) fn target(&self) -> Target {
        Target::Http(HttpTarget::new(&self.url))
    }

    pub(super) fn seen(&self) -> Vec<Seen> {
        self.state.lock().unwrap().seen.clone()
    }

    /// The requests of one kind, such as `POST tools/call`.
    pub(super) fn saw(&self, what: &str) -> Vec<Seen> {
        self.seen().into_iter().filter(|seen| seen.what == what).collect()
    }

    /// Waits until the server has received this many requests of one kind.
    pub(super) async fn wait_for(&self, what: &str, count: usize) -> Vec<Seen> {
        for _ in 0..500 {
            let saw = self.saw(what);
            if saw.len() >= count {
                return saw;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{what} did not come {count} times: {:?}", self.seen());
    }

    /// Waits until the client has closed a hanging stream.
    pub(super) async fn wait_for_hang_up(&self) {
        for _ in 0..500 {
            if self.state.lock().unwrap().hung_up > 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the client did not close the stream");
    }
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn message(&self) -> Message {
        Message::parse(self.body.clone().into_bytes(), &json::Limits::default()).unwrap()
    }

    pub(super) fn id(&self) -> String {
        self.message().id().unwrap().token().to_owned()
    }

    /// The text of a successful answer to this request.
    pub(super) fn result(&self, result: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, self.id())
    }

    pub(super) fn error(&self, error: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, self.id())
    }
}

impl Reply {
    pub(super) fn status(status: u16) -> Self {
        Self { status, headers: String::new(), body: Vec::new(), streamed: false }
    }

    pub(super) fn json(text: String) -> Self {
        Self::status(200).with("Content-Type", "application/json").text(text)
    }

    /// An event stream that ends after its last step.
    pub(super) fn events() -> Self {
        Self { streamed: true, ..Self::status(200).with("Content-Type", "text/event-stream") }
    }

    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers += &format!("{name}: {value}\r\n");
        self
    }

    pub(super) fn text(mut self, text: impl Into<String>) -> Self {
        self.body.push(Step::Text(text.into()));
        self
    }

    pub(super) fn event(self, data: &str) -> Self {
        self.text(format!("data: {data}\n\n"))
    }

    pub(super) fn pause(mut self, milliseconds: u64) -> Self {
        self.body.push(Step::Pause(Duration::from_millis(milliseconds)));
        self
    }

    pub(super) fn hang(mut self) -> Self {
        self.body.push(Step::Hang);
        self.streamed = true;
        self
    }
}

async fn connection(mut stream: TcpStream, state: Arc<Mutex<State>>, handler: Arc<Handler>) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    loop {
        let seen = read_request(&mut stream).await?;
        state.lock().unwrap().seen.push(seen.clone());
        let reply = handler(&seen);
        let length: usize = reply.body.iter().map(Step::len).sum();
        let framing = if reply.streamed {
            "Connection: close\r\n".to_owned()
        } else {
            format!("Content-Length: {length}\r\n")
        };
        let head = format!("HTTP/1.1 {} X\r\n{}{framing}\r\n", reply.status, reply.headers);
        stream.write_all(head.as_bytes()).await.ok()?;
        for step in reply.body {
            match step {
                Step::Text(text) => stream.write_all(text.as_bytes()).await.ok()?,
                Step::Pause(pause) => tokio::time::sleep(pause).await,
                Step::Hang => {
                    let _ = stream.read(&mut [0; 1]).await;
                    state.lock().unwrap().hung_up += 1;
                }
            }
        }
        if reply.streamed {
            return None;
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<Seen> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let verb = lines.next()?.split(' ').next()?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
    while bytes.len() < end + 4 + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8(bytes[end + 4..end + 4 + length].to_vec()).unwrap();
    let mut seen = Seen { what: verb, headers, body };
    if !seen.body.is_empty() {
        let message = seen.message();
        let what = message.method().map_or("answer", |method| method.name()).to_owned();
        seen.what = format!("{} {what}", seen.what);
    }
    Some(seen)
}

impl Step {
    fn len(&self) -> usize {
        if let Self::Text(text) = self { text.len() } else { 0 }
    }
}
