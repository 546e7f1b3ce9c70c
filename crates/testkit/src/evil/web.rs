//! The server over HTTP, as raw bytes: a thread for each connection, and a script's bytes in place
//! of a response.
use std::collections::BTreeSet;
use std::io::{self, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::net::sockopt::set_socket_linger;
use serde_json::{Value, json};

use super::habits::Habits;
use super::process::{append, exit};
use super::script::Ending;
use super::server::{Action, EvilServer};
use crate::http_request::{Raw, read};

/// A listening server.
#[derive(Debug)]
pub struct Web {
    listener: TcpListener,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    server: EvilServer,
    sessions: Mutex<BTreeSet<String>>,
    next: AtomicU64,
}

impl Web {
    pub fn bind(address: SocketAddr, habits: Habits) -> io::Result<Self> {
        let shared = Shared {
            server: EvilServer::new(habits.started()),
            sessions: Mutex::default(),
            next: AtomicU64::new(1),
        };
        Ok(Self { listener: TcpListener::bind(address)?, shared: Arc::new(shared) })
    }

    pub fn url(&self) -> String {
        self.listener.local_addr().map_or_else(|_| String::new(), |address| format!("http://{address}/mcp"))
    }

    /// Serves until the process ends.
    pub fn serve(self) {
        for socket in self.listener.incoming().flatten() {
            let shared = Arc::clone(&self.shared);
            std::thread::spawn(move || converse(&shared, &socket));
        }
    }

    /// Serves on a background thread and returns the URL.
    pub fn start(habits: Habits) -> io::Result<String> {
        let web = Self::bind(SocketAddr::from(([127, 0, 0, 1], 0)), habits)?;
        let url = web.url();
        std::thread::spawn(move || web.serve());
        Ok(url)
    }
}

fn converse(shared: &Shared, socket: &TcpStream) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut reader = BufReader::new(socket.try_clone()?);
    while let Some(request) = read(&mut reader)? {
        if let Some(file) = &shared.server.habits.requests {
            append(file, &json!({ "line": request.line, "headers": request.headers }).to_string());
        }
        if !shared.answer(&request, socket)? {
            return Ok(());
        }
    }
    Ok(())
}

impl Shared {
    /// Answers a request. Returns whether the connection stays open.
    fn answer(&self, request: &Raw, socket: &TcpStream) -> io::Result<bool> {
        if let Some(always) = &self.server.habits.always {
            return respond(socket, always.as_bytes()).map(|()| false);
        }
        if !request.line.starts_with("POST ") {
            return respond(socket, &head(405, "Method Not Allowed", "", "")).map(|()| true);
        }
        let message: Value =
            serde_json::from_str(&String::from_utf8_lossy(&request.body)).unwrap_or_default();
        let Ok(session) = self.session(request, &message) else {
            return respond(socket, &head(404, "Not Found", "", "")).map(|()| true);
        };
        match self.server.respond(&message, &request.headers) {
            Action::Answer(answer) | Action::Deafen(answer) => {
                respond(socket, &head(200, "OK", &session, &answer.to_string())).map(|()| true)
            }
            Action::Forget(answer) => {
                self.sessions.lock().unwrap_or_else(PoisonError::into_inner).clear();
                respond(socket, &head(200, "OK", &session, &answer.to_string())).map(|()| true)
            }
            Action::Script(script) => {
                if script.run(|| socket)? == Ending::Reset {
                    set_socket_linger(socket, Some(Duration::ZERO))?;
                }
                Ok(false)
            }
            Action::Exit(status) => exit(status),
            Action::Abort => std::process::abort(),
            Action::Nothing if message["id"].is_null() || message["method"].is_null() => {
                respond(socket, &head(202, "Accepted", "", "")).map(|()| true)
            }
            Action::Nothing => {
                // Don't answer; wait until the other side closes the connection.
                let _ = io::copy(&mut socket.try_clone()?, &mut io::sink());
                Ok(false)
            }
        }
    }

    /// Returns the header that names the session: a new session for `initialize`, no header
    /// otherwise. Fails if the request names an unknown session.
    fn session(&self, request: &Raw, message: &Value) -> Result<String, ()> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if message["method"] == "initialize" && !self.server.habits.modern {
            let session = format!("session-{}", self.next.fetch_add(1, Ordering::Relaxed));
            sessions.insert(session.clone());
            return Ok(format!("Mcp-Session-Id: {session}\r\n"));
        }
        match request.headers.get("mcp-session-id") {
            Some(session) if !sessions.contains(session) => Err(()),
            _ => Ok(String::new()),
        }
    }
}

fn head(status: u16, reason: &str, headers: &str, body: &str) -> Vec<u8> {
    let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
    let length = body.len();
    format!("HTTP/1.1 {status} {reason}\r\n{kind}{headers}Content-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

fn respond(mut socket: &TcpStream, bytes: &[u8]) -> io::Result<()> {
    socket.write_all(bytes)
}
