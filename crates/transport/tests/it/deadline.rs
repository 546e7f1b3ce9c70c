//! The deadline of a request, which pauses while a person decides.
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use overt_transport::http::{Options, Server};
use overt_transport::limits::Limits;
use overt_transport::pair;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, Exchange, Handler, Message};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

const ELICIT: &str = "elicitation/create";
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
const MODERN_HEADERS: &str = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n";

/// Waits for a person, or works, depending on the tool's name, for the given duration.
struct Slow(Duration);

impl Handler for Slow {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        Box::pin(async move {
            let tool = exchange.message.param("name").string().unwrap_or_default().into_owned();
            let mut result = JsonBuf::empty_object();
            match tool.as_str() {
                "work" => sleep(self.0).await,
                "person" => {
                    let _person = exchange.deadline.pause();
                    sleep(self.0).await;
                }
                "" => {}
                question => {
                    let _person = exchange.deadline.pause();
                    let answer = exchange.sink.request(question, None).await;
                    let answer =
                        answer.ok().and_then(|answer| answer.result_body().value().map(Json::to_buf));
                    result = answer.unwrap_or_else(|| JsonBuf::parse(r#""none""#).unwrap());
                }
            }
            Some(Message::result(exchange.message.id()?, result.as_json()))
        })
    }
}

fn call(id: u64, tool: &str, meta: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}"{meta}}}}}"#)
}

fn parse(line: String) -> Message {
    Message::parse(line.into_bytes(), &Limits::default().json()).unwrap()
}

/// Checks that the answer is the error of a request at its deadline.
fn assert_too_late(answer: &str, seconds: u64) {
    let data = format!(r#""data":{{"code":"DEADLINE","executed":"unknown","seconds":{seconds}}}"#);
    assert!(answer.contains(r#""code":1408"#) && answer.contains(&data), "{answer}");
}

// === stdio ===

struct Client {
    stream: BufReader<DuplexStream>,
}

impl Client {
    fn of(handler: Slow, limits: Limits) -> Self {
        let (stream, _served) = pair::connect(Arc::new(handler), limits);
        Self { stream: BufReader::new(stream) }
    }

    async fn write(&mut self, line: &str) {
        self.stream.get_mut().write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn read(&mut self) -> Message {
        let mut line = String::new();
        self.stream.read_line(&mut line).await.unwrap();
        parse(line.trim_end().to_owned())
    }
}

#[tokio::test(start_paused = true)]
async fn g_41_over_stdio_a_person_may_take_longer_than_the_deadline() {
    let limits = Limits::default();
    let began = Instant::now();
    let mut client = Client::of(Slow(limits.request_deadline * 10), limits.clone());
    client.write(&call(1, "person", "")).await;
    assert_eq!(client.read().await.text(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(began.elapsed().as_secs(), 3000);
    client.write(&call(2, "work", "")).await;
    assert_too_late(client.read().await.text(), 300);
    assert_eq!(began.elapsed().as_secs(), 3300);
}

#[tokio::test(start_paused = true)]
async fn g_41_an_elicitation_has_more_time_than_other_questions() {
    let mut client = Client::of(Slow(Duration::ZERO), Limits::default());
    client.write(&call(1, ELICIT, "")).await;
    let question = client.read().await;
    sleep(Duration::from_secs(3000)).await;
    client.write(Message::result(question.id().unwrap(), Json::parse(r#"{"a":1}"#).unwrap()).text()).await;
    assert_eq!(client.read().await.text(), r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#);
    for (id, question, seconds) in
        [(2, ELICIT, 3600), (3, "sampling/createMessage", 300), (4, "roots/list", 300)]
    {
        let began = Instant::now();
        client.write(&call(id, question, "")).await;
        client.read().await;
        // The question is withdrawn, and the call continues without an answer.
        assert_eq!(client.read().await.method().unwrap().name(), "notifications/cancelled");
        assert_eq!(client.read().await.result_body().value().unwrap().as_str(), r#""none""#);
        assert_eq!(began.elapsed().as_secs(), seconds, "{question}");
    }
}

#[tokio::test(start_paused = true)]
async fn g_41_the_wait_for_a_person_is_bounded() {
    let limits = Limits { longest_pause: Duration::from_secs(1000), ..Limits::default() };
    let began = Instant::now();
    let mut client = Client::of(Slow(Duration::from_secs(86_400)), limits);
    client.write(&call(1, "person", "")).await;
    assert_too_late(client.read().await.text(), 300);
    assert_eq!(began.elapsed().as_secs(), 1300);
}

// === HTTP ===

/// Serves with a deadline of one second and a handler that takes 2.5 seconds. Sockets need a clock
/// that is not paused.
async fn serve() -> SocketAddr {
    let limits = Limits { request_deadline: Duration::from_secs(1), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), options).await.unwrap();
    let address = server.address();
    tokio::spawn(server.serve(Arc::new(Slow(Duration::from_millis(2500))), std::future::pending()));
    address
}

async fn post(address: SocketAddr, headers: &str, body: &str) -> String {
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(Duration::from_secs(20), stream.read_to_string(&mut answer)).await.unwrap().unwrap();
    answer
}

#[tokio::test]
async fn g_41_over_http_a_person_may_take_longer_than_the_deadline_in_the_newer_era() {
    let address = serve().await;
    let meta = format!(",{META}");
    let headers = |tool| format!("{MODERN_HEADERS}Mcp-Name: {tool}\r\n");
    let (person, work) = (call(1, "person", &meta), call(2, "work", &meta));
    let (person_headers, work_headers) = (headers("person"), headers("work"));
    let (person, work) =
        tokio::join!(post(address, &person_headers, &person), post(address, &work_headers, &work));
    assert!(person.ends_with(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), "{person}");
    assert_too_late(&work, 1);
}

#[tokio::test]
async fn g_41_over_http_a_person_may_take_longer_than_the_deadline_in_the_older_era() {
    let address = serve().await;
    let hello = post(address, "", INITIALIZE).await;
    let session = hello.lines().find(|line| line.to_lowercase().starts_with("mcp-session-id:")).unwrap();
    let headers = format!("{session}\r\n");
    let (person, work) = (call(2, "person", ""), call(3, "work", ""));
    let (person, work) = tokio::join!(post(address, &headers, &person), post(address, &headers, &work));
    assert!(person.ends_with(r#"{"jsonrpc":"2.0","id":2,"result":{}}"#), "{person}");
    assert_too_late(&work, 1);
}
