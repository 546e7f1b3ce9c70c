//! The server over standard input and output, and over HTTP.
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

use serde_json::Value;

use super::server::SeedServer;
use crate::http_request::read;

/// Serves one request after the other until the input ends.
pub fn lines() -> io::Result<()> {
    let server = SeedServer::default();
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        writeln!(io::stdout().lock(), "{}", server.answer(&message))?;
    }
    Ok(())
}

/// Listens, and serves in the background until the process ends. Returns the URL.
pub fn http(address: SocketAddr) -> io::Result<String> {
    let listener = TcpListener::bind(address)?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let server = Arc::new(SeedServer::default());
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let server = Arc::clone(&server);
            std::thread::spawn(move || converse(&server, &socket));
        }
    });
    Ok(url)
}

fn converse(server: &SeedServer, mut socket: &TcpStream) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut reader = BufReader::new(socket.try_clone()?);
    while let Some(request) = read(&mut reader)? {
        let message: Value =
            serde_json::from_str(&String::from_utf8_lossy(&request.body)).unwrap_or_default();
        let (status, body) = if !request.line.starts_with("POST ") {
            ("405 Method Not Allowed", String::new())
        } else if message["id"].is_null() {
            ("202 Accepted", String::new())
        } else {
            ("200 OK", server.answer(&message).to_string())
        };
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        write!(socket, "HTTP/1.1 {status}\r\n{kind}Content-Length: {}\r\n\r\n{body}", body.len())?;
    }
    Ok(())
}
