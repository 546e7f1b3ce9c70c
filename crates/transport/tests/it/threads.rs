//! Connections are distributed over the server's runtimes.
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use overt_transport::http::{Options, Server};
use overt_wire::json::JsonBuf;
use overt_wire::{BoxFuture, Exchange, Handler, Message};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

/// Counts the answers of each thread.
#[derive(Default)]
struct Threads(Mutex<HashMap<ThreadId, usize>>);

impl Handler for Threads {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        Box::pin(async move {
            // Timers of the runtime must work on this thread.
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            *self.0.lock().unwrap().entry(std::thread::current().id()).or_default() += 1;
            Some(Message::result(exchange.message.id()?, JsonBuf::empty_object().as_json()))
        })
    }
}

fn worker() -> Handle {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let handle = runtime.handle().clone();
    std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    handle
}

async fn ping(stream: &mut TcpStream, address: SocketAddr) {
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: ping\r\nContent-Length: {}\r\n\r\n{PING}",
        PING.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    while !answer.ends_with('}') {
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).await.unwrap();
        assert!(count > 0, "{answer}");
        answer += std::str::from_utf8(&chunk[..count]).unwrap();
    }
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn connections_use_every_thread_and_a_single_one_stays_where_it_is_accepted() {
    let options = Options { workers: vec![worker(), worker()], ..Options::default() };
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), options).await.unwrap();
    let address = server.address();
    let threads = Arc::new(Threads::default());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let handler = Arc::<Threads>::clone(&threads);
    let served = tokio::spawn(server.serve(handler, async { drop(stopped.await) }));
    let mut connections = Vec::new();
    for number in 0..9 {
        let mut connection = TcpStream::connect(address).await.unwrap();
        for _ in 0..10 {
            ping(&mut connection, address).await;
        }
        connections.push(connection);
        if number == 0 {
            let seen = threads.0.lock().unwrap().clone();
            assert_eq!(seen, HashMap::from([(std::thread::current().id(), 10)]));
        }
    }
    let counts: Vec<usize> = threads.0.lock().unwrap().values().copied().collect();
    assert_eq!(counts, [30, 30, 30], "each thread has three connections");
    stop.send(()).unwrap();
    drop(connections);
    served.await.unwrap();
}
