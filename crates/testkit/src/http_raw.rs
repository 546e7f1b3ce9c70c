//! HTTP as raw bytes: sends whatever a test writes, including what no client would send, and reads
//! the responses.
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;

use overt_wire::frame::{Event, SseFramer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

/// How long a test waits for something that must happen. Only a failing test waits this long.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A request under construction. By default it is what a well-behaved client sends.
#[derive(Debug, Clone)]
#[must_use]
pub struct Request {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// One connection.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    address: SocketAddr,
    /// Bytes that were read but not processed yet.
    buffer: Vec<u8>,
    rest: Rest,
    events: SseFramer,
    ready: VecDeque<Event>,
}

/// Status and headers of a response.
#[derive(Debug, Clone)]
pub struct Head {
    pub status: u16,
    headers: Vec<(String, String)>,
}

/// The part of a body that is still to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Bytes(usize),
    Chunks,
    UntilClosed,
}

// === impl Request ===

impl Request {
    pub fn new(line: &str) -> Self {
        Self { line: line.into(), headers: Vec::new(), body: Vec::new() }
    }

    /// Creates a request that posts a message to the MCP endpoint.
    pub fn post(body: impl Into<Vec<u8>>) -> Self {
        let request = Self { body: body.into(), ..Self::new("POST /mcp HTTP/1.1") };
        request
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets a header and removes all others with that name.
    pub fn set(self, name: &str, value: &str) -> Self {
        self.without(name).header(name, value)
    }

    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// Returns the bytes of the request. Adds `Host` and `Content-Length` unless the test has set
    /// them.
    pub fn to_bytes(&self, host: &str) -> Vec<u8> {
        let has = |name: &str| self.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        let mut text = format!("{}\r\n", self.line);
        if !has("host") {
            text += &format!("Host: {host}\r\n");
        }
        if !has("content-length") && !has("transfer-encoding") {
            text += &format!("Content-Length: {}\r\n", self.body.len());
        }
        for (name, value) in &self.headers {
            text += &format!("{name}: {value}\r\n");
        }
        text += "\r\n";
        [text.as_bytes(), &self.body].concat()
    }
}

// === impl Connection ===

impl Connection {
    pub async fn open(address: SocketAddr) -> Self {
        Self::on(TcpStream::connect(address).await.expect("the server listens"), address)
    }

    /// Opens a connection with a small receive buffer.
    pub async fn open_narrow(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("there is a free socket");
        socket.set_recv_buffer_size(4096).expect("a small buffer is allowed");
        Self::on(socket.connect(address).await.expect("the server listens"), address)
    }

    fn on(stream: TcpStream, address: SocketAddr) -> Self {
        Self {
            stream,
            address,
            buffer: Vec::new(),
            rest: Rest::Bytes(0),
            events: SseFramer::with_limit(64 << 20),
            ready: VecDeque::new(),
        }
    }

    pub async fn send(&mut self, request: &Request) {
        let bytes = request.to_bytes(&self.address.to_string());
        assert!(self.write(&bytes).await, "the server closed before the request was sent");
    }

    /// Sends bytes as they are. Returns false if the server has closed the connection.
    pub async fn write(&mut self, bytes: &[u8]) -> bool {
        let written = timeout(PATIENCE, self.stream.write_all(bytes)).await;
        written.expect("the server takes what is sent").is_ok()
    }

    /// Closes our side. The server can still answer.
    pub async fn half_close(&mut self) {
        let _ = self.stream.shutdown().await;
    }

