//! One conversation over a pair of streams: its start, floods, its shutdown. The clock is paused.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use overt_transport::limits::Limits;
use overt_transport::stream::{self, StreamEnd};
use overt_wire::json::JsonBuf;
use overt_wire::{BoxFuture, Exchange, Handler, Message};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

const LISTEN: &str = r#"{"jsonrpc":"2.0","id":"listen","method":"subscriptions/listen","params":{"seconds":9999,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

/// Takes as long as the params say: `{"seconds": 8}`. With `"progress": 3` it reports progress
/// every three seconds; with `"ask": true` it asks the client first.
#[derive(Default)]
struct Timed {
    running: Arc<AtomicUsize>,
    most_running: Arc<AtomicUsize>,
    shut_down: Arc<AtomicUsize>,
}

/// Counts a message as running until its work ends in any way.
struct Running(Arc<AtomicUsize>);

impl Running {
    fn begin(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Handler for Timed {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        let running = Running::begin(&self.running);
        self.most_running.fetch_max(self.running.load(Ordering::Relaxed), Ordering::Relaxed);
        Box::pin(async move {
            let _running = running;
            let params = exchange.message.params();
            let number =
                |name| params.get(name).value().and_then(overt_wire::json::Json::integer).unwrap_or(0) as u64;
            let (mut left, every) = (number("seconds"), number("progress"));
            let mut result = JsonBuf::empty_object();
            if params.get("ask").value().is_some() {
                let answer = exchange.sink.request("roots/list", None).await;
                result =
                    JsonBuf::parse(if answer.is_ok() { r#""answered""# } else { r#""closed""# }).unwrap();
            }
            while every > 0 && left > every {
                sleep(Duration::from_secs(every)).await;
                left -= every;
                let _ = exchange.sink.notify(Message::notification("notifications/progress", None)).await;
            }
            sleep(Duration::from_secs(left)).await;
            Some(Message::result(exchange.message.id()?, result.as_json()))
        })
    }

    fn shutdown(&self) {
        self.shut_down.fetch_add(1, Ordering::Relaxed);
    }
}

struct Client {
    input: Option<WriteHalf<DuplexStream>>,
    lines: BufReader<ReadHalf<DuplexStream>>,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<StreamEnd>,
}

impl Client {
    fn of(handler: Timed, limits: Limits) -> Self {
        let (theirs, output) = tokio::io::duplex(64 << 10);
        let (input, ours) = tokio::io::duplex(64 << 10);
        let (stop, stopped) = oneshot::channel();
        let stopped = async {
            if stopped.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let served = tokio::spawn(stream::serve(Arc::new(handler), ours, output, limits, stopped));
        let (lines, _) = tokio::io::split(theirs);
        let (_, input) = tokio::io::split(input);
        Self { input: Some(input), lines: BufReader::new(lines), stop: Some(stop), served }
    }

    async fn write(&mut self, lines: &[&str]) {
        let text: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
        self.input.as_mut().unwrap().write_all(text.as_bytes()).await.unwrap();
    }

    /// Closes the client's input stream.
    fn close(&mut self) {
        self.input = None;
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let count = self.lines.read_line(&mut line).await.unwrap();
        (count > 0).then(|| line.trim_end().to_owned())
    }

    async fn rest(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = self.line().await {
            lines.push(line);
        }
        lines
    }
}

fn call(id: u64, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
}

fn note(bytes: usize) -> String {
    let text = "x".repeat(bytes);
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/n","params":{{"seconds":1000,"text":"{text}"}}}}"#)
}

/// I-12: a request that is too long is answered with its id, at whatever position the id is. The
/// conversation continues.
#[tokio::test(start_paused = true)]
async fn i_12_a_request_that_is_too_long_is_answered_under_its_id() {
    let mut client = Client::of(Timed::default(), Limits { max_message_bytes: 1000, ..Limits::default() });
    let long = "x".repeat(200_000);
    let first = call(7, &format!(r#"{{"text":"{long}"}}"#));
    let last = format!(
        r#"{{"method":"tools/call","params":{{"id":1,"text":"{long}"}},"jsonrpc":"2.0","id":"eight"}}"#
    );
    let answer = format!(r#"{{"jsonrpc":"2.0","id":9,"result":"{long}"}}"#);
    for (request, id) in [(first, r#""id":7"#), (last, r#""id":"eight""#), (answer, r#""error""#)] {
        client.write(&[&request]).await;
        let line = client.line().await.unwrap();
        assert!(line.contains(id) && line.contains("at most 1000 bytes"), "{line}");
        // An answer is not answered with its id, because that id is ours.
        assert_eq!(line.contains(r#""id""#), !id.contains("error"), "{line}");
    }
    client.write(&[&call(10, "{}")]).await;
    assert!(client.line().await.unwrap().contains(r#""id":10"#));
}

// === shutdown ===

#[tokio::test(start_paused = true)]
async fn g_47_at_the_end_of_input_every_request_is_answered() {
    let mut client = Client::of(Timed::default(), Limits::default());
    let began = Instant::now();
    let (slow, slower, too_slow) =
        (call(1, r#"{"seconds":8}"#), call(2, r#"{"seconds":290}"#), call(3, r#"{"seconds":9999}"#));
    client.write(&[&slow, &slower, &too_slow]).await;
    client.close();
    assert_eq!(client.line().await.unwrap(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(began.elapsed().as_secs(), 8);
    assert_eq!(client.line().await.unwrap(), r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    let late = client.line().await.unwrap();
    assert!(late.contains(r#""id":3,"error":{"code":1408"#) && late.contains("DEADLINE"), "{late}");
    assert_eq!(began.elapsed().as_secs(), 300);
    assert_eq!(client.line().await, None);
    assert_eq!(client.served.await.unwrap(), StreamEnd::InputClosed);
}

#[tokio::test(start_paused = true)]
async fn g_47_after_the_end_of_input_questions_fail_and_subscriptions_end_at_once() {
    let mut client = Client::of(Timed::default(), Limits::default());
    let began = Instant::now();
    client.write(&[&call(1, r#"{"ask":true}"#), LISTEN]).await;
    assert!(client.line().await.unwrap().contains("roots/list"));
    client.close();
    let mut rest = client.rest().await;
    rest.sort();
    assert_eq!(rest.len(), 2, "{rest:?}");
    assert!(rest[0].contains(r#""id":"listen","result":{"resultType":"complete""#), "{rest:?}");
    assert_eq!(rest[1], r#"{"jsonrpc":"2.0","id":1,"result":"closed"}"#);
    assert!(began.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn g_47_told_to_stop_it_answers_what_is_left_with_an_error() {
    for after_input in [false, true] {
        let handler = Timed::default();
        let shut_down = Arc::clone(&handler.shut_down);
        let mut client = Client::of(handler, Limits::default());
        let began = Instant::now();
        client.write(&[&call(1, r#"{"seconds":9}"#), &call(2, r#"{"seconds":11}"#), &note(1)]).await;
        sleep(Duration::from_millis(1)).await;
        if after_input {
            client.close();
            sleep(Duration::from_millis(1)).await;
        }
        client.stop.take().unwrap().send(()).unwrap();
        assert_eq!(client.line().await.unwrap(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
        let given_up = client.line().await.unwrap();
        let data = r#""data":{"code":"STOPPED","executed":"unknown"}"#;
        assert!(given_up.contains(r#""id":2,"error":{"code":1408"#) && given_up.contains(data), "{given_up}");
        assert_eq!(client.line().await, None);
        assert_eq!(began.elapsed().as_secs(), 10);
        assert_eq!(client.served.await.unwrap(), StreamEnd::Stopped);
        assert_eq!(shut_down.load(Ordering::Relaxed), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn g_47_a_client_that_does_not_read_its_last_answers_holds_nothing_up() {
    let mut client = Client::of(Timed::default(), Limits::default());
    let long = "x".repeat(1 << 20);
    // The error contains only the request's id, so long ids fill the pipe.
    for id in 0..3 {
        let line = format!(r#"{{"jsonrpc":"2.0","id":"{id}{long}","method":"m","params":{{"seconds":60}}}}"#);
        client.write(&[&line]).await;
    }
    let began = Instant::now();
    client.stop.take().unwrap().send(()).unwrap();
    assert_eq!(client.served.await.unwrap(), StreamEnd::Stopped);
    assert_eq!(began.elapsed().as_secs(), 12);
}

// === progress ===

#[tokio::test(start_paused = true)]
async fn g_47_progress_extends_the_deadline_up_to_a_cap() {
    let token = r#""_meta":{"progressToken":1}"#;
    for (params, expected, seconds) in [
        (format!(r#"{{"seconds":1000,"progress":200,{token}}}"#), "result", 1000),
        (format!(r#"{{"seconds":1000,"progress":400,{token}}}"#), "1408", 300),
        (format!(r#"{{"seconds":9999,"progress":200,{token}}}"#), "1408", 1800),
        // Without a token the client gets no progress, and progress does not count.
        (r#"{"seconds":1000,"progress":200}"#.to_owned(), "1408", 300),
    ] {
        let mut client = Client::of(Timed::default(), Limits::default());
        let began = Instant::now();
        client.write(&[&call(1, &params)]).await;
        client.close();
        let answer = client.rest().await.pop().unwrap();
        assert!(answer.contains(expected), "{params}: {answer}");
        assert_eq!(began.elapsed().as_secs(), seconds, "{params}");
    }
}

// === floods ===

#[tokio::test(start_paused = true)]
async fn g_48_notifications_that_pile_up_stop_the_reading() {
    for (bytes, most) in [(10, 256), (1 << 20, 32)] {
        let handler = Timed::default();
        let (running, most_running) = (Arc::clone(&handler.running), Arc::clone(&handler.most_running));
        let mut client = Client::of(handler, Limits::default());
        let flood = note(bytes) + "\n";
        let mut input = client.input.take().unwrap();
        let mut written = 0;
        while timeout(Duration::from_millis(100), input.write_all(flood.as_bytes())).await.is_ok() {
            written += 1;
            assert!(written < 100_000, "the flood is read without end");
        }
        assert!(running.load(Ordering::Relaxed) <= most, "{bytes}");
        // When the handler has finished them, reading continues.
        let more = tokio::spawn(async move { input.write_all(&b"\n".repeat(1 << 20)).await });
        assert!(timeout(Duration::from_secs(2000), more).await.is_ok(), "{bytes}");
        assert!(most_running.load(Ordering::Relaxed) <= most, "{bytes}");
        drop(client);
    }
}

// === start ===

#[tokio::test(start_paused = true)]
async fn g_55_what_comes_before_initialize_is_answered_waits_for_it_in_order() {
    let mut client = Client::of(Timed::default(), Limits::default());
    let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"seconds":3}}"#;
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let ping = r#"{"jsonrpc":"2.0","id":"ping","method":"ping"}"#;
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    let (first, second, third) = (call(1, "{}"), call(2, "{}"), call(3, "{}"));
    let began = Instant::now();
    client.write(&[initialize, initialized, &first, ping, &second, cancelled, &third]).await;
    client.close();
    assert!(client.line().await.unwrap().contains(r#""id":"ping""#), "a ping needs no session");
    assert_eq!(began.elapsed().as_secs(), 0);
    let expected = [0, 1, 3].map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    assert_eq!(client.rest().await, expected, "in order, without what was cancelled");
    assert_eq!(began.elapsed().as_secs(), 3);
}

#[tokio::test(start_paused = true)]
async fn g_55_what_waits_for_the_handshake_is_bounded() {
    let mut client = Client::of(Timed::default(), Limits::default());
    client.write(&[r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"seconds":100}}"#]).await;
    let mut input = client.input.take().unwrap();
    let mut written = 0;
    let line = |id: u64| call(id, "{}") + "\n";
    while timeout(Duration::from_millis(100), input.write_all(line(written).as_bytes())).await.is_ok() {
        written += 1;
        assert!(written < 100_000, "requests are kept without end");
    }
}
