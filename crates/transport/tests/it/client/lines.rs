//! A scripted server at the other end of a pair of streams. The test plays the server by hand.
use std::sync::Arc;
use std::time::Duration;

use overt_transport::client::{Client, ClientError, ClientOptions, Listener};
use overt_wire::era::Era;
use overt_wire::{Message, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

pub(super) struct Lines {
    input: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
}

pub(super) const LEGACY_HELLO: &str =
    r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;
pub(super) const MODERN_HELLO: &str =
    r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#;

/// Starts to connect and returns the server's side.
pub(super) fn connect(
    options: ClientOptions,
    listener: Arc<dyn Listener>,
) -> (JoinHandle<Result<Client, ClientError>>, Lines) {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (output, input) = tokio::io::split(ours);
    let connecting = tokio::spawn(Client::over(input, output, options, listener));
    let (input, output) = tokio::io::split(theirs);
    (connecting, Lines { input: BufReader::new(input).lines(), output })
}

/// A connected client of the given era, and the server's side.
pub(super) async fn connected(
    era: Era,
    options: ClientOptions,
    listener: Arc<dyn Listener>,
) -> (Arc<Client>, Lines) {
    let (connecting, mut server) = connect(options, listener);
    let probe = server.read("server/discover").await;
    match era {
        Era::Modern => server.result(&probe, MODERN_HELLO).await,
        Era::Legacy => {
            server.error(&probe, -32601).await;
            let hello = server.read("initialize").await;
            server.result(&hello, LEGACY_HELLO).await;
            server.read("notifications/initialized").await;
        }
    }
    (Arc::new(connecting.await.unwrap().unwrap()), server)
}

/// Sends a request in a separate task, so that the test can play the server meanwhile.
pub(super) fn asking(
    client: &Arc<Client>,
    method: &'static str,
    params: &str,
) -> JoinHandle<Result<Message, ClientError>> {
    let (client, params) = (Arc::clone(client), params.to_owned());
    tokio::spawn(async move { client.request(method, Some(json::Json::parse(&params).unwrap())).await })
}

impl Lines {
    /// Reads the next message, which must have this method.
    pub(super) async fn read(&mut self, method: &str) -> Message {
        let message = self.read_any().await;
        assert_eq!(message.method().map(overt_wire::Method::name), Some(method), "{message:?}");
        message
    }

    pub(super) async fn read_any(&mut self) -> Message {
        let next = tokio::time::timeout(Duration::from_secs(30), self.input.next_line());
        let line = next.await.expect("the client says nothing").unwrap().expect("the client has gone");
        Message::parse(line.into_bytes(), &json::Limits::default()).unwrap()
    }

    /// Whether no message arrives for a while.
    pub(super) async fn is_silent(&mut self) -> bool {
        tokio::time::timeout(Duration::from_millis(150), self.input.next_line()).await.is_err()
    }

    pub(super) async fn write(&mut self, line: &str) {
        self.output.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    pub(super) async fn result(&mut self, request: &Message, result: &str) {
        let answer = Message::result(request.id().unwrap(), json::Json::parse(result).unwrap());
        self.write(answer.text()).await;
    }

    pub(super) async fn error(&mut self, request: &Message, code: i64) {
        let id = request.id().unwrap();
        self.write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"no"}}}}"#))
            .await;
    }
}