    /// Returns the head of the next response, or `None` if the server closes the connection.
    pub async fn head(&mut self) -> Option<Head> {
        loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                let text = String::from_utf8_lossy(&self.buffer[..end]).into_owned();
                self.buffer.drain(..end + 4);
                let head = Head::read(&text);
                self.rest = head.rest();
                // Skip the interim response `100 Continue`.
                if head.status == 100 {
                    continue;
                }
                return Some(head);
            }
            if !self.fill().await {
                assert!(self.buffer.is_empty(), "half a head: {:?}", String::from_utf8_lossy(&self.buffer));
                return None;
            }
        }
    }

    /// Returns the next piece of the body, or `None` at its end.
    pub async fn data(&mut self) -> Option<Vec<u8>> {
        loop {
            match self.rest {
                Rest::Bytes(0) => return None,
                Rest::Bytes(left) if !self.buffer.is_empty() => {
                    let piece: Vec<u8> = self.buffer.drain(..left.min(self.buffer.len())).collect();
                    self.rest = Rest::Bytes(left - piece.len());
                    return Some(piece);
                }
                Rest::UntilClosed if !self.buffer.is_empty() => {
                    return Some(std::mem::take(&mut self.buffer));
                }
                Rest::Chunks => {
                    if let Some(chunk) = self.take_chunk() {
                        if chunk.is_empty() {
                            self.rest = Rest::Bytes(0);
                            return None;
                        }
                        return Some(chunk);
                    }
                }
                Rest::Bytes(_) | Rest::UntilClosed => {}
            }
            if !self.fill().await {
                self.rest = Rest::Bytes(0);
                return None;
            }
        }
    }

    /// Returns the rest of the body.
    pub async fn body(&mut self) -> String {
        let mut body = Vec::new();
        while let Some(piece) = self.data().await {
            body.extend(piece);
        }
        String::from_utf8(body).expect("the server writes UTF-8")
    }

    /// Returns the next event with data, or `None` at the end of the stream. Events without data
    /// are skipped, unless they have an id or a retry time.
    pub async fn event(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let piece = self.data().await?;
            self.ready.extend(self.events.push(&piece).expect("events have a bounded size"));
        }
    }

    /// Returns the next event that carries a message.
    pub async fn message(&mut self) -> Option<Event> {
        loop {
            let event = self.event().await?;
            if !event.data.is_empty() {
                return Some(event);
            }
        }
    }

    /// Sends a request and returns the complete response.
    pub async fn ask(&mut self, request: &Request) -> (Head, String) {
        self.send(request).await;
        let head = self.head().await.expect("the server answers");
        let body = self.body().await;
        (head, body)
    }

    /// Reads until the server closes the connection. Returns the remaining bytes.
    pub async fn until_closed(&mut self) -> Vec<u8> {
        while self.fill().await {}
        std::mem::take(&mut self.buffer)
    }

    /// Reads more bytes. Returns false if the server has closed the connection.
    async fn fill(&mut self) -> bool {
        let read = timeout(PATIENCE, self.stream.read_buf(&mut self.buffer)).await;
        matches!(read.expect("the server says something or closes"), Ok(count) if count > 0)
    }

    fn take_chunk(&mut self) -> Option<Vec<u8>> {
        let line = find(&self.buffer, b"\r\n")?;
        let size = std::str::from_utf8(&self.buffer[..line]).ok();
        let size = size.and_then(|size| usize::from_str_radix(size, 16).ok()).expect("a chunk has a size");
        let (start, end) = (line + 2, line + 2 + size);
        if self.buffer.len() < end + 2 {
            return None;
        }
        let chunk = self.buffer[start..end].to_vec();
        self.buffer.drain(..end + 2);
        Some(chunk)
    }
}

// === impl Head ===

impl Head {
    fn read(text: &str) -> Self {
        let mut lines = text.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        let headers = lines.filter_map(|line| line.split_once(':'));
        Self {
            status: status.expect("a response begins with its status"),
            headers: headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().into())).collect(),
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }

    fn rest(&self) -> Rest {
        if matches!(self.status, 100..200 | 204 | 304) {
            return Rest::Bytes(0);
        }
        if self.header("transfer-encoding") == Some("chunked") {
            return Rest::Chunks;
        }
        let length = self.header("content-length").and_then(|length| length.parse().ok());
        length.map_or(Rest::UntilClosed, Rest::Bytes)
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
