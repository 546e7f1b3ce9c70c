//! The messages of an upstream come out byte for byte, apart from the id and what an era requires:
//! 100,000 odd messages, made from seeds, over both transports and in every combination of eras.
use overt_testkit::evil::habits::Habits;
use overt_testkit::evil::odd::Odd;
use overt_testkit::evil::web::Web;
use overt_testkit::http_raw::Connection;
use overt_testkit::link::LineLink;
use overt_wire::edit::{self, Step};
use overt_wire::era::key;
use overt_wire::{Message, json};
use serde_json::{Value, json};

use super::kit::{EVIL, overt_words};
use super::load::Front;
use crate::web::{legacy, modern, modern_body};

/// The number of notifications before each answer.
const NOTIFICATIONS: u64 = 9;

/// The eras of client and upstream. If they differ, the test removes what the newer era adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Eras {
    Legacy,
    Modern,
    LegacyToModern,
    ModernToLegacy,
}

impl Eras {
    fn client_is_modern(self) -> bool {
        matches!(self, Self::Modern | Self::ModernToLegacy)
    }

    fn upstream_is_modern(self) -> bool {
        matches!(self, Self::Modern | Self::LegacyToModern)
    }

    fn habit(self) -> &'static str {
        if self.upstream_is_modern() { "--modern" } else { "--legacy" }
    }

    fn habits(self) -> Habits {
        Habits { modern: self.upstream_is_modern(), legacy: !self.upstream_is_modern(), ..Habits::default() }
    }

    fn params(self, seed: u64) -> Value {
        let mut params = json!({ "name": "odd", "arguments": { "seed": seed, "count": NOTIFICATIONS } });
        if self.client_is_modern() {
            params["_meta"]["io.modelcontextprotocol/logLevel"] = json!("debug");
        }
        params
    }

    /// Returns the messages that must come for a seed, in this order.
    fn expected(self, seed: u64, id: u64) -> Vec<String> {
        let mut odd = Odd::new(seed);
        let mut expected: Vec<String> = (0..NOTIFICATIONS).map(|_| odd.notification()).collect();
        expected.push(odd.answer(&id.to_string(), self.upstream_is_modern()));
        expected
    }

    #[track_caller]
    fn compare(self, came: &str, expected: &str) {
        if self == Self::ModernToLegacy && expected.contains("\"result\"") && expected.contains("\"content\"")
        {
            assert_eq!(without_marks(came, expected), expected, "{came}");
        } else {
            assert_eq!(came, expected);
        }
    }
}

/// Removes what the newer era requires of a result.
fn without_marks(came: &str, expected: &str) -> String {
    let parse = |text: &str| Message::parse(text.as_bytes().to_vec(), &json::Limits::default()).unwrap();
    let remove = |message: &Message, path: &[&str]| {
        let steps: Vec<Step<'_>> = ["result"].iter().chain(path).map(|name| Step::Member(name)).collect();
        edit::remove_in(message, &steps).unwrap()
    };
    let had_meta = parse(expected).result_body().get("_meta").value().is_some();
    let plain = remove(&parse(came), &["resultType"]);
    let plain =
        if had_meta { remove(&plain, &["_meta", key::SERVER_INFO]) } else { remove(&plain, &["_meta"]) };
    plain.text().to_owned()
}

/// Makes calls over standard input and output, one after the other.
async fn over_lines(eras: Eras, messages: u64) {
    let (program, words) = overt_words(&[
        "run",
        "--allow",
        "read",
        "--allow",
        "write",
        "--allow",
        "execute",
        "--",
        EVIL,
        eras.habit(),
        "--stdio",
    ]);
    let mut link = LineLink::command(&program, &words.iter().map(String::as_str).collect::<Vec<_>>());
    if !eras.client_is_modern() {
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        link.ask(
            &json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello }).to_string(),
        )
        .await;
        link.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string()).await;
    }
    for seed in 0..messages / (NOTIFICATIONS + 1) {
        let request = if eras.client_is_modern() {
            modern_body(seed, "tools/call", eras.params(seed))
        } else {
            json!({ "jsonrpc": "2.0", "id": seed, "method": "tools/call", "params": eras.params(seed) })
        };
        link.send(&request.to_string()).await;
        for expected in eras.expected(seed, seed) {
            eras.compare(&link.next().await.expect("it goes on"), &expected);
        }
    }
    assert!(link.finish().await.is_empty());
}

/// Makes calls over HTTP, one after the other on one connection.
async fn over_http(eras: Eras, messages: u64) {
    let front = Front::start(&[&Web::start(eras.habits()).unwrap()]).await;
    let (mut connection, session) = if eras.client_is_modern() {
        (Connection::open(front.address).await, String::new())
    } else {
        front.session().await
    };
    for seed in 0..messages / (NOTIFICATIONS + 1) {
        let request = if eras.client_is_modern() {
            modern(seed, "tools/call", eras.params(seed))
        } else {
            legacy(&session, seed, "tools/call", eras.params(seed))
        };
        connection.send(&request).await;
        let head = connection.head().await.expect("an answer");
        assert!(head.is_stream(), "notifications come in a stream");
        for expected in eras.expected(seed, seed) {
            eras.compare(&connection.message().await.expect("it goes on").data, &expected);
        }
        assert!(connection.message().await.is_none());
    }
}

#[tokio::test]
async fn lines_of_the_older_era_come_out_to_the_byte() {
    over_lines(Eras::Legacy, 20_000).await;
}

#[tokio::test]
async fn lines_of_the_newer_era_come_out_to_the_byte() {
    over_lines(Eras::Modern, 20_000).await;
}

#[tokio::test]
async fn lines_from_a_newer_upstream_come_out_to_the_byte() {
    over_lines(Eras::LegacyToModern, 10_000).await;
}

#[tokio::test]
async fn lines_from_an_older_upstream_come_out_but_for_the_marks() {
    over_lines(Eras::ModernToLegacy, 10_000).await;
}

#[tokio::test]
async fn events_of_the_older_era_come_out_to_the_byte() {
    over_http(Eras::Legacy, 15_000).await;
}

#[tokio::test]
async fn events_of_the_newer_era_come_out_to_the_byte() {
    over_http(Eras::Modern, 15_000).await;
}

#[tokio::test]
async fn events_from_a_newer_upstream_come_out_to_the_byte() {
    over_http(Eras::LegacyToModern, 5_000).await;
}

#[tokio::test]
async fn events_from_an_older_upstream_come_out_but_for_the_marks() {
    over_http(Eras::ModernToLegacy, 5_000).await;
}
