//! Minimal HTTP/1.1: one request and one response, then the connection is closed.
use std::collections::BTreeMap;
use std::io::{self, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use serde_json::Value;

use crate::http_request::{Raw, read};

/// A request as it was received.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub query: BTreeMap<String, String>,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

/// A response to send.
pub(super) struct Response {
    status: u16,
    headers: String,
    body: String,
}

/// Serves until the process ends.
pub(super) fn serve(listener: TcpListener, answer: impl Fn(&Request) -> Response + Send + Sync + 'static) {
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || -> io::Result<()> {
                let request = Request::read(&stream)?;
                let response = answer(&request);
                (&stream).write_all(response.text().as_bytes())
            });
        }
    });
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// Returns the fields of a form.
    pub fn form(&self) -> BTreeMap<String, String> {
        pairs(&self.body)
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    fn read(stream: &TcpStream) -> io::Result<Self> {
        let closed = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let Raw { line, headers, body } = read(&mut BufReader::new(stream))?.ok_or_else(closed)?;
        let mut words = line.split(' ');
        let method = words.next().unwrap_or_default().to_owned();
        let target = words.next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (path, query) = (path.to_owned(), pairs(query));
        Ok(Self { method, path, query, headers, body: String::from_utf8_lossy(&body).into_owned() })
    }
}

impl Response {
    pub(super) fn status(status: u16) -> Self {
        Self { status, headers: String::new(), body: String::new() }
    }

    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self::status(status).with("Content-Type", "application/json").body(&body.to_string())
    }

    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers += &format!("{name}: {value}\r\n");
        self
    }

    pub(super) fn body(self, body: &str) -> Self {
        Self { body: body.to_owned(), ..self }
    }

    fn text(&self) -> String {
        let Self { status, headers, body } = self;
        format!(
            "HTTP/1.1 {status} X\r\n{headers}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }
}

/// Returns the pairs of a query or a form.
pub(super) fn pairs(text: &str) -> BTreeMap<String, String> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decode(name), decode(value))).collect()
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let hex: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&hex, 16).unwrap_or(b'?')
            }
            byte => byte,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Encodes a value for a query.
pub(super) fn encode(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let word = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(word).collect()
}
