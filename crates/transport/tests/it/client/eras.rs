//! The version that both sides agree on, and how, over a pair of streams.
use std::time::Duration;

use overt_transport::client::{ClientError, Protocol};
use overt_wire::era::{Version, key};

use super::lines::{LEGACY_HELLO, MODERN_HELLO, connect};
use super::seen::{Heard, options};

#[tokio::test]
async fn a_modern_server_is_asked_once_and_not_greeted() {
    let (connecting, mut server) = connect(options(|_| {}), Heard::new());
    let probe = server.read("server/discover").await;
    assert_eq!(probe.meta().get(key::PROTOCOL_VERSION).string().unwrap(), "2026-07-28");
    assert_eq!(probe.meta().get(key::CLIENT_CAPABILITIES).value().unwrap().as_str(), "{}");
    server.result(&probe, MODERN_HELLO).await;
    let client = connecting.await.unwrap().unwrap();
    assert_eq!(client.server().version, Version::V2026_07_28);
    assert_eq!(client.server().handshake.as_str(), MODERN_HELLO);
    assert!(server.is_silent().await);
}

#[tokio::test]
async fn any_error_that_is_not_modern_means_legacy() {
    for code in [-32601, -32602, -32600, -32000, 0] {
        let (connecting, mut server) = connect(options(|_| {}), Heard::new());
        let probe = server.read("server/discover").await;
        server.error(&probe, code).await;
        let hello = server.read("initialize").await;
        assert_eq!(hello.param("protocolVersion").string().unwrap(), "2025-11-25");
        assert!(hello.meta().is_absent());
        server.result(&hello, LEGACY_HELLO).await;
        server.read("notifications/initialized").await;
        assert_eq!(connecting.await.unwrap().unwrap().server().version, Version::V2025_11_25);
    }
}

#[tokio::test]
async fn silence_means_legacy_and_a_late_answer_is_ignored() {
    let quick = options(|limits| limits.probe_deadline = Duration::from_millis(100));
    let (connecting, mut server) = connect(quick, Heard::new());
    let probe = server.read("server/discover").await;
    let hello = server.read("initialize").await;
    server.error(&probe, -32601).await;
    server.result(&hello, &LEGACY_HELLO.replace("2025-11-25", "2024-11-05")).await;
    server.read("notifications/initialized").await;
    assert_eq!(connecting.await.unwrap().unwrap().server().version, Version::V2024_11_05);
}

#[tokio::test]
async fn a_slow_modern_server_is_still_found_out() {
    let quick = options(|limits| limits.probe_deadline = Duration::from_millis(100));
    let (connecting, mut server) = connect(quick, Heard::new());
    let probe = server.read("server/discover").await;
    let hello = server.read("initialize").await;
    server.result(&probe, MODERN_HELLO).await;
    server.error(&hello, -32601).await;
    assert_eq!(connecting.await.unwrap().unwrap().server().version, Version::V2026_07_28);
}

#[tokio::test]
async fn an_unsupported_version_names_another() {
    let (connecting, mut server) = connect(options(|_| {}), Heard::new());
    let probe = server.read("server/discover").await;
    let id = probe.id().unwrap();
    let error = r#"{"code":-32022,"message":"no","data":{"supported":["2025-06-18"],"requested":"x"}}"#;
    server.write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)).await;
    let hello = server.read("initialize").await;
    assert_eq!(hello.param("protocolVersion").string().unwrap(), "2025-06-18");
    server.result(&hello, &LEGACY_HELLO.replace("2025-11-25", "2025-06-18")).await;
    server.read("notifications/initialized").await;
    assert_eq!(connecting.await.unwrap().unwrap().server().version, Version::V2025_06_18);
}

#[tokio::test]
async fn a_version_that_nobody_knows_is_an_error() {
    let (connecting, mut server) = connect(options(|_| {}), Heard::new());
    let probe = server.read("server/discover").await;
    server.error(&probe, -32601).await;
    let hello = server.read("initialize").await;
    server.result(&hello, &LEGACY_HELLO.replace("2025-11-25", "2019-01-01")).await;
    let error = connecting.await.unwrap().unwrap_err();
    assert!(matches!(&error, ClientError::Version { offered, .. } if offered == "2019-01-01"), "{error}");
}

#[tokio::test]
async fn one_version_only() {
    let mut only = options(|_| {});
    only.protocol = Protocol::Only(Version::V2025_06_18);
    let (connecting, mut server) = connect(only.clone(), Heard::new());
    let hello = server.read("initialize").await;
    assert_eq!(hello.param("protocolVersion").string().unwrap(), "2025-06-18");
    server.result(&hello, LEGACY_HELLO).await;
    assert!(matches!(connecting.await.unwrap(), Err(ClientError::Version { .. })));

    only.protocol = Protocol::Only(Version::V2026_07_28);
    let (connecting, mut server) = connect(only, Heard::new());
    let probe = server.read("server/discover").await;
    server.error(&probe, -32601).await;
    assert!(matches!(connecting.await.unwrap(), Err(ClientError::Version { .. })));
    assert!(!server.is_silent().await, "the connection is closed");
}
